#include "tumble/math/quat.h"

#include <algorithm>

namespace tumble::math {

Quat Quat::from_rotation_vector(const Vec3& r) {
  const double angle = r.norm();
  const double half = 0.5 * angle;
  // Use the series of sin(a/2)/a where the quotient would lose digits. The next term is a^4/3840 < 1e-20.
  constexpr double kSmallAngle = 1e-4;  // rad
  const double s = angle < kSmallAngle ? 0.5 - angle * angle / 48 : sin(half) / angle;
  return Quat(cos(half), s * r.x(), s * r.y(), s * r.z());
}

Quat Quat::from_axis_angle(const Vec3& axis, double angle) {
  const Vec3 unit = axis / axis.norm();
  const double s = sin(0.5 * angle);
  return Quat(cos(0.5 * angle), s * unit.x(), s * unit.y(), s * unit.z());
}

Quat Quat::from_matrix(const Mat3& R) {
  // Compute the largest of the four components from the diagonal, the others from it. This avoids
  // cancellation.
  const double trace = R.trace();
  if (trace >= std::max({R(0, 0), R(1, 1), R(2, 2)})) {
    const double s = sqrt(1 + trace);
    return Quat(0.5 * s, (R(2, 1) - R(1, 2)) / (2 * s), (R(0, 2) - R(2, 0)) / (2 * s),
                (R(1, 0) - R(0, 1)) / (2 * s))
        .normalized();
  }
  int i = 0;
  if (R(1, 1) > R(i, i)) i = 1;
  if (R(2, 2) > R(i, i)) i = 2;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double s = sqrt(1 + R(i, i) - R(j, j) - R(k, k));
  Vec3 v;
  v[i] = 0.5 * s;
  v[j] = (R(i, j) + R(j, i)) / (2 * s);
  v[k] = (R(i, k) + R(k, i)) / (2 * s);
  return Quat((R(k, j) - R(j, k)) / (2 * s), v.x(), v.y(), v.z()).normalized();
}

Vec3 Quat::to_rotation_vector() const {
  const double sign = w_ < 0 ? -1.0 : 1.0;
  const Vec3 v = sign * vec();
  const double s = v.norm();
  const double half = atan2(s, sign * w_);
  constexpr double kSmallSine = 1e-8;  // its square is below rounding, so angle and sine are equal
  return s < kSmallSine ? Vec3(2 * v) : Vec3(2 * half / s * v);
}

double angle_between(const Quat& a, const Quat& b) {
  const Quat d = a.conjugate() * b;
  return 2 * atan2(d.vec().norm(), std::abs(d.w()));
}

}  // namespace tumble::math
