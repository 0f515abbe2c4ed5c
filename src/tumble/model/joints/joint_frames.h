// Where the frames of a joint are in the start pose, from its spec.
#pragma once

#include "tumble/math/types.h"

namespace tumble::model {

struct JointSpec;

/// The two frames of a joint in the start pose, world coordinates. They coincide at zero coordinates.
struct WorldFrames {
  math::Vec3 origin_a, origin_b;  // m
  math::Mat3 axes_a, axes_b;      // columns: the joint's axis and two across it
};

/// Right-handed axes: the first along `axis`, the second as near to `across` as can be. If `across` is zero,
/// the world axis least along the first stands in for it.
math::Mat3 axes_along(const math::Vec3& axis, const math::Vec3& across);

/// The points of the spec; equal axes along axis and axis2, or the world's without an axis.
WorldFrames compute_coinciding_frames(const JointSpec& spec);
/// The same with the point of a moved along the axis, so that the travel is zero at spec.zero from the start.
WorldFrames compute_travel_frames(const JointSpec& spec);

}  // namespace tumble::model
