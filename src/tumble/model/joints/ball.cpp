// Ball joint: a point of b coincides with a point of a.
//   C = x_b + t - x_a - s = 0                                                      3 rows
// The joint coordinate is the rotation vector r of b relative to a: F_b = F_a exp(r). It is zero after a
// rotation of b by zero_rotation from the start pose.
#include "tumble/model/joint_check.h"
#include "tumble/model/joint_values.h"
#include "tumble/model/joints/axis_rows.h"

namespace tumble::model {

namespace {

WorldFrames compute_ball_frames(const JointSpec& spec) {
  WorldFrames frames = compute_coinciding_frames(spec);
  frames.axes_b = rotate_axes(frames.axes_a, -spec.zero_rotation);
  return frames;
}

void set_ball_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                   ConstraintRows& out) {
  rows::set_joined_points(out, 0, frames, a, b);
}

}  // namespace

constinit const JointKind joints::ball = {
    .name = "ball",
    .noun = "ball joint",
    .freedom = "every turn about a point",
    .rows = 3,
    .lengths = 3,
    .holds_point = true,
    .coordinate = JointCoordinate::rotation_vector,
    .axis2 = "what the first `swing` is about",
    .takes_twist = true,
    .swing = SwingForm::any,
    .instead_of_limits = "a ball joint has swing, twist and limits-x, -y, -z",
    .compute_frames = compute_ball_frames,
    .set_rows = set_ball_rows,
    .check = check_plane_of_axes,
};

}  // namespace tumble::model
