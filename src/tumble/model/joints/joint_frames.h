// Computes the frames of a joint in the start pose from its specification.
#pragma once

#include "tumble/math/types.h"

namespace tumble::model {

struct JointSpec;

/// The two frames of a joint in the start pose, in world coordinates. The frames coincide if the joint
/// coordinates are zero.
struct WorldFrames {
  math::Vec3 origin_a, origin_b;  // m
  math::Mat3 axes_a, axes_b;      // columns: the joint's axis and two axes perpendicular to it
};

/// Right-handed orthonormal axes. The first is along `axis`. The second is the part of `across` perpendicular
/// to it. If `across` is zero, the world axis with the smallest component along `axis` is used instead.
math::Mat3 axes_along(const math::Vec3& axis, const math::Vec3& across);

/// Frames at the points of the spec, with equal axes along axis and axis2. Without an axis, the world axes.
WorldFrames compute_coinciding_frames(const JointSpec& spec);
/// The same, with the point of a moved along the axis, so that the travel is zero at a displacement of
/// spec.zero from the start pose.
WorldFrames compute_travel_frames(const JointSpec& spec);

}  // namespace tumble::model
