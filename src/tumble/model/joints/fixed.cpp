// Fixed joint (weld): b does not move relative to a.
//   C = [ x_b + t - x_a - s ;  2 d_v ] = 0                                         6 rows
// [d_w, d_v] is the quaternion of F_a^T F_b.
#include "tumble/model/joints/axis_rows.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_fixed_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                    ConstraintRows& out) {
  rows::set_joined_points(out, 0, frames, a, b);
  rows::set_rotation_rows(out, 3, frames, a, b);
}

}  // namespace

constinit const JointKind joints::fixed = {
    .name = "fixed",
    .freedom = "nothing",
    .rows = 6,
    .lengths = 3,
    .default_point = DefaultPoint::center_of_b,
    .set_rows = set_fixed_rows,
};

}  // namespace tumble::model
