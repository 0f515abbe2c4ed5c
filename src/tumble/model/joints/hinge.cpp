// Hinge: b rotates about an axis fixed in a.
//   C = [ x_b + t - x_a - s ;  F_a e_1 . u_b ;  F_a e_2 . u_b ] = 0,  u_b = F_b e_0   5 rows
// The joint coordinate is the angle of b about the axis. It is zero after a rotation of b by spec.zero from
// the start pose.
#include "tumble/model/joint_values.h"
#include "tumble/model/joints/axis_rows.h"

namespace tumble::model {

namespace {

WorldFrames compute_hinge_frames(const JointSpec& spec) {
  WorldFrames frames = compute_coinciding_frames(spec);
  frames.axes_b = rotate_axes(frames.axes_a, math::Vec3(-spec.zero, 0, 0));
  return frames;
}

void set_hinge_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                    ConstraintRows& out) {
  rows::set_joined_points(out, 0, frames, a, b);
  rows::set_parallel_axes(out, 3, frames, a, b);
}

}  // namespace

constinit const JointKind joints::hinge = {
    .name = "hinge",
    .freedom = "the turn about `axis`",
    .rows = 5,
    .lengths = 3,
    .coordinate = JointCoordinate::angle,
    .needs_axis = true,
    .compute_frames = compute_hinge_frames,
    .set_rows = set_hinge_rows,
};

}  // namespace tumble::model
