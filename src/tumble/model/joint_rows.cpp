#include "tumble/model/joint_rows.h"

#include "tumble/math/quat.h"
#include "tumble/model/swing.h"

namespace tumble::model::rows {

double nearest_turn(double angle, double middle) {
  return middle + std::remainder(angle - middle, 2 * math::kPi);
}

RelativeRotation compute_relative_rotation(const JointFrames& frames, const BodyMotion& a,
                                           const BodyMotion& b) {
  RelativeRotation d;
  d.F_a = a.rotation * frames.R_AJ;
  const Mat3 D = d.F_a.transpose() * (b.rotation * frames.R_BJ);
  const double trace = D.trace();
  if (trace > 0) {  // less than 120 degrees, where a joint that holds always is: no cancellation in the root
    const double root = math::sqrt(1 + trace), quarter = 0.5 / root;
    d.w = 0.5 * root;
    d.v = quarter * Vec3(D(2, 1) - D(1, 2), D(0, 2) - D(2, 0), D(1, 0) - D(0, 1));
  } else {
    const math::Quat q = math::Quat::from_matrix(D);
    d.w = std::abs(q.w());
    d.v = q.w() < 0 ? Vec3(-q.vec()) : q.vec();
  }
  return d;
}

void set_rotation_row(ConstraintRows& out, int i, const RelativeRotation& d, int m, const BodyMotion& a,
                      const BodyMotion& b) {
  const Vec3 axis = Vec3::Unit(m), g = d.F_a * (d.w * axis + d.v.cross(axis));
  const double C = 2 * d.v[m];
  const double bias = g.dot(b.angular_velocity.cross(a.angular_velocity)) -
                      0.25 * (b.angular_velocity - a.angular_velocity).squaredNorm() * C;
  set_angular_row(out, i, C, bias, g);
}

void set_rotation_rows(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                       const BodyMotion& b) {
  const RelativeRotation d = compute_relative_rotation(frames, a, b);
  for (int m = 0; m < 3; ++m) set_rotation_row(out, i + m, d, m, a, b);
}

void set_twist_row(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                   const BodyMotion& b, double middle) {
  const Mat3 F_a = a.rotation * frames.R_AJ, F_b = b.rotation * frames.R_BJ;
  const double sine = F_a.col(2).dot(F_b.col(1)) - F_a.col(1).dot(F_b.col(2));
  const double cosine = F_a.col(1).dot(F_b.col(1)) + F_a.col(2).dot(F_b.col(2));
  const Vec3 u_a = F_a.col(0), u_b = F_b.col(0);
  const Vec3 turn_a = a.angular_velocity.cross(u_a), turn_b = b.angular_velocity.cross(u_b);
  const double inverse = 1 / (1 + u_a.dot(u_b));
  const Vec3 k = inverse * (u_a + u_b);
  const Vec3 k1 = inverse * ((turn_a + turn_b) - (turn_a.dot(u_b) + u_a.dot(turn_b)) * k);
  set_angular_row(out, i, nearest_turn(math::atan2(sine, cosine), middle),
                  k1.dot(b.angular_velocity - a.angular_velocity), k);
}

void set_distance_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s, const BodyMotion& b,
                      const Vec3& t, double length) {
  const Vec3 D = (b.center - a.center) + (t - s);
  const double distance = D.norm();
  const Vec3 n = D / distance, rate = b.velocity_at(t) - a.velocity_at(s), across = rate - n.dot(rate) * n;
  const double bias = n.dot(centripetal(b.angular_velocity, t) - centripetal(a.angular_velocity, s)) +
                      across.squaredNorm() / distance;
  set_row(out, i, distance - length, bias, -n, n.cross(s), n, t.cross(n));
}

void set_swing_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& u_a, const BodyMotion& b,
                   const Vec3& u_b, double largest) {
  set_dot_row(out, i, a, u_a, b, u_b, 0);
  const Vec3 k = u_b.cross(u_a);
  const double rate = k.dot(b.angular_velocity - a.angular_velocity);
  // One Taylor number along c gives f and f'.
  const math::Taylor c(u_a.dot(u_b), 1, 0), f = angle_over_sine(c);
  const double sine = k.norm(), angle = math::atan2(sine, c.value);
  set_angular_row(out, i, 0.5 * (largest - angle * angle / largest),
                  (f.value * out.bias[i] + f.first * rate * rate) / largest, f.value / largest * k);
}

}  // namespace tumble::model::rows
