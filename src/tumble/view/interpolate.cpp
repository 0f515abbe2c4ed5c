// Cubic with values p0, p1 and slopes v0, v1 over h, at s = 0..1:
//   p = (1 - 3 s^2 + 2 s^3) p0 + (3 s^2 - 2 s^3) p1 + h s (1 - s)^2 v0 - h s^2 (1 - s) v1               (1)
// For smooth motion  p1 - p0 = h (v0 + v1)/2 + O(h^3).
#include "tumble/view/interpolate.h"

#include <cmath>

#include "tumble/math/elementary.h"
#include "tumble/view/tolerances.h"

namespace tumble::view {

namespace {

using math::Quat;
using math::Vec3;

// The rotation vector that turns a into b and is nearest to the expected one: it may have several turns.
Vec3 turn_between(const Quat& a, const Quat& b, const Vec3& expected) {
  const Vec3 shortest = (b * a.conjugate()).to_rotation_vector();
  const double angle = shortest.norm();
  const Vec3 axis = angle > 0 ? Vec3(shortest / angle) : Vec3(expected.stableNormalized());
  const double turns = std::round((expected.dot(axis) - angle) / (2 * math::kPi));
  return axis * (angle + 2 * math::kPi * turns);
}

Vec3 position_between(const Vec3& p0, const Vec3& p1, const Vec3& d0, const Vec3& d1, double s) {
  const Vec3 straight = p0 + s * (p1 - p0);
  if (!((p1 - p0 - (d0 + d1) / 2).norm() <= kSmoothShare * (p1 - p0).norm())) return straight;
  return (1 - s * s * (3 - 2 * s)) * p0 + s * s * (3 - 2 * s) * p1 + s * (1 - s) * ((1 - s) * d0 - s * d1);
}

}  // namespace

model::State interpolate_state(const model::Model& model, const model::State& a, const model::State& b,
                               double share) {
  model::State state = a;
  const double h = b.time - a.time;
  state.time = a.time + share * h;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const model::BodyId id(i);
    if (model.body(id).is_fixed()) continue;
    const Vec3 d0 = velocity(model, a, id) * h, d1 = velocity(model, b, id) * h;
    state.set_position(id, position_between(a.position(id), b.position(id), d0, d1, share));
    const Vec3 expected = (angular_velocity(model, a, id) + angular_velocity(model, b, id)) * (h / 2);
    const Vec3 turn = turn_between(a.orientation(id), b.orientation(id), expected);
    state.set_orientation(id, Quat::from_rotation_vector(turn * share) * a.orientation(id));
  }
  return state;
}

math::Pose interpolate_pose(const math::Pose& a, const math::Pose& b, double share) {
  const Vec3 turn = (b.rotation * a.rotation.conjugate()).to_rotation_vector();
  return {Quat::from_rotation_vector(turn * share) * a.rotation,
          a.translation + share * (b.translation - a.translation)};
}

}  // namespace tumble::view
