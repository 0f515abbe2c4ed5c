// The constraint rows that joints are composed of. For the bodies a and b, x, R, v, w are the centre of mass,
// rotation, velocity and angular velocity. s and t are the arms from the centres of mass of a and b to the
// joint's points, and r = x_b + t - x_a. All vectors are in world axes. Every row describes b relative to a.
// wr = w_b - w_a, cen(w, r) = w x (w x r).
//   point       C = x_b + t - x_a - s              J = [-1, [s]x, 1, -[t]x]
//               bias = cen(w_b, t) - cen(w_a, s)                                                          (1)
//   dot         C = d_a . d_b - c                  J = [0, d_a x d_b, 0, -(d_a x d_b)]
//               bias = cen(w_a, d_a) . d_b + 2 (w_a x d_a) . (w_b x d_b) + d_a . cen(w_b, d_b)            (2)
//   plane       C = n . (r - s), n fixed in a      J = [-n, -(r x n), n, t x n]
//               bias = n . cen(w_b, t) + 2 (w_a x n) . (v_b + w_b x t - v_a) + r . cen(w_a, n)            (3)
//   rotation    C = 2 m . d_v                      J = [0, -g, 0, g],  g = F_a (d_w m + d_v x m)
//               bias = -1/4 |wr|^2 C + g . (w_b x w_a)                                                    (4)
//   twist       C = atan2(D21 - D12, D11 + D22)    J = [0, -k, 0, k],  k = (u_a + u_b) / (1 + u_a . u_b)
//               bias = wr . k'                                                                            (5)
//   distance    C = |D| - l,  D = r - s, n = D/|D| J = [-n, -(s x n), n, t x n]
//               bias = n . (cen(w_b, t) - cen(w_a, s)) + |D'- (n . D') n|^2 / |D|                         (6)
//   swing       C = (p^2 - theta^2) / 2p, theta the angle from u_a to u_b, p the largest allowed angle
//               J = f/p times J of (2),  bias = (f B + f' y^2) / p                                        (7)
// In (4) and (5), F_a and F_b are the joint axes fixed in a and in b, D = F_a^T F_b, and [d_w, d_v] is the
// quaternion of D with d_w >= 0. m is a unit vector in joint axes. u = F e_0 is the joint's axis.
// In (7), y and B are the rate and bias of (2), and f(c) = theta / sin(theta) with c = u_a . u_b. At theta =
// p, C has the same slope as p - theta. Unlike p - theta, it is also smooth at theta = 0. A prescribed
// rotation vector r(t) replaces F_a by F_a E with E = exp(r):
//   w_E = r' + (1 - cos p)/p^2 r x r' + (p - sin p)/p^3 r x (r x r'),  p = |r|,  E' = [w_E]x E
//   prescribed  (4) with w_a + F_a w_E in place of w_a,  dC/dt = -g . F_a w_E,
//               bias minus g . (w_a x F_a w_E + F_a w_E')                                                 (8)
#pragma once

#include "tumble/math/taylor.h"
#include "tumble/model/constraint.h"

