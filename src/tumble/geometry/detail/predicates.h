// Geometric predicates orient3d and orient2d: signs of determinants of coordinates. They are exact for every
// input that does not overflow or underflow. A floating-point filter decides first, exact arithmetic decides
// the rest. [Shewchuk 1997]
#pragma once

#include <cmath>

#include "tumble/math/types.h"

namespace tumble::geometry::detail {

/// Sign of det(u, v, w) for vectors whose components have at most one rounding error each. 0 if rounding
/// could have changed the sign.
inline int filtered_sign(const math::Vec3& u, const math::Vec3& v, const math::Vec3& w) {
  // Shewchuk's bound for orient3d is (7 + 56 e) e times the sum of the absolute products, e = 2^-53.
  constexpr double kBound = 7.7715611723761027e-16;
  const double xy = u.x() * v.y(), yx = u.y() * v.x();
  const double yz = u.y() * v.z(), zy = u.z() * v.y();
  const double zx = u.z() * v.x(), xz = u.x() * v.z();
  const double det = (yz - zy) * w.x() + (zx - xz) * w.y() + (xy - yx) * w.z();
  const double sum = (std::abs(yz) + std::abs(zy)) * std::abs(w.x()) +
                     (std::abs(zx) + std::abs(xz)) * std::abs(w.y()) +
                     (std::abs(xy) + std::abs(yx)) * std::abs(w.z());
  return det > kBound * sum ? 1 : det < -kBound * sum ? -1 : 0;
}

/// Sign of ((b - a) x (c - a)) . (d - a). +1 if a, b, c are counter-clockwise as seen from d, 0 only if the
/// four points lie in one plane.
int orient3d(const math::Vec3& a, const math::Vec3& b, const math::Vec3& c, const math::Vec3& d);

/// The same for three points projected along an axis (0, 1, 2 for x, y, z). +1 for a left turn in the other
/// two coordinates, taken in cyclic order.
int orient2d(int axis, const math::Vec3& a, const math::Vec3& b, const math::Vec3& c);

/// An axis along which the projected triangle has an area, or -1 if the three points lie in one line.
int find_projection_axis(const math::Vec3& a, const math::Vec3& b, const math::Vec3& c);

}  // namespace tumble::geometry::detail
