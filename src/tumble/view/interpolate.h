// The state between two frames of a recording.
#pragma once

#include "tumble/model/state.h"

namespace tumble::view {

/// Positions follow the cubic with the velocities of both frames; over an impact, where the velocities do not
/// fit the displacement, they follow the straight line. Rotations turn at a constant rate, by as many turns
/// as the angular velocities say. Only positions and orientations are set. `share`: 0 at a, 1 at b.
model::State interpolate_state(const model::Model& model, const model::State& a, const model::State& b,
                               double share);

/// The straight line and the shorter turn: all that poses alone allow.
math::Pose interpolate_pose(const math::Pose& a, const math::Pose& b, double share);

}  // namespace tumble::view
