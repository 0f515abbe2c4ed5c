// Cylindrical joint: b translates along an axis fixed in a and rotates about it.
//   C = [ F_a e_1 . D ;  F_a e_2 . D ;  F_a e_1 . u_b ;  F_a e_2 . u_b ] = 0       4 rows
// D = x_b + t - x_a - s, u_b = F_b e_0. The joint coordinate is the travel F_a e_0 . D.
#include "tumble/model/joints/axis_rows.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_cylindrical_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                          ConstraintRows& out) {
  rows::set_point_on_axis(out, 0, frames, a, b);
  rows::set_parallel_axes(out, 2, frames, a, b);
}

}  // namespace

constinit const JointKind joints::cylindrical = {
    .name = "cylindrical",
    .freedom = "turn about and travel along `axis`",
    .rows = 4,
    .lengths = 2,
    .coordinate = JointCoordinate::travel,
    .coordinate_name = "travel of cylindrical",
    .needs_axis = true,
    .takes_twist = true,
    .compute_frames = compute_travel_frames,
    .set_rows = set_cylindrical_rows,
};

}  // namespace tumble::model
