// The numbers in a joint's limits and force laws, from its spec. add_joint.cpp makes the laws with them,
// live_joint.cpp changes them while a scene runs.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/model/limits.h"

namespace tumble::model {

/// The axes turned by a rotation vector along them.
math::Mat3 turned(const math::Mat3& axes, const math::Vec3& rotation_vector);
/// Frames that coincide where the rotation vector of a joint is r.
JointFrames turned_to(const JointFrames& frames, const math::Vec3& r);

double bound_of(const Range& range, Side side);
/// Whether a side of a joint's range is a limit: no distance is below zero or beyond infinity.
bool is_limit(Coordinate coordinate, double bound);
/// The branch an angle is taken on: CoordinateLimit.
double middle_of(const JointSpec& spec, const Range& range, Coordinate coordinate, int counted);
/// How deep the soft zone inside a side of a range is: rad or m; not above 0: there is none.
double comfort_depth(const Range& comfort, const Range& range, Side side);
/// Of a swing given by two or four angles.
SwingLimit::Bounds swing_bounds(const std::vector<double>& swing);
double least_swing(const std::vector<double>& swing);  // rad

/// The velocity of a drive about three axes, in the frames at its target: rad/s.
math::Vec3 velocity_at_target(const DriveSpec& drive);

}  // namespace tumble::model
