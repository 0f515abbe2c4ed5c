// Nail: a ball joint between a point of b and a fixed point p of the world.
//   C = x_b + t - p = 0                                                            3 rows
#include "tumble/model/joints/axis_rows.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_nail_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                   ConstraintRows& out) {
  rows::set_joined_points(out, 0, frames, a, b);
}

}  // namespace

constinit const JointKind joints::nail = {
    .name = "nail",
    .freedom = "every turn of `b` about a point of the world; takes no `a`",
    .rows = 3,
    .lengths = 3,
    .holds_point = true,
    .why_no_a = "a nail holds b to the world and takes no a; type=\"ball\" joins two bodies",
    .set_rows = set_nail_rows,
};

}  // namespace tumble::model
