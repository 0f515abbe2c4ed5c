// The row blocks joints are made of. x, R, v, w are the centre of mass, rotation, velocity and angular velocity of a
// and b; s, t the arms of the joint's points from the centres of mass, r = x_b + t - x_a; everything in world axes.
// Every block is of b relative to a, with wr = w_b - w_a and cen(w, r) = w x (w x r):
//   point       C = x_b + t - x_a - s              J = [-1, [s]x, 1, -[t]x]
//               bias = cen(w_b, t) - cen(w_a, s)                                                            (1)
//   dot         C = d_a . d_b - c                  J = [0, d_a x d_b, 0, -(d_a x d_b)]
//               bias = cen(w_a, d_a) . d_b + 2 (w_a x d_a) . (w_b x d_b) + d_a . cen(w_b, d_b)              (2)
//   plane       C = n . (r - s), n carried by a    J = [-n, -(r x n), n, t x n]
//               bias = n . cen(w_b, t) + 2 (w_a x n) . (v_b + w_b x t - v_a) + r . cen(w_a, n)              (3)
//   rotation    C = 2 m . d_v                      J = [0, -g, 0, g],  g = F_a (d_w m + d_v x m)
//               bias = -1/4 |wr|^2 C + g . (w_b x w_a)                                                      (4)
//   twist       C = atan2(D21 - D12, D11 + D22)    J = [0, -k, 0, k],  k = (u_a + u_b) / (1 + u_a . u_b)
//               bias = wr . k'                                                                              (5)
//   distance    C = |D| - l,  D = r - s, n = D/|D| J = [-n, -(s x n), n, t x n]
//               bias = n . (cen(w_b, t) - cen(w_a, s)) + |D'- (n . D') n|^2 / |D|                           (6)
//   swing       C = (p^2 - theta^2) / 2p, theta the angle from u_a to u_b, p the largest allowed
//               J = f/p times that of (2),  bias = (f B + f' y^2) / p                                       (7)
// F_a, F_b are the joint's axes as a and b carry them, D = F_a^T F_b, [d_w, d_v] its quaternion with d_w >= 0, m a unit
// vector in the joint's axes, u = F e_0 the joint's axis. In (7), y and B are the rate and bias of (2), and
// f(c) = theta / sin(theta) with c = u_a . u_b. Angle and half its square have the same slope at theta = p, but the
// square is smooth at theta = 0 as well. A rotation vector r(t) to be followed turns F_a into F_a E, E = exp(r),
//   w_E = r' + (1 - cos p)/p^2 r x r' + (p - sin p)/p^3 r x (r x r'),  p = |r|,  E' = [w_E]x E
//   followed    (4) with w_a + F_a w_E for w_a,  dC/dt = -g . F_a w_E,
//               bias less g . (w_a x F_a w_E + F_a w_E')                                                    (8)
#pragma once

#include "tumble/math/taylor.h"
#include "tumble/model/constraint.h"

