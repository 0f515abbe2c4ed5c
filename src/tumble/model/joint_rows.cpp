#include "tumble/model/joint_rows.h"

#include "tumble/math/quat.h"
#include "tumble/model/auto_constraint.h"
#include "tumble/model/swing.h"

namespace tumble::model::rows {

double nearest_branch(double angle, double middle) {
  return middle + std::remainder(angle - middle, 2 * math::kPi);
}

PositiveQuaternion to_quaternion(const Mat3& D) {
  const double trace = D(0, 0) + D(1, 1) + D(2, 2);
  if (trace > 0) {  // an angle below 120 degrees: no cancellation in the root; the rows of a joint stay here
    const double root = math::sqrt(1 + trace), quarter = 0.5 / root;
    return {0.5 * root, quarter * Vec3(D(2, 1) - D(1, 2), D(0, 2) - D(2, 0), D(1, 0) - D(0, 1))};
  }
  const math::Quat q = math::Quat::from_matrix(D);
  return {std::abs(q.w()), q.w() < 0 ? Vec3(-q.vec()) : q.vec()};
}

RelativeRotation compute_relative_rotation(const JointFrames& frames, const BodyMotion& a,
                                           const BodyMotion& b) {
  const Mat3 F_a = a.rotation * frames.R_AJ;
  const PositiveQuaternion d = to_quaternion(F_a.transpose() * (b.rotation * frames.R_BJ));
  return {F_a, d.w, d.v};
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

namespace {

// (1 - cos p)/p^2 and (p - sin p)/p^3 as functions of q = p^2. For small q the quotients lose digits. There
// the power series are used: the sums of (-q)^n / (2n + 2)! and of (-q)^n / (2n + 3)!.
struct RotationVectorFactors {
  math::Taylor first, second;
};

RotationVectorFactors compute_rotation_vector_factors(const math::Taylor& q) {
  if (q < 1.0) {
    constexpr int kTerms = 8;  // the first omitted term is below 1 / 18!
    math::Taylor first = 1.0, second = 1.0;
    for (int n = kTerms; n > 0; --n) {
      first = 1.0 - q / ((2.0 * n + 1) * (2.0 * n + 2)) * first;
      second = 1.0 - q / ((2.0 * n + 2) * (2.0 * n + 3)) * second;
    }
    return {first * (1.0 / 2), second * (1.0 / 6)};
  }
  const math::Taylor p = sqrt(q);
  return {(1.0 - cos(p)) / q, (p - sin(p)) / (p * q)};
}

}  // namespace

RotationOverTime follow_rotation_vector(const math::Taylor (&r)[3]) {
  using Vector = Eigen::Matrix<math::Taylor, 3, 1>;
  // The Taylor numbers of w have valid values and first derivatives. Their second derivatives are not valid.
  Vector along, slope;
  Vec3 now;
  for (int k = 0; k < 3; ++k) {
    along[k] = r[k], slope[k] = math::Taylor(r[k].first, r[k].second, 0);
    now[k] = r[k].value;
  }
  const RotationVectorFactors factor = compute_rotation_vector_factors(along.dot(along));
  const Vector across = along.cross(slope);
  const Vector w = slope + factor.first * across + factor.second * along.cross(across);
  return {math::Quat::from_rotation_vector(now).to_matrix(), Vec3(w[0].value, w[1].value, w[2].value),
          Vec3(w[0].first, w[1].first, w[2].first)};
}

// For a unit quaternion q, w = 2 q' q* and w' is the vector part of 2 q'' q*. The other term of the product
// rule, 2 q' (q*)', is a real number.
RotationOverTime follow_quaternion(const math::Taylor (&q)[4]) {
  const math::Taylor inverse = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  math::Taylor u[4];
  for (int k = 0; k < 4; ++k) u[k] = q[k] * inverse;
  const math::Quat now = math::Quat::from_wxyz(u[0].value, u[1].value, u[2].value, u[3].value);
  const math::Quat first = math::Quat::from_wxyz(u[0].first, u[1].first, u[2].first, u[3].first);
  const math::Quat second = math::Quat::from_wxyz(u[0].second, u[1].second, u[2].second, u[3].second);
  return {now.to_matrix(), 2 * (first * now.conjugate()).vec(), 2 * (second * now.conjugate()).vec()};
}

void set_followed_rotation_rows(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                                const BodyMotion& b, const RotationOverTime& followed) {
  const Mat3 F_a = a.rotation * frames.R_AJ;
  const Vec3 w_E = F_a * followed.w;
  const Vec3 slope_E = F_a * followed.w_rate + a.angular_velocity.cross(w_E);

  JointFrames rotated = frames;
  rotated.R_AJ = frames.R_AJ * followed.E;
  BodyMotion carrier = a;
  carrier.angular_velocity += w_E;
  set_rotation_rows(out, i, rotated, carrier, b);
  for (int row = i; row < i + 3; ++row) {
    const Vec3 g(out.J_b[row][3], out.J_b[row][4], out.J_b[row][5]);
    out.rate[row] = -g.dot(w_E);
    out.bias[row] -= g.dot(slope_E);
  }
}

void set_twist_row(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                   const BodyMotion& b, double middle) {
  const Mat3 F_a = a.rotation * frames.R_AJ, F_b = b.rotation * frames.R_BJ;
  const double sine = F_a.col(2).dot(F_b.col(1)) - F_a.col(1).dot(F_b.col(2));
  const double cosine = F_a.col(1).dot(F_b.col(1)) + F_a.col(2).dot(F_b.col(2));
  const Vec3 u_a = F_a.col(0), u_b = F_b.col(0);
  const Vec3 rate_a = a.angular_velocity.cross(u_a), rate_b = b.angular_velocity.cross(u_b);
  const double inverse = 1 / (1 + u_a.dot(u_b));
  const Vec3 k = inverse * (u_a + u_b);
  const Vec3 k1 = inverse * ((rate_a + rate_b) - (rate_a.dot(u_b) + u_a.dot(rate_b)) * k);
  set_angular_row(out, i, nearest_branch(math::atan2(sine, cosine), middle),
                  k1.dot(b.angular_velocity - a.angular_velocity), k);
}

void set_distance_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s, const BodyMotion& b,
                      const Vec3& t, double length) {
  const Vec3 D = (b.center - a.center) + (t - s);
  const double distance = D.norm();
  // If the points coincide, the direction is undefined and n = 0. A slack rope can reach this state. It needs
  // no direction.
  const double inverse = distance > 0 ? 1 / distance : 0;
  const Vec3 n = inverse * D, rate = b.velocity_at(t) - a.velocity_at(s), across = rate - n.dot(rate) * n;
  const double bias = n.dot(centripetal(b.angular_velocity, t) - centripetal(a.angular_velocity, s)) +
                      inverse * across.squaredNorm();
  set_row(out, i, distance - length, bias, -n, n.cross(s), n, t.cross(n));
}

void set_swing_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& u_a, const BodyMotion& b,
                   const Vec3& u_b, double largest) {
  set_dot_row(out, i, a, u_a, b, u_b, 0);
  const Vec3 k = u_b.cross(u_a);
  const double rate = k.dot(b.angular_velocity - a.angular_velocity);
  // Differentiating with respect to c gives f and f'.
  const math::Taylor c(u_a.dot(u_b), 1, 0), f = angle_over_sine(c);
  const double sine = k.norm(), angle = math::atan2(sine, c.value);
  set_angular_row(out, i, 0.5 * (largest - angle * angle / largest),
                  (f.value * out.bias[i] + f.first * rate * rate) / largest, f.value / largest * k);
}

void set_coordinate_row(ConstraintRows& out, int i, Coordinate coordinate, const JointFrames& frames,
                        const BodyMotion& a, const BodyMotion& b, double middle) {
  if (coordinate == Coordinate::angle) return set_twist_row(out, i, frames, a, b, middle);
  const Vec3 s = turned_by(a.rotation, frames.arm_A), t = turned_by(b.rotation, frames.arm_B);
  if (coordinate == Coordinate::travel)
    set_plane_row(out, i, a, s, a.rotation * frames.R_AJ.col(0), b, t);
  else
    set_distance_row(out, i, a, s, b, t, 0);
}

}  // namespace tumble::model::rows
