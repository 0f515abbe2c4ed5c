// Shapes of the overlap checker: support mappings of convex shapes, and signed distances.
// Shares no code with the narrow phase, since the checker verifies the narrow phase.
#pragma once

#include <array>
#include <span>

#include "tumble/collision/shape.h"
#include "tumble/math/quat.h"

namespace tumble::collision::checker {

using math::Mat3;
using math::Pose;
using math::Vec3;

/// A rotation matrix and a translation.
struct Frame {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();  // m
  Vec3 operator*(const Vec3& v) const { return R * v + p; }
  Frame inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// X_AB. Translations are subtracted before they are rotated, so that no digits are lost far from the origin.
Frame relative_frame(const Pose& X_WA, const Pose& X_WB);

/// Bounding box of a transformed box.
geometry::Bounds moved(const geometry::Bounds& box, const Frame& X);
inline geometry::Bounds grown(const geometry::Bounds& box, double by) {
  return {box.lower - Vec3::Constant(by), box.upper + Vec3::Constant(by)};
}

/// Barycentric weights of the point of a triangle (possibly degenerate) nearest to `point`.
Vec3 nearest_weights(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);
/// Squared distance of a point from a segment and from a triangle.
double squared_distance(const Vec3& point, const Vec3& a, const Vec3& b);
double squared_distance(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);
/// Squared distance of two segments.
double squared_distance_of_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b);

/// A convex set: all points within `margin` of a core.
struct Convex {
  enum class Core { segment, box, cylinder, cone, points };
  Core core = Core::segment;
  Vec3 half = Vec3::Zero();  // m: half extents; round cores: radius, half length along y, 0; a point: all 0
  double margin = 0;         // m
  std::span<const Vec3> points = {};
  double reach = 0;  // m, largest distance from the origin of its frame

  /// Support mapping: a point of the core farthest along `direction`.
  Vec3 support(const Vec3& direction) const;
};

/// True for shapes that are always convex. False for planes and triangle meshes.
bool is_round_or_box(const Shape& shape);
Convex convex_of(const Shape& shape);
Convex convex_of(std::span<const Vec3> points);

/// Negative inside. Requires is_round_or_box(shape).
double signed_distance(const Shape& shape, const Vec3& point);

}  // namespace tumble::collision::checker
