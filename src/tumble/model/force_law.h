// A force law acts between two bodies, or between one body and the world. To write one, derive from ForceLaw,
// pass the two bodies to its constructor, implement apply(), and pass an instance to ModelBuilder::add_force.
// examples/custom_force.cpp is a complete example.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tumble/core/ids.h"
#include "tumble/math/types.h"
#include "tumble/model/arena.h"

namespace tumble::model {

/// Pose and velocities of a body at one instant, in world axes. The default is the motion of the world: at
/// rest at the origin.
struct BodyMotion {
  math::Vec3 center = math::Vec3::Zero();            // m, centre of mass
  math::Mat3 rotation = math::Mat3::Identity();      // R_WB
  math::Vec3 velocity = math::Vec3::Zero();          // m/s, of the centre of mass
  math::Vec3 angular_velocity = math::Vec3::Zero();  // rad/s
  /// Unwrapped angles of hinges (they may exceed pi), indexed like Model::counted_hinges(). Null if the
  /// caller does not track them.
  const double* hinge_angles = nullptr;

  /// Velocity of the body's point at `arm` from the centre of mass (world axes).
  math::Vec3 velocity_at(const math::Vec3& arm) const { return velocity + angular_velocity.cross(arm); }
};

inline const BodyMotion kWorldMotion{};

/// The motion of a body, given those of all bodies. If `body` is not valid, the motion of the world.
inline const BodyMotion& motion_of(core::BodyId body, std::span<const BodyMotion> motions) {
  return body.valid() ? motions[body.index()] : kWorldMotion;
}

/// A force at the centre of mass and a torque about it, world axes.
struct Wrench {
  math::Vec3 force = math::Vec3::Zero();   // N
  math::Vec3 torque = math::Vec3::Zero();  // N m

  void add_force(const math::Vec3& f, const math::Vec3& arm) {
    force += f;
    torque += arm.cross(f);
  }
};

/// The linearisation of a force law at one instant. Each row has a Jacobian (J_a, J_b), a stiffness k >= 0
/// and a damping d >= 0. The speed along the row is J_a (v_a, omega_a) + J_b (v_b, omega_b). A displacement
/// dx and a velocity change dv change the wrenches by approximately -J^T (k J dx + d J dv).
struct Resistance {
  static constexpr int kMostRows = 6;
  int rows = 0;
  /// A law that depends only on the rotation of b relative to a, and exerts opposite torques and no forces,
  /// sets `turns` and has no rows. `turning_stiffness` is then the lower triangle, row by row, of the
  /// symmetric stiffness matrix of the relative rotation (N m/rad). `stiffness[0]` is the stiffness about the
  /// axis of this rotation. `turning_damping` multiplies omega_b - omega_a and is isotropic (N m s/rad).
  bool turns = false;
  double turning_stiffness[6], turning_damping = 0;
  bool none() const { return rows == 0 && !turns; }
  /// Input, set by the caller: compute wrenches and rows without the bound ForceLaw::largest_effort().
  bool unlimited = false;
  /// A law that depends on one scalar coordinate q and its rate alone, and acts as J^T Q with J = dq/dx, sets
  /// `has_coordinate`. Row 0 is then that J. Other rows add to the stiffness across it. `effort` is Q for
  /// q' = 0. Large steps then compute the force from the true change of q, ForceLaw::coordinate().
  bool has_coordinate = false;
  double coordinate = 0, effort = 0;

  /// No rows, no coordinate.
  void clear() { rows = 0, turns = false, turning_damping = 0, has_coordinate = false; }
  double J_a[kMostRows][6], J_b[kMostRows][6];
  double stiffness[kMostRows], damping[kMostRows];  // N/m, N s/m; N m/rad, N m s/rad for an angular row
};

class ForceLaw {
 public:
  /// If `b` is not valid, the law acts between `a` and the world. `name` is the name of its column in the
  /// log.
  ForceLaw(std::string name, core::BodyId a, core::BodyId b = {}) : name_(std::move(name)), a_(a), b_(b) {}
  virtual ~ForceLaw() = default;

  const std::string& name() const { return name_; }
  core::BodyId a() const { return a_; }
  core::BodyId b() const { return b_; }

  /// Adds the wrenches of the law at time t to `on_a` and `on_b`.
  virtual void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a,
                     Wrench& on_b) const = 0;

  /// Does the same as apply(), and also computes the linearisation of the law. Large steps
  /// (dynamics/kick_problem.h) treat the linearised law implicitly and so remain stable for any stiffness. A
  /// law that does not override this function is treated explicitly: its wrenches are constant over a step.
  virtual void linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                         Resistance& resistance) const;
  /// Whether linearise() may return a linearisation that is not empty.
  virtual bool resists() const { return false; }

  /// The coordinate q of a law whose linearisation has one, if q is a length or otherwise not a linear
  /// function of the motion; else nothing. Only poses are read.
  virtual std::optional<double> coordinate(const BodyMotion& a, const BodyMotion& b) const;

  /// True if the law can only take energy, never give it. Its work is then never counted as positive.
  virtual bool is_dissipative() const { return false; }

  /// Upper bound on the effort of a law with a linearisation: on the force or torque along its single row (N
  /// or N m), or on the norm of its torque (N m) if it sets Resistance::turns. Large steps treat a law with a
  /// finite bound as a constraint row with bounded impulses.
  virtual double largest_effort() const { return std::numeric_limits<double>::infinity(); }

  /// Potential energy (J) of a conservative law. The work of a law without a potential is part of
  /// LogRow::work.
  virtual std::optional<double> potential(double t, const BodyMotion& a, const BodyMotion& b) const;

  /// Times at which the law is not smooth, e.g. because a force is switched on. A step of the integrator ends
  /// exactly at each of them.
  virtual std::vector<double> switch_times() const { return {}; }

  /// Returns a copy for a LiveModel (model/live_model.h): `return make_in<MyLaw>(room, *this);`. If it
  /// returns null, the model and its live copies share the law, and the law must not change.
  virtual std::shared_ptr<ForceLaw> clone(const LawRoom&) const { return nullptr; }

 private:
  std::string name_;
  core::BodyId a_, b_;
};

}  // namespace tumble::model
