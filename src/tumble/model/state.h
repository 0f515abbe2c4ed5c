// The state of a scene at one time. Together with the memory of the stepper (simulate/stepper.h) it
// determines the rest of the run, bit for bit.
#pragma once

#include <algorithm>
#include <vector>

#include "tumble/model/model.h"

namespace tumble::model {

/// Per body, in scene order: centre of mass (3), unit quaternion wxyz (4), linear momentum (3), angular
/// momentum about the centre of mass (3); world axes. Fixed bodies have momenta zero.
inline constexpr size_t kBodySize = 13;
inline constexpr size_t kPositionAt = 0, kOrientationAt = 3, kMomentumAt = 7, kAngularMomentumAt = 10;

/// Per joint, integrated over time: force of a on b (3) and torque on b about the joint's point (3), in world
/// axes; effort of its drives and script (1).
inline constexpr size_t kReactionSize = 7;

struct State {
  double time = 0;           // s
  std::vector<double> y;     // kBodySize numbers per body
  std::vector<double> work;  // J, done so far, indexed like Model::work_names()
  /// Reaction impulses of the joints so far: kReactionSize numbers per joint, indexed like Model::joints().
  /// Empty if reactions are not requested. The difference between two times, divided by the time between
  /// them, is the mean reaction.
  std::vector<double> impulses = {};
  std::vector<double> hinge_angles = {};  // rad, indexed like Model::counted_hinges()

  Vec3 position(BodyId b) const { return vec3(b, kPositionAt); }
  Quat orientation(BodyId b) const {
    const double* q = &y[b.index() * kBodySize + kOrientationAt];
    return Quat::from_wxyz(q[0], q[1], q[2], q[3]);
  }
  Vec3 momentum(BodyId b) const { return vec3(b, kMomentumAt); }
  Vec3 angular_momentum(BodyId b) const { return vec3(b, kAngularMomentumAt); }

  void set_position(BodyId b, const Vec3& v) { set_vec3(b, kPositionAt, v); }
  void set_orientation(BodyId b, const Quat& q) {
    double* p = &y[b.index() * kBodySize + kOrientationAt];
    p[0] = q.w(), p[1] = q.x(), p[2] = q.y(), p[3] = q.z();
  }
  void set_momentum(BodyId b, const Vec3& v) { set_vec3(b, kMomentumAt, v); }
  void set_angular_momentum(BodyId b, const Vec3& v) { set_vec3(b, kAngularMomentumAt, v); }

 private:
  Vec3 vec3(BodyId b, size_t at) const { return Eigen::Map<const Vec3>(&y[b.index() * kBodySize + at]); }
  void set_vec3(BodyId b, size_t at, const Vec3& v) {
    std::copy_n(v.data(), 3, &y[b.index() * kBodySize + at]);
  }
};

/// The initial state of the scene.
State start_state(const Model& model);

/// Quantities derived from a state: v = P/m, omega = R I_body^-1 R^T L, and the pose of the body's frame.
Vec3 velocity(const Model& model, const State& state, BodyId body);
Vec3 angular_velocity(const Model& model, const State& state, BodyId body);
Pose body_pose(const Model& model, const State& state, BodyId body);
BodyMotion body_motion(const Model& model, const State& state, BodyId body);
/// The same. If `body` is not valid, the motion of the world.
BodyMotion motion_in(const Model& model, const State& state, BodyId body);
/// Sets pose and momenta of a body from the motion of its centre of mass, in world axes.
void set_motion(const Model& model, BodyId body, const Vec3& center, const Quat& orientation,
                const Vec3& velocity, const Vec3& angular_velocity, State& state);

}  // namespace tumble::model
