// Vectors and matrices. Column vectors, right-handed axes, SI units.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>  // cross products

namespace tumble::math {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// The matrix with skew(a) * b = a x b.
inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

}  // namespace tumble::math
