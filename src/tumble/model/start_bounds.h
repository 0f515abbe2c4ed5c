// Bounds of limits that are those of the start pose: kAtStart of joint_spec.h.
#pragma once

#include "tumble/model/joint_spec.h"

namespace tumble::model {

bool has_start_bounds(const JointSpec& spec);

/// Replaces every kAtStart by the value of its coordinate in the start pose of the bodies a and b. An angle
/// is the one nearest to the other bound of its range, or nearest to the start of the joint coordinate.
void resolve_start_bounds(const JointFrames& frames, const BodyMotion& a, const BodyMotion& b,
                          JointSpec& spec);

}  // namespace tumble::model
