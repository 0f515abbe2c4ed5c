// Point on plane: a point of b moves in a plane fixed in a, perpendicular to the joint's axis.
//   C = F_a e_0 . (x_b + t - x_a - s) = 0                                          1 row
#include "tumble/model/joints/axis_rows.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

void set_point_on_plane_row(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                            ConstraintRows& out) {
  const rows::Arms arms = rows::compute_arms(frames, a, b);
  rows::set_plane_row(out, 0, a, arms.s, rows::axis_of_a(frames, a, 0), b, arms.t);
}

}  // namespace

constinit const JointKind joints::point_on_plane = {
    .name = "point-on-plane",
    .freedom = "b's point moves in a plane carried by a, through `at`, across `axis`",
    .rows = 1,
    .lengths = 1,
    .needs_axis = true,
    .set_rows = set_point_on_plane_row,
};

}  // namespace tumble::model
