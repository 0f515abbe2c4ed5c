// Line on line: a line of b always touches a line of a, like two rods that slide on each other.
//   C = f g = 0,  f = n . D,  g = 1/|n|,  n = u_a x u_b,  D = x_b + t - x_a - s    1 row
// u_a = F_a e_0 is axis, u_b = F_b e_0 is axis2. ' is the time derivative.
//   f' = J_f v,  J_f = [ -n, u_a x (u_b x D) - s x n, n, u_b x (D x u_a) + t x n ]
//   g' = -g^3 n . n',  n . n' = w_a . (u_a x (u_b x n)) + w_b . (u_b x (n x u_a))
//   J = g J_f + f J_g,   bias = g f'' + 2 f' g' + f g''
#include "tumble/model/joint_check.h"
#include "tumble/model/joints/axis_rows.h"

namespace tumble::model {

namespace {

using math::Vec3;
using rows::centripetal;

WorldFrames compute_line_frames(const JointSpec& spec) {
  WorldFrames frames = compute_coinciding_frames(spec);
  frames.axes_b = axes_along(spec.axis2, Vec3::Zero());
  return frames;
}

void set_line_on_line_row(const JointFrames& frames, double, const BodyMotion& a, const BodyMotion& b,
                          ConstraintRows& out) {
  const rows::Arms arms = rows::compute_arms(frames, a, b);
  const Vec3 u_a = rows::axis_of_a(frames, a, 0), u_b = rows::axis_of_b(frames, b, 0), n = u_a.cross(u_b);
  const Vec3 D = (b.center - a.center) + (arms.t - arms.s);
  const Vec3 &w_a = a.angular_velocity, &w_b = b.angular_velocity;
  const double f = n.dot(D), g = 1 / n.norm(), g3 = g * g * g;

  const Vec3 u_a1 = w_a.cross(u_a), u_b1 = w_b.cross(u_b);
  const Vec3 n1 = u_a1.cross(u_b) + u_a.cross(u_b1);
  const Vec3 n2 = centripetal(w_a, u_a).cross(u_b) + 2 * u_a1.cross(u_b1) + u_a.cross(centripetal(w_b, u_b));
  const Vec3 D1 = b.velocity_at(arms.t) - a.velocity_at(arms.s);
  const Vec3 D2 = centripetal(w_b, arms.t) - centripetal(w_a, arms.s);
  const double f1 = n1.dot(D) + n.dot(D1), f2 = n2.dot(D) + 2 * n1.dot(D1) + n.dot(D2);
  const double nn1 = n.dot(n1), g1 = -g3 * nn1;
  const double g2 = g3 * (3 * g * g * nn1 * nn1 - n1.squaredNorm() - n.dot(n2));

  const Vec3 angular_a = u_a.cross(u_b.cross(D)) - arms.s.cross(n);
  const Vec3 angular_b = u_b.cross(D.cross(u_a)) + arms.t.cross(n);
  rows::set_row(out, 0, f * g, g * f2 + 2 * f1 * g1 + f * g2, -g * n,
                g * angular_a - f * g3 * u_a.cross(u_b.cross(n)), g * n,
                g * angular_b - f * g3 * u_b.cross(n.cross(u_a)));
}

void check_line_on_line(const JointSpec& spec, const Refuse& refuse) {
  if (spec.axis2.isZero(0))
    refuse("line-on-line needs axis2, the direction of b's line");
  else
    check_plane_of_axes(spec, refuse);
}

}  // namespace

constinit const JointKind joints::line_on_line = {
    .name = "line-on-line",
    .freedom = "a line of b, along `axis2`, slides on a line of a, along `axis`: two rods that always touch",
    .rows = 1,
    .lengths = 1,
    .needs_axis = true,
    .needs_axis2 = true,
    .axis2 = "the direction of b's line",
    .compute_frames = compute_line_frames,
    .set_rows = set_line_on_line_row,
    .check = check_line_on_line,
};

}  // namespace tumble::model
