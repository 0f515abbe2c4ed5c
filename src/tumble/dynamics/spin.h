// The rotation of a body from the numbers of a state: the inner loop of smooth motion. With v the vector part
// of the quaternion q, of any length but 0, and L the angular momentum,
//   R^T L = L + 2/|q|^2 (w u + u x v),   u = L x v       (the division overlaps with the products)    (1)
//   omega = I_body^-1 R^T L   in body axes                                                            (2)
#pragma once

#include "tumble/math/types.h"

namespace tumble::dynamics {

/// (1) and (2).
struct Spin {
  double momentum[3], omega[3];                              // in body axes
  Spin(const double* q, const double* I, const double* L) {  // I: xx yy zz xy xz yz of the inverse inertia
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double s = 2 / (w * w + x * x + y * y + z * z);
    const double ux = L[1] * z - L[2] * y, uy = L[2] * x - L[0] * z, uz = L[0] * y - L[1] * x;
    const double a = momentum[0] = L[0] + s * (w * ux + (uy * z - uz * y));
    const double b = momentum[1] = L[1] + s * (w * uy + (uz * x - ux * z));
    const double c = momentum[2] = L[2] + s * (w * uz + (ux * y - uy * x));
    omega[0] = I[0] * a + I[3] * b + I[4] * c;
    omega[1] = I[3] * a + I[1] * b + I[5] * c;
    omega[2] = I[4] * a + I[5] * b + I[2] * c;
  }
};

inline math::Vec3 vec3(const double* v) { return math::Vec3(v[0], v[1], v[2]); }

/// The rotation matrix of q/|q|, without a square root.
inline math::Mat3 rotation_from(const double* q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2 / (w * w + x * x + y * y + z * z);
  const double sx = s * x, sy = s * y, sz = s * z, wx = w * sx, wy = w * sy, wz = w * sz;
  const double xx = x * sx, xy = x * sy, xz = x * sz, yy = y * sy, yz = y * sz, zz = z * sz;
  math::Mat3 R;
  R(0, 0) = 1 - (yy + zz), R(0, 1) = xy - wz, R(0, 2) = xz + wy;
  R(1, 0) = xy + wz, R(1, 1) = 1 - (xx + zz), R(1, 2) = yz - wx;
  R(2, 0) = xz - wy, R(2, 1) = yz + wx, R(2, 2) = 1 - (xx + yy);
  return R;
}

}  // namespace tumble::dynamics
