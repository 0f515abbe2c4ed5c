// Constant-velocity joint: two shafts that rotate at the same rate, at any angle between them.
//   C = [ x_b + t - x_a - s ;  2 e_0 . d_v ] = 0                                   4 rows
// [d_w, d_v] is the quaternion of F_a^T F_b. The last row prevents a rotation of b relative to a about the
// joint's axis. The shortest rotation from axis (the shaft of a) to axis2 (the shaft of b) maps the joint
// axes of a to those of b.
#include "tumble/math/quat.h"
#include "tumble/model/joint_check.h"
#include "tumble/model/joints/axis_rows.h"

namespace tumble::model {

namespace {

// The shortest rotation from the direction of u to the direction of v. They must not be opposite.
math::Mat3 shortest_rotation(const math::Vec3& u, const math::Vec3& v) {
  const math::Vec3 m = u.normalized(), n = v.normalized(), axis = m.cross(n);
  return math::Quat::from_wxyz(1 + m.dot(n), axis.x(), axis.y(), axis.z()).normalized().to_matrix();
}

WorldFrames compute_shaft_frames(const JointSpec& spec) {
  WorldFrames frames = compute_coinciding_frames(spec);
  if (spec.axis2.isZero(0)) return frames;
  frames.axes_a = axes_along(spec.axis, math::Vec3::Zero());
  frames.axes_b = shortest_rotation(spec.axis, spec.axis2) * frames.axes_a;
  return frames;
}

void set_constant_velocity_rows(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                                ConstraintRows& out) {
  rows::set_joined_points(out, 0, frames, a, b);
  rows::set_rotation_row(out, 3, rows::compute_relative_rotation(frames, a, b), 0, a, b);
}

void check_shafts(const JointSpec& spec, const Refuse& refuse) {
  if (!spec.axis2.isZero(0) && are_parallel(spec.axis, spec.axis2) && spec.axis.dot(spec.axis2) < 0)
    refuse("axis2, the shaft of b, points straight back along axis");
}

}  // namespace

constinit const JointKind joints::constant_velocity = {
    .name = "constant-velocity",
    .freedom = "the bend of two shafts, which turn equally at any bend",
    .rows = 4,
    .lengths = 3,
    .needs_axis = true,
    .axis2 = "the shaft of b",
    .swing = SwingForm::cone,
    .compute_frames = compute_shaft_frames,
    .set_rows = set_constant_velocity_rows,
    .check = check_shafts,
};

}  // namespace tumble::model
