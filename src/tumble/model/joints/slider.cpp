// Slider: b translates along an axis fixed in a and does not rotate relative to a.
//   C = [ F_a e_1 . D ;  F_a e_2 . D ;  2 d_v ] = 0,  D = x_b + t - x_a - s        5 rows
// [d_w, d_v] is the quaternion of F_a^T F_b. The joint coordinate is the travel F_a e_0 . D.
#include "tumble/model/joints/axis_rows.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_slider_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                     ConstraintRows& out) {
  rows::set_point_on_axis(out, 0, frames, a, b);
  rows::set_rotation_rows(out, 2, frames, a, b);
}

}  // namespace

constinit const JointKind joints::slider = {
    .name = "slider",
    .freedom = "the travel along `axis`",
    .rows = 5,
    .lengths = 2,
    .coordinate = JointCoordinate::travel,
    .needs_axis = true,
    .default_point = DefaultPoint::center_of_b,
    .compute_frames = compute_travel_frames,
    .set_rows = set_slider_rows,
};

}  // namespace tumble::model
