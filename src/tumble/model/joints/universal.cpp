// Universal (Cardan) joint: a cross whose two axes are fixed in a and in b.
//   C = [ x_b + t - x_a - s ;  u_a . u_b - c ] = 0                                 4 rows
// u_a = F_a e_0 is axis, u_b = F_b e_0 is axis2, and c is the cosine of the angle between them in the start
// pose.
#include "tumble/model/joint_check.h"
#include "tumble/model/joints/axis_rows.h"

namespace tumble::model {

namespace {

WorldFrames compute_universal_frames(const JointSpec& spec) {
  WorldFrames frames = compute_coinciding_frames(spec);
  frames.axes_b = axes_along(spec.axis2, math::Vec3::Zero());
  return frames;
}

double compute_universal_cosine(const JointSpec& spec) {
  return spec.axis.normalized().dot(spec.axis2.normalized());
}

void set_universal_rows(const JointFrames& frames, double cosine, const BodyMotion& a, const BodyMotion& b,
                        ConstraintRows& out) {
  rows::set_joined_points(out, 0, frames, a, b);
  rows::set_dot_row(out, 3, a, rows::axis_of_a(frames, a, 0), b, rows::axis_of_b(frames, b, 0), cosine);
}

void check_universal(const JointSpec& spec, const Refuse& refuse) {
  if (spec.axis2.isZero(0))
    refuse("a universal joint needs axis2, the axis of its cross that b carries");
  else
    check_plane_of_axes(spec, refuse);
}

}  // namespace

constinit const JointKind joints::universal = {
    .name = "universal",
    .freedom = "two turns, about `axis` carried by a and `axis2` carried by b: a Cardan joint",
    .rows = 4,
    .lengths = 3,
    .needs_axis = true,
    .needs_axis2 = true,
    .axis2 = "the axis b carries",
    .compute_frames = compute_universal_frames,
    .compute_target = compute_universal_cosine,
    .set_rows = set_universal_rows,
    .check = check_universal,
};

}  // namespace tumble::model
