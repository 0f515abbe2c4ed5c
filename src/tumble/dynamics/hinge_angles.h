// Angles of hinges that count their turns (model::CountedHinge). The angle is unwrapped to the one nearest to
// the angle before, since no hinge rotates by half a turn in a step.
#pragma once

#include <span>

#include "tumble/model/state.h"

namespace tumble::dynamics {

/// rad, for the rotations R_WA and R_WB of the bodies; `before` is the last known angle.
double compute_hinge_angle(const model::CountedHinge& hinge, const math::Mat3& R_WA, const math::Mat3& R_WB,
                           double before);

/// Updates every angle. `rotation_of(body)` is R_WB of a body.
template <class RotationOf>
void update_hinge_angles(const model::Model& model, const RotationOf& rotation_of, double* angles) {
  const auto rotation = [&](core::BodyId body) -> math::Mat3 {
    return body.valid() ? rotation_of(body) : math::Mat3::Identity();
  };
  for (const model::CountedHinge& hinge : model.counted_hinges()) {
    *angles = compute_hinge_angle(hinge, rotation(hinge.a), rotation(hinge.b), *angles);
    ++angles;
  }
}
/// The same with the rotations of a state.
void update_hinge_angles(const model::Model& model, model::State& state);

/// rad/s, of every angle. `motions`: by body of the scene.
void compute_hinge_rates(const model::Model& model, std::span<const model::BodyMotion> motions,
                         double* rates);

}  // namespace tumble::dynamics
