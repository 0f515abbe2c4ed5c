// A force law acts between two bodies, or between one body and the world. Derive from ForceLaw, say which
// bodies it joins and what it does to them, and hand it to ModelBuilder::add_force; examples/custom_force.cpp
// is a whole one.
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

/// How a body moves at one instant, world axes. The world itself stands still at the origin.
struct BodyMotion {
  math::Vec3 center = math::Vec3::Zero();            // m, centre of mass
  math::Mat3 rotation = math::Mat3::Identity();      // R_WB
  math::Vec3 velocity = math::Vec3::Zero();          // m/s, of the centre of mass
  math::Vec3 angular_velocity = math::Vec3::Zero();  // rad/s
  /// Angles of the hinges that count their turns, indexed like Model::counted_hinges(); null where nobody has counted.
  const double* hinge_angles = nullptr;

  /// Velocity of the body's point at `arm` from the centre of mass (world axes).
  math::Vec3 velocity_at(const math::Vec3& arm) const { return velocity + angular_velocity.cross(arm); }
};

inline const BodyMotion kWorldMotion{};

/// How a body moves, given all bodies; without a body, the world.
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

/// How a law resists motion at one instant: along each row, in which the two bodies have the speed J_a (v_a, omega_a) +
/// J_b (v_b, omega_b), with a stiffness k and a damping d, neither below zero. Its wrenches change by about -J^T (k J dx + d J dv).
struct Resistance {
  static constexpr int kMostRows = 6;
  int rows = 0;
  /// A law of the turn of b against a alone, with opposite torques and no forces, has no rows: the torque on b resists that turn by a symmetric
  /// matrix, of which this is the lower triangle row by row (N m/rad), by `stiffness[0]` about the axis it is turned about, and
  /// omega_b - omega_a in every direction alike (N m s/rad).
  bool turns = false;
  double turning_stiffness[6], turning_damping = 0;
  bool none() const { return rows == 0 && !turns; }
  /// Set by who asks: wrenches and rows are to be as if the law had no largest effort.
  bool unlimited = false;
  double J_a[kMostRows][6], J_b[kMostRows][6];
  double stiffness[kMostRows], damping[kMostRows];  // N/m, N s/m where the row is a speed in m/s
};

class ForceLaw {
 public:
  /// Without `b` the law acts between `a` and the world. `name` is its column in the log.
  ForceLaw(std::string name, core::BodyId a, core::BodyId b = {}) : name_(std::move(name)), a_(a), b_(b) {}
  virtual ~ForceLaw() = default;

  const std::string& name() const { return name_; }
  core::BodyId a() const { return a_; }
  core::BodyId b() const { return b_; }

  /// Adds what the law does at time t to the two wrenches.
  virtual void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a,
                     Wrench& on_b) const = 0;

  /// apply(), and how the law resists. Large steps (dynamics/kick_problem.h) stay stable however stiff a law is if it says so here;
  /// one that does not is taken to be constant over a step.
  virtual void linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                         Resistance& resistance) const;
  /// Whether linearise() ever gives rows.
  virtual bool resists() const { return false; }

  /// The most a law that resists ever exerts along its one row (N or N m), or, where its rows turn, its longest torque. Large steps take a law
  /// that has such a bound as a row with a set of impulses of its own.
  virtual double largest_effort() const { return std::numeric_limits<double>::infinity(); }

  /// Potential energy (J) of a conservative law. A law without one has its work counted in the log instead.
  virtual std::optional<double> potential(double t, const BodyMotion& a, const BodyMotion& b) const;

  /// Times at which the law is not smooth, e.g. a force that is switched on: the integrator stops exactly
  /// there.
  virtual std::vector<double> switch_times() const { return {}; }

  /// A copy of its own for a LiveModel (model/live_model.h): `return make_in<MyLaw>(room, *this);`. Null: the model and its
  /// live copies share the law, and it must not change.
  virtual std::shared_ptr<ForceLaw> clone(const LawRoom&) const { return nullptr; }

 private:
  std::string name_;
  core::BodyId a_, b_;
};

}  // namespace tumble::model
