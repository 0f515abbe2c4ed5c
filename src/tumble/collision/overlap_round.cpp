// Round shapes against triangles.
//   ball of radius r around a segment:  r - (distance from the surface), negative inside a solid          (1)
//   cylinder and cone K, depth(x) = distance of x from the outside of K, a concave function:
//     largest depth(x) of the points of the surface                                                       (2)
//     and largest distance from the surface of points of K inside: those of its axis, and the support points
//     against each triangle                                                                               (3)
//   a sheet: the minimum translation that takes K off a triangle, the largest over all triangles          (4)
//     and, of the two support points of K along and against the normal of a triangle, if the sheet is between
//     them, the smaller distance from it                                                                  (5)
#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/detail/overlap_directions.h"
#include "tumble/collision/detail/overlap_mesh.h"
#include "tumble/collision/overlap_checker.h"
#include "tumble/collision/overlap_parameters.h"

namespace tumble::collision::checker {

namespace {

double distance_of_segment(const Vec3& p, const Vec3& q, const geometry::TriangleCorners& c) {
  double least = std::min(squared_distance(p, c[0], c[1], c[2]), squared_distance(q, c[0], c[1], c[2]));
  for (size_t i = 0; i < 3; ++i)
    least = std::min(least, squared_distance_of_segments(p, q, c[i], c[(i + 1) % 3]));
  return math::sqrt(least);
}

}  // namespace

double measure_ball(const Triangles& b, const Vec3& from, const Vec3& to, double radius) {
  const geometry::Bounds box{from.cwiseMin(to), from.cwiseMax(to)};
  double distance = std::numeric_limits<double>::infinity();
  bool meets = false;
  b.tree().for_each_overlap(grown(box, radius), [&](uint32_t t) {
    const geometry::TriangleCorners c = b.corners(t);
    distance = std::min(distance, distance_of_segment(from, to, c));
    meets = meets || geometry::segment_touches(from, to, c);
    return true;
  });
  if (b.closed() && (meets || b.contains(from))) return radius + find_deepest(b, from, to, 0);
  if (!meets) return std::max(0.0, radius - distance);
  return radius + std::min(b.nearest(from).distance, b.nearest(to).distance);
}

namespace {

// Positive inside and concave everywhere: the distance from the nearest face, with faces extended to
// infinity.
double depth_in(const Convex& k, const Vec3& p) {
  const double radius = k.half.x(), half = k.half.y();
  const double across = math::sqrt(p.x() * p.x() + p.z() * p.z());
  if (k.core == Convex::Core::cylinder) return std::min(half - std::abs(p.y()), radius - across);
  const double slant = math::sqrt(radius * radius + 4 * half * half);
  return std::min(p.y() + half, ((half - p.y()) * radius - 2 * half * across) / slant);
}

// The largest value of a concave function on [0, 1], by golden section search.
template <typename F>
double find_largest(F&& f) {
  constexpr double kGolden = 0.6180339887498949;  // (sqrt(5) - 1) / 2
  double low = 0, high = 1;
  double x0 = 1 - kGolden, x1 = kGolden, f0 = f(x0), f1 = f(x1), best = std::max({f(0.0), f(1.0), f0, f1});
  for (int i = 0; i < kOverlap.sections; ++i) {
    if (f0 < f1) {
      low = x0, x0 = x1, f0 = f1, x1 = low + kGolden * (high - low), f1 = f(x1);
      best = std::max(best, f1);
    } else {
      high = x1, x1 = x0, f1 = f0, x0 = high - kGolden * (high - low), f0 = f(x0);
      best = std::max(best, f0);
    }
  }
  return best;
}

// (2) for one triangle, in the frame of K.
double find_deepest_in(const Convex& k, const geometry::TriangleCorners& c) {
  return find_largest([&](double s) {
    const Vec3 from = c[0] + s * (c[1] - c[0]), to = c[0] + s * (c[2] - c[0]);
    return find_largest([&](double t) { return depth_in(k, from + t * (to - from)); });
  });
}

// Upper bound on the depth of points of the triangle: the slope of depth is at most 1.
double most_deep_in(const Convex& k, const geometry::TriangleCorners& c) {
  const Vec3 middle = (c[0] + c[1] + c[2]) / 3;
  const double radius = std::max({(c[0] - middle).norm(), (c[1] - middle).norm(), (c[2] - middle).norm()});
  return depth_in(k, middle) + radius;
}

// (4)
double least_off_triangle(const Convex& k, const geometry::TriangleCorners& c) {
  return find_least_translation(k, convex_of(std::span<const Vec3>(c)), {}).depth;
}

bool segment_meets_any(const Triangles& b, const Vec3& p, const Vec3& q) {
  bool meets = false;
  b.tree().for_each_overlap({p.cwiseMin(q), p.cwiseMax(q)}, [&](uint32_t t) {
    meets = geometry::segment_touches(p, q, b.corners(t));
    return !meets;
  });
  return meets;
}

// (5)
double reach_through(const Triangles& b, const Vec3& below, const Vec3& above) {
  if (!segment_meets_any(b, below, above)) return 0;
  return std::min(b.nearest(below).distance, b.nearest(above).distance);
}

}  // namespace

double measure_round(const Shape& shape, const Triangles& b, const Frame& X_BS) {
  const Convex k = convex_of(shape);
  const Frame X_SB = X_BS.inverse();
  const geometry::Bounds box =
      moved({-Vec3(k.half.x(), k.half.y(), k.half.x()), Vec3(k.half.x(), k.half.y(), k.half.x())}, X_BS);
  std::vector<uint32_t> near;
  b.tree().for_each_overlap(box, [&near](uint32_t t) {
    near.push_back(t);
    return true;
  });
  double depth = 0;
  for (const uint32_t t : near) {
    geometry::TriangleCorners c = b.corners(t);
    for (Vec3& corner : c) corner = X_SB * corner;
    if (most_deep_in(k, c) <= (b.closed() ? depth : 0)) continue;
    if (b.closed()) {
      depth = std::max(depth, find_deepest_in(k, c));
    } else if (const double off = least_off_triangle(k, c); off > 0) {
      const Vec3 n = X_SB.R * b.normal(t);
      depth = std::max({depth, off, reach_through(b, X_BS * k.support(-n), X_BS * k.support(n))});
    }
  }
  if (!b.closed()) return depth;

  if (depth <= 0 && !b.contains(X_BS.p)) return 0;
  const Vec3 end = X_BS.R.col(1) * k.half.y();
  depth = find_deepest(b, X_BS.p - end, X_BS.p + end, depth);
  const auto try_against = [&](const Vec3& normal, double at_most) {
    const Vec3 x = X_BS * k.support(-(X_SB.R * normal));
    if (at_most > depth && b.contains(x)) depth = std::max(depth, b.nearest(x).distance);
  };
  if (b.contains(X_BS.p)) {
    const Triangles::Nearest nearest = b.nearest(X_BS.p);
    if (nearest.triangle != kNone)
      try_against(b.normal(nearest.triangle), std::numeric_limits<double>::infinity());
  }
  for (const uint32_t t : near) {
    const Vec3 normal = b.normal(t), x = X_BS * k.support(-(X_SB.R * normal));
    try_against(normal, normal.dot(b.corners(t)[0] - x));
  }
  return depth;
}

}  // namespace tumble::collision::checker