namespace tumble::model {

/// The frames of a joint in its two bodies. For the world, the arm is a world point and the axes are world
/// axes.
struct JointFrames {
  math::Vec3 arm_A = math::Vec3::Zero(), arm_B = math::Vec3::Zero();  // m, from the centre of mass, body axes
  /// Columns: the joint's axis and two axes perpendicular to it, in body axes. The two frames coincide in the
  /// world if the joint coordinates are zero.
  math::Mat3 R_AJ = math::Mat3::Identity(), R_BJ = math::Mat3::Identity();
};

/// The scalar joint coordinate of a limit, spring, drive or script: C of (5); C of (3) with n the joint's
/// axis; C of (6) with l = 0.
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
/// R r, computed element by element. Vector instructions would load pairs of elements that were just stored
/// one by one, which stalls store forwarding.
inline Vec3 turned_by(const Mat3& R, const Vec3& r) {
  return Vec3(R(0, 0) * r[0] + R(0, 1) * r[1] + R(0, 2) * r[2],
              R(1, 0) * r[0] + R(1, 1) * r[1] + R(1, 2) * r[2],
              R(2, 0) * r[0] + R(2, 1) * r[1] + R(2, 2) * r[2]);
}

/// Sets one row with dC/dt = 0. v_a, w_a, v_b, w_b are the parts of the Jacobian.
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

/// A purely angular row: J = [0, -k, 0, k].
inline void set_angular_row(ConstraintRows& out, int i, double value, double bias, const Vec3& k) {
  set_row(out, i, value, bias, Vec3::Zero(), -k, Vec3::Zero(), k);
}

/// Equation (1): rows i to i + 2.
inline void set_point_rows(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s,
                           const BodyMotion& b, const Vec3& t) {
  const Vec3 cen_a = centripetal(a.angular_velocity, s), cen_b = centripetal(b.angular_velocity, t);
  for (int row = 0; row < 3; ++row) {
    // Most elements are 0 or 1. Storing these constants is faster than computing them by matrix operations.
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
  const Vec3 rate_a = a.angular_velocity.cross(d_a), rate_b = b.angular_velocity.cross(d_b);
  const double bias = a.angular_velocity.cross(rate_a).dot(d_b) + 2 * rate_a.dot(rate_b) +
                      d_a.dot(b.angular_velocity.cross(rate_b));
  set_angular_row(out, i, d_a.dot(d_b) - target, bias, d_b.cross(d_a));
}

/// Equation (3): the signed distance of b's point from the plane through a's point with normal n, fixed in a.
inline void set_plane_row(ConstraintRows& out, int i, const BodyMotion& a, const Vec3& s, const Vec3& n,
                          const BodyMotion& b, const Vec3& t) {
  const Vec3 r = (b.center - a.center) + t, n_rate = a.angular_velocity.cross(n);
  const double bias = n.dot(centripetal(b.angular_velocity, t)) +
                      2 * n_rate.dot(b.velocity_at(t) - a.velocity) + r.dot(a.angular_velocity.cross(n_rate));
  set_row(out, i, n.dot(r - s), bias, -n, n.cross(r), n, t.cross(n));
}

/// The rotation of b relative to a.
struct RelativeRotation {
  Mat3 F_a;  // the joint axes fixed in a
  double w;  // d_w >= 0
  Vec3 v;    // d_v, in joint axes
};
RelativeRotation compute_relative_rotation(const JointFrames& frames, const BodyMotion& a,
                                           const BodyMotion& b);

/// The quaternion of a rotation with w >= 0.
struct PositiveQuaternion {
  double w;
  Vec3 v;
};
PositiveQuaternion to_quaternion(const Mat3& rotation);

/// Equation (4) for the joint axis e_m.
void set_rotation_row(ConstraintRows& out, int i, const RelativeRotation& d, int m, const BodyMotion& a,
                      const BodyMotion& b);
/// Equation (4): rows i to i + 2.
void set_rotation_rows(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                       const BodyMotion& b);
/// A time-dependent rotation E with E' = [w]x E.
struct RotationOverTime {
  Mat3 E;
  Vec3 w, w_rate;  // rad/s, rad/s^2
};
/// E = exp(r) of a time-dependent rotation vector r.
RotationOverTime follow_rotation_vector(const math::Taylor (&r)[3]);
/// The rotation of a time-dependent quaternion (w, x, y, z) of any nonzero length.
RotationOverTime follow_quaternion(const math::Taylor (&q)[4]);
/// Equation (8): rows i to i + 2. E is the prescribed rotation of b relative to a, in joint axes.
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

/// Index into Model::counted_hinges() of a joint whose angle is not unwrapped.
inline constexpr int kNotCounted = -1;
/// The centre of the branch of an angle: the tracked angle if the hinge `counted` is unwrapped, else
/// `otherwise`. `b` is the motion of the joint's body b.
inline double branch_center(int counted, const BodyMotion& b, double otherwise) {
  return counted == kNotCounted || b.hinge_angles == nullptr ? otherwise : b.hinge_angles[counted];
}

/// A row whose C is the joint coordinate. An angle is on the branch (middle - pi, middle + pi].
void set_coordinate_row(ConstraintRows& out, int i, Coordinate coordinate, const JointFrames& frames,
                        const BodyMotion& a, const BodyMotion& b, double middle);

/// The angle plus the multiple of 2 pi that brings it nearest to `middle`.
double nearest_branch(double angle, double middle);

}  // namespace rows
}  // namespace tumble::model
