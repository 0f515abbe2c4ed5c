// On which side? Signs of determinants of coordinates, right for every input that does not overflow or
// underflow: a floating-point filter first, exact arithmetic where it cannot tell. [Shewchuk 1997]
#pragma once

#include <cmath>

#include "tumble/math/types.h"

namespace tumble::geometry::detail {

/// Sign of det(u, v, w) for vectors each of whose components carries one rounding error, or none; 0 when
/// rounding could have changed it.
inline int filtered_sign(const math::Vec3& u, const math::Vec3& v, const math::Vec3& w) {
  // Shewchuk's bound for orient3d, (7 + 56 e) e times the sum of the absolute products, e = 2^-53.
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

/// Sign of ((b - a) x (c - a)) . (d - a): +1 when d lies on the side from which a, b, c turn
/// counter-clockwise, 0 only when the four points are in one plane.
int side_of_plane(const math::Vec3& a, const math::Vec3& b, const math::Vec3& c, const math::Vec3& d);

/// The same for three points seen along an axis (0, 1, 2 for x, y, z): +1 for a left turn in the other two
/// coordinates taken in cyclic order.
int turn_along(int axis, const math::Vec3& a, const math::Vec3& b, const math::Vec3& c);

/// An axis along which the triangle does not look flat, or -1 when the three points are in one line.
int find_axis_of_turn(const math::Vec3& a, const math::Vec3& b, const math::Vec3& c);

}  // namespace tumble::geometry::detail
