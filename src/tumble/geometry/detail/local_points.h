// Points moved near the origin and scaled to order one: nothing overflows, and rounding is relative to their
// extent.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "tumble/math/types.h"

namespace tumble::geometry::detail {

/// p -> 2^-exponent p - center. This is exact for points that are far from the origin but near each other.
/// Other points lose half a unit in the last place.
struct LocalFrame {
  int exponent = 0;
  math::Vec3 center = math::Vec3::Zero();
  double magnitude = 0;  // the largest coordinate before centring, in local units, between 1 and 2

  math::Vec3 operator()(const math::Vec3& point) const { return scaled(point, -exponent) - center; }
  /// Converts a local length to the units of the points.
  double length(double local) const { return std::ldexp(local, exponent); }

  static math::Vec3 scaled(const math::Vec3& v, int exponent) {
    return {std::ldexp(v.x(), exponent), std::ldexp(v.y(), exponent), std::ldexp(v.z(), exponent)};
  }
};

/// Needs at least one point. All points must be finite.
inline LocalFrame find_local_frame(std::span<const math::Vec3> points) {
  double largest = 0;
  for (const math::Vec3& p : points) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  LocalFrame frame;
  if (largest == 0) return frame;
  frame.exponent = std::ilogb(largest);
  frame.magnitude = std::ldexp(largest, -frame.exponent);
  math::Vec3 lower = frame(points[0]), upper = lower;
  for (const math::Vec3& p : points) {
    lower = lower.cwiseMin(frame(p));
    upper = upper.cwiseMax(frame(p));
  }
  frame.center = 0.5 * (lower + upper);
  return frame;
}

inline std::vector<math::Vec3> to_local(const LocalFrame& frame, std::span<const math::Vec3> points) {
  std::vector<math::Vec3> local;
  local.reserve(points.size());
  for (const math::Vec3& p : points) local.push_back(frame(p));
  return local;
}

/// The smallest height of a triangle, 0 if its corners lie in one line.
inline double min_height(const math::Vec3& a, const math::Vec3& b, const math::Vec3& c) {
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return longest > 0 ? (b - a).cross(c - a).norm() / std::sqrt(longest) : 0;
}

}  // namespace tumble::geometry::detail