namespace tumble::model {

/// Where a joint sits in its two bodies. Without a body the arm is a world point and the axes are world axes.
struct JointFrames {
  math::Vec3 arm_A = math::Vec3::Zero(), arm_B = math::Vec3::Zero();  // m, from the centre of mass, body axes
  /// Columns: the joint's axis and two across it, in body axes. They coincide in the world where the joint's
  /// coordinates are zero.
  math::Mat3 R_AJ = math::Mat3::Identity(), R_BJ = math::Mat3::Identity();
};

/// What a limit, spring or script of a joint is about: (5); (3) for the joint's axis; (6) without l.
enum class Coordinate { angle, travel, distance };

namespace rows {

using math::Mat3;
using math::Vec3;

/// w x (w x r) = (w . r) w - (w . w) r
inline Vec3 centripetal(const Vec3& w, const Vec3& r) {
  const double along = w[0] * r[0] + w[1] * r[1] + w[2] * r[2],
               square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  return Vec3(along * w[0] - square * r[0], along * w[1] - square * r[1], along * w[2] - square * r[2]);
}
/// R r, number by number: small vectors that were just written are read back faster that way than in pairs.
inline Vec3 turned_by(const Mat3& R, const Vec3& r) {
  return Vec3(R(0, 0) * r[0] + R(0, 1) * r[1] + R(0, 2) * r[2],
              R(1, 0) * r[0] + R(1, 1) * r[1] + R(1, 2) * r[2],
              R(2, 0) * r[0] + R(2, 1) * r[1] + R(2, 2) * r[2]);
}

/// One whole row without dC/dt.
inline void set_row(ConstraintRows& out, int i, double value, double bias, const Vec3& v_a, const Vec3& w_a,
                    const Vec3& v_b, const Vec3& w_b) {
  out.value[i] = value;
  out.rate[i] = 0;
  out.bias[i] = bias;
  for (int k = 0; k < 3; ++k) {
    out.J_a[i][k] = v_a[k];
    out.J_a[i][k + 3] = w_a[k];
    out.J_b[i][k] = v_b[k];
    out.J_b[i][k + 3] = w_b[k];
  }
}

/// A row that turns alone: J = [0, -k, 0, k].
inline void set_angular_row(ConstraintRows& out, int i, double value, double bias, const Vec3& k) {
  set_row(out, i, value, bias, Vec3::Zero(), -k, Vec3::Zero(), k);
}

/// Equation (1): rows i to i + 2.
inline void set_point_rows(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s,
                           const BodyMotion& b, const Vec3& t) {
  const Vec3 cen_a = centripetal(a.angular_velocity, s), cen_b = centripetal(b.angular_velocity, t);
  for (int row = 0; row < 3; ++row) {
    // Number by number: the rows of a matrix of mostly zeros are written faster than computed.
    const int j = (row + 1) % 3, k = (row + 2) % 3;
    double *J_a = out.J_a[i + row], *J_b = out.J_b[i + row];
    out.value[i + row] = (b.center[row] - a.center[row]) + (t[row] - s[row]);
    out.rate[i + row] = 0;
    out.bias[i + row] = cen_b[row] - cen_a[row];
    J_a[row] = -1, J_a[j] = 0, J_a[k] = 0;
    J_b[row] = 1, J_b[j] = 0, J_b[k] = 0;
    J_a[3 + row] = 0, J_a[3 + j] = -s[k], J_a[3 + k] = s[j];
    J_b[3 + row] = 0, J_b[3 + j] = t[k], J_b[3 + k] = -t[j];
  }
}

/// Equation (2).
inline void set_dot_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& d_a, const BodyMotion& b,
                        const Vec3& d_b, double target) {
  const Vec3 turn_a = a.angular_velocity.cross(d_a), turn_b = b.angular_velocity.cross(d_b);
  const double bias = a.angular_velocity.cross(turn_a).dot(d_b) + 2 * turn_a.dot(turn_b) +
                      d_a.dot(b.angular_velocity.cross(turn_b));
  set_angular_row(out, i, d_a.dot(d_b) - target, bias, d_b.cross(d_a));
}

/// Equation (3): how far b's point lies beyond the plane through a's point with normal n, which a carries.
inline void set_plane_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s, const Vec3& n,
                          const BodyMotion& b, const Vec3& t) {
  const Vec3 r = (b.center - a.center) + t, turn = a.angular_velocity.cross(n);
  const double bias = n.dot(centripetal(b.angular_velocity, t)) +
                      2 * turn.dot(b.velocity_at(t) - a.velocity) + r.dot(a.angular_velocity.cross(turn));
  set_row(out, i, n.dot(r - s), bias, -n, n.cross(r), n, t.cross(n));
}

/// How b is turned against a.
struct RelativeRotation {
  Mat3 F_a;  // the joint's axes as a carries them
  double w;  // d_w >= 0
  Vec3 v;    // d_v, in the joint's axes
};
RelativeRotation compute_relative_rotation(const JointFrames& frames, const BodyMotion& a,
                                           const BodyMotion& b);

/// The quaternion of a rotation with w >= 0.
struct PositiveQuaternion {
  double w;
  Vec3 v;
};
PositiveQuaternion to_quaternion(const Mat3& rotation);

/// Equation (4) for the joint's axis e_m.
void set_rotation_row(ConstraintRows& out, int i, const RelativeRotation& d, int m, const BodyMotion& a,
                      const BodyMotion& b);
/// Equation (4): rows i to i + 2.
void set_rotation_rows(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                       const BodyMotion& b);
/// A rotation E that depends on time: E' = [w]x E.
struct RotationOverTime {
  Mat3 E;
  Vec3 w, w_rate;  // rad/s, rad/s^2
};
/// E = exp(r) of a rotation vector with its derivatives.
RotationOverTime follow_rotation_vector(const math::Taylor (&r)[3]);
/// The rotation of a quaternion w x y z of any length, with its derivatives.
RotationOverTime follow_quaternion(const math::Taylor (&q)[4]);
/// Equation (8): rows i to i + 2; E is the rotation of b against a in the joint's axes.
void set_followed_rotation_rows(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                                const BodyMotion& b, const RotationOverTime& followed);
/// Equation (5), on the branch (middle - pi, middle + pi].
void set_twist_row(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                   const BodyMotion& b, double middle);
/// Equation (6).
void set_distance_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s, const BodyMotion& b,
                      const Vec3& t, double length);
/// Equation (7).
void set_swing_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& u_a, const BodyMotion& b,
                   const Vec3& u_b, double largest);

/// Where the angle of a joint is counted: its place among Model::counted_hinges(), or none.
inline constexpr int kNotCounted = -1;
/// Which turn an angle is on: that of the counted one, else that round `otherwise`. b is that of the joint.
inline double turn_of(int counted, const BodyMotion& b, double otherwise) {
  return counted == kNotCounted || b.hinge_angles == nullptr ? otherwise : b.hinge_angles[counted];
}

/// The coordinate itself; an angle on the branch round `middle`.
void set_coordinate_row(ConstraintRows& out, int i, Coordinate coordinate, const JointFrames& frames,
                        const BodyMotion& a, const BodyMotion& b, double middle);

/// The angle plus whole turns that lies nearest to `middle`.
double nearest_turn(double angle, double middle);

}  // namespace rows
}  // namespace tumble::model
