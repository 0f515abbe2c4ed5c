// Point on line: a point of b moves on a line fixed in a, along the joint's axis.
//   C = [ F_a e_1 . D ;  F_a e_2 . D ] = 0,  D = x_b + t - x_a - s                 2 rows
#include "tumble/model/joints/axis_rows.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_point_on_line_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                            ConstraintRows& out) {
  rows::set_point_on_axis(out, 0, frames, a, b);
}

}  // namespace

constinit const JointKind joints::point_on_line = {
    .name = "point-on-line",
    .freedom = "b's point moves on a line carried by a, through `at`, along `axis`",
    .rows = 2,
    .lengths = 2,
    .needs_axis = true,
    .set_rows = set_point_on_line_rows,
};

}  // namespace tumble::model
