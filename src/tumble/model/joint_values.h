// Computes the parameters of a joint's limits and force laws from its specification. add_joint.cpp creates
// the laws with them. live_joint.cpp updates the laws with them during a run.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/model/limits.h"

namespace tumble::model {

/// The axes rotated by a rotation vector, whose components are along these axes.
math::Mat3 rotate_axes(const math::Mat3& axes, const math::Vec3& rotation_vector);
/// Frames that coincide if the rotation vector of the joint is r.
JointFrames align_frames_at(const JointFrames& frames, const math::Vec3& r);

double bound_of(const Range& range, Side side);
/// Whether a bound of a range is a limit. A distance is always in [0, infinity), so these bounds are not
/// limits.
bool is_limit(Coordinate coordinate, double bound);
/// The centre of the branch of an angle: `middle` of CoordinateLimit.
double middle_of(const JointSpec& spec, const Range& range, Coordinate coordinate, int counted);
/// The depth (rad or m) of the comfort zone at a bound. There is no zone if it is not positive.
double comfort_depth(const Range& comfort, const Range& range, Side side);
/// The bounds of a swing limit with two or four angles.
SwingLimit::Bounds swing_bounds(const std::vector<double>& swing);
double least_swing(const std::vector<double>& swing);  // rad

/// The angular velocity (rad/s) of the drive of a ball joint, in the frames that coincide at its target.
math::Vec3 velocity_at_target(const DriveSpec& drive);

}  // namespace tumble::model
