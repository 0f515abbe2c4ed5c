// What the overlap checker knows of a shape: its support function if it is convex, how deep a point is in it.
// Nothing here is shared with the narrow phase: the checker is its witness.
#pragma once

#include <array>
#include <span>

#include "tumble/collision/shape.h"
#include "tumble/math/quat.h"

namespace tumble::collision::checker {

using math::Mat3;
using math::Pose;
using math::Vec3;

/// A rotation, as a matrix, and a place.
struct Frame {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();  // m
  Vec3 operator*(const Vec3& v) const { return R * v + p; }
  Frame inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// X_AB. The places are subtracted before anything is turned: far from the origin no digits are lost but theirs.
Frame relative_frame(const Pose& X_WA, const Pose& X_WB);

/// The box round a box that was turned and moved.
geometry::Bounds moved(const geometry::Bounds& box, const Frame& X);
inline geometry::Bounds grown(const geometry::Bounds& box, double by) {
  return {box.lower - Vec3::Constant(by), box.upper + Vec3::Constant(by)};
}

/// Weights (a convex combination) of the point of a triangle, or of what is left of it, nearest to `point`.
Vec3 nearest_weights(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);
/// Squared distance of a point from a segment and from a triangle.
double squared_distance(const Vec3& point, const Vec3& a, const Vec3& b);
double squared_distance(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);
/// Of two segments.
double squared_distance_of_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b);

/// A convex set: a core, and all within `margin` of it.
struct Convex {
  enum class Core { segment, box, cylinder, cone, points };
  Core core = Core::segment;
  Vec3 half = Vec3::Zero();  // m: half extents; of round cores radius, half length along y, 0. A point: all 0
  double margin = 0;         // m
  std::span<const Vec3> points = {};
  double reach = 0;  // m, from the origin of its frame

  /// A point of the core farthest along `direction`.
  Vec3 support(const Vec3& direction) const;
};

/// Of every shape that is convex by itself; nothing for planes and what is made of triangles.
bool is_round_or_box(const Shape& shape);
Convex convex_of(const Shape& shape);
Convex convex_of(std::span<const Vec3> points);

/// Negative inside. The shape is one with is_round_or_box.
double signed_distance(const Shape& shape, const Vec3& point);

}  // namespace tumble::collision::checker
