// Orientation joint: b does not rotate relative to a. Its translation is free.
//   C = 2 d_v = 0                                                                  3 rows
// [d_w, d_v] is the quaternion of F_a^T F_b.
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_orientation_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                          ConstraintRows& out) {
  rows::set_rotation_rows(out, 0, frames, a, b);
}

}  // namespace

constinit const JointKind joints::orientation = {
    .name = "orientation",
    .noun = "orientation joint",
    .freedom = "travel in every direction; b does not turn against a",
    .rows = 3,
    .default_point = DefaultPoint::center_of_b,
    .set_rows = set_orientation_rows,
};

}  // namespace tumble::model
