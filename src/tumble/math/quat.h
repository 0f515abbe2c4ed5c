// Quaternions and poses.
//   q = [w, v],  [a, u][b, v] = [ab - u.v, a v + b u + u x v],  q rotates a vector r to q [0, r] q^-1    (1)
//   q' = 1/2 [0, omega] q  with omega in world axes                                                    (2)
//   exp(r) = [cos(a/2), sin(a/2)/a r],  a = |r|                                                        (3)
#pragma once

#include "tumble/math/elementary.h"
#include "tumble/math/types.h"

namespace tumble::math {

/// A quaternion. It is built by named functions, so that the order of w, x, y, z is explicit. Rotations are
/// unit quaternions.
class Quat {
 public:
  constexpr Quat() = default;
  static constexpr Quat from_wxyz(double w, double x, double y, double z) { return Quat(w, x, y, z); }
  static constexpr Quat identity() { return Quat(); }
  /// Equation (3); r is a rotation vector (axis times angle, rad).
  static Quat from_rotation_vector(const Vec3& r);
  /// The axis need not be a unit vector, but must not be zero.
  static Quat from_axis_angle(const Vec3& axis, double angle);
  /// The unit quaternion of a rotation matrix.
  static Quat from_matrix(const Mat3& R);

  constexpr double w() const { return w_; }
  constexpr double x() const { return x_; }
  constexpr double y() const { return y_; }
  constexpr double z() const { return z_; }
  Vec3 vec() const { return Vec3(x_, y_, z_); }

  double norm() const { return sqrt(w_ * w_ + x_ * x_ + y_ * y_ + z_ * z_); }
  Quat normalized() const {
    const double n = norm();
    return Quat(w_ / n, x_ / n, y_ / n, z_ / n);
  }
  constexpr Quat conjugate() const { return Quat(w_, -x_, -y_, -z_); }
  constexpr Quat operator-() const { return Quat(-w_, -x_, -y_, -z_); }
  constexpr double dot(const Quat& o) const { return w_ * o.w_ + x_ * o.x_ + y_ * o.y_ + z_ * o.z_; }
  constexpr Quat operator*(const Quat& o) const {
    return Quat(w_ * o.w_ - x_ * o.x_ - y_ * o.y_ - z_ * o.z_, w_ * o.x_ + x_ * o.w_ + y_ * o.z_ - z_ * o.y_,
                w_ * o.y_ - x_ * o.z_ + y_ * o.w_ + z_ * o.x_, w_ * o.z_ + x_ * o.y_ - y_ * o.x_ + z_ * o.w_);
  }
  /// Rotates a vector. The quaternion must be a unit quaternion.
  Vec3 operator*(const Vec3& r) const { return to_matrix() * r; }
  /// Rotation matrix of a unit quaternion.
  Mat3 to_matrix() const {
    Mat3 R;
    R << 1 - 2 * (y_ * y_ + z_ * z_), 2 * (x_ * y_ - w_ * z_), 2 * (x_ * z_ + w_ * y_),  //
        2 * (x_ * y_ + w_ * z_), 1 - 2 * (x_ * x_ + z_ * z_), 2 * (y_ * z_ - w_ * x_),   //
        2 * (x_ * z_ - w_ * y_), 2 * (y_ * z_ + w_ * x_), 1 - 2 * (x_ * x_ + y_ * y_);
    return R;
  }
  /// The rotation vector with from_rotation_vector(r) == *this (or its negative), |r| <= pi.
  Vec3 to_rotation_vector() const;

 private:
  constexpr Quat(double w, double x, double y, double z) : w_(w), x_(x), y_(y), z_(z) {}
  double w_ = 1, x_ = 0, y_ = 0, z_ = 0;
};

/// The angle (rad, 0..pi) of the rotation that takes a to b.
double angle_between(const Quat& a, const Quat& b);

/// X_AB: the pose of frame B in frame A; X_AC = X_AB * X_BC.
struct Pose {
  Quat rotation;
  Vec3 translation = Vec3::Zero();

  Pose operator*(const Pose& o) const {
    return {rotation * o.rotation, rotation * o.translation + translation};
  }
  Vec3 operator*(const Vec3& p) const { return rotation * p + translation; }
  Pose inverse() const {
    const Quat back = rotation.conjugate();
    return {back, -(back * translation)};
  }
};

}  // namespace tumble::math
