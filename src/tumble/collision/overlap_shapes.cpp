// Signed distances, with r the radius, h the half length, (x, y) the distance from the axis and the height:
//   sphere |p| - r;  capsule: distance from its segment - r
//   box, and cylinder in the plane of (x, y):  d = |p| - half;  |max(d, 0)| + min(max(d), 0)
//   cone: the triangle (0, h), (r, -h), (0, -h) in the plane of (x, y)
#include <algorithm>
#include <cmath>

#include "tumble/collision/detail/overlap_shapes.h"
#include "tumble/core/require.h"

namespace tumble::collision::checker {

Frame relative_frame(const Pose& X_WA, const Pose& X_WB) {
  const Mat3 back = X_WA.rotation.normalized().to_matrix().transpose();
  return {back * X_WB.rotation.normalized().to_matrix(), back * (X_WB.translation - X_WA.translation)};
}

geometry::Bounds moved(const geometry::Bounds& box, const Frame& X) {
  const Vec3 center = X * (0.5 * box.lower + 0.5 * box.upper);
  const Vec3 half = X.R.cwiseAbs() * (0.5 * box.upper - 0.5 * box.lower);
  return {center - half, center + half};
}

namespace {

double nearest_parameter(const Vec3& point, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double squared = along.squaredNorm();
  return squared > 0 ? std::clamp((point - a).dot(along) / squared, 0.0, 1.0) : 0.0;
}

}  // namespace

Vec3 nearest_weights(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c) {
  // The interior, if the triangle has one. For a needle the weights are inaccurate, but its edges suffice.
  const Vec3 u = b - a, v = c - a, w = point - a, normal = u.cross(v);
  const double squared = normal.squaredNorm();
  if (squared > 0) {
    const double of_c = u.cross(w).dot(normal) / squared, of_b = w.cross(v).dot(normal) / squared;
    if (of_b >= 0 && of_c >= 0 && of_b + of_c <= 1) return Vec3(1 - of_b - of_c, of_b, of_c);
  }
  const double on_ab = nearest_parameter(point, a, b), on_bc = nearest_parameter(point, b, c),
               on_ca = nearest_parameter(point, c, a);
  const std::array<Vec3, 3> weights = {Vec3(1 - on_ab, on_ab, 0), Vec3(0, 1 - on_bc, on_bc),
                                       Vec3(on_ca, 0, 1 - on_ca)};
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < 3; ++i) {
    const double distance = (weights[i][0] * a + weights[i][1] * b + weights[i][2] * c - point).squaredNorm();
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return weights[best];
}

double squared_distance(const Vec3& point, const Vec3& a, const Vec3& b) {
  return (a + nearest_parameter(point, a, b) * (b - a) - point).squaredNorm();
}

double squared_distance(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c) {
  // Uses differences from `point`, so that no digits are lost far from the origin.
  const Vec3 w = nearest_weights(point, a, b, c);
  return (w[0] * (a - point) + w[1] * (b - point) + w[2] * (c - point)).squaredNorm();
}

double squared_distance_of_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  double least = std::min({squared_distance(p, a, b), squared_distance(q, a, b), squared_distance(a, p, q),
                           squared_distance(b, p, q)});
  const Vec3 u = q - p, v = b - a, w = p - a, normal = u.cross(v);
  const double squared = normal.squaredNorm();
  if (squared > 0) {
    const double s = -w.cross(v).dot(normal) / squared, t = -w.cross(u).dot(normal) / squared;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) least = std::min(least, (w + s * u - t * v).squaredNorm());
  }
  return least;
}

Vec3 Convex::support(const Vec3& d) const {
  switch (core) {
    case Core::segment:
    case Core::box:
      return Vec3(std::copysign(half.x(), d.x()), std::copysign(half.y(), d.y()),
                  std::copysign(half.z(), d.z()));
    case Core::cylinder:
    case Core::cone: {
      const double across = math::sqrt(d.x() * d.x() + d.z() * d.z());
      if (core == Core::cone && half.y() * d.y() > half.x() * across - half.y() * d.y())
        return Vec3(0, half.y(), 0);
      const double scale = across > 0 ? half.x() / across : 0;
      return Vec3(scale * d.x(), core == Core::cone ? -half.y() : std::copysign(half.y(), d.y()),
                  scale * d.z());
    }
    case Core::points: {
      size_t best = 0;
      double farthest = -std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < points.size(); ++i)
        if (const double along = points[i].dot(d); along > farthest) {
          farthest = along;
          best = i;
        }
      return points[best];
    }
  }
  return Vec3::Zero();
}

bool is_round_or_box(const Shape& shape) {
  return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Box>(shape) ||
         std::holds_alternative<Capsule>(shape) || std::holds_alternative<Cylinder>(shape) ||
         std::holds_alternative<Cone>(shape);
}

Convex convex_of(const Shape& shape) {
  Convex convex;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    convex.margin = sphere->radius;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    convex.half = Vec3(0, 0.5 * capsule->length, 0);
    convex.margin = capsule->radius;
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    convex.core = Convex::Core::box;
    convex.half = 0.5 * box->size;
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    convex.core = Convex::Core::cylinder;
    convex.half = Vec3(cylinder->radius, 0.5 * cylinder->length, 0);
  } else {
    const auto* cone = std::get_if<Cone>(&shape);
    TUMBLE_REQUIRE(cone, "a shape that is convex by itself");
    convex.core = Convex::Core::cone;
    convex.half = Vec3(cone->radius, 0.5 * cone->length, 0);
  }
  convex.reach = convex.half.norm() + convex.margin;
  return convex;
}

Convex convex_of(std::span<const Vec3> points) {
  double squared = 0;
  for (const Vec3& point : points) squared = std::max(squared, point.squaredNorm());
  return {.core = Convex::Core::points, .points = points, .reach = math::sqrt(squared)};
}

namespace {

// Signed distance of a cone in the plane of the distance from its axis and the height.
double cone_distance(double radius, double half, double across, double height) {
  const double slant = math::sqrt(radius * radius + 4 * half * half);
  const double inside = std::min(height + half, ((half - height) * radius - 2 * half * across) / slant);
  if (inside >= 0) return -inside;
  const Vec3 point(across, height, 0), rim(radius, -half, 0);
  return math::sqrt(std::min(squared_distance(point, Vec3(0, half, 0), rim),
                             squared_distance(point, Vec3(0, -half, 0), rim)));
}

}  // namespace

double signed_distance(const Shape& shape, const Vec3& p) {
  const auto from_box = [](const Vec3& beyond) {
    return beyond.cwiseMax(0).norm() + std::min(beyond.maxCoeff(), 0.0);
  };
  const double across = math::sqrt(p.x() * p.x() + p.z() * p.z());
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return p.norm() - sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return Vec3(p.x(), std::max(std::abs(p.y()) - 0.5 * capsule->length, 0.0), p.z()).norm() -
           capsule->radius;
  if (const auto* box = std::get_if<Box>(&shape)) return from_box(p.cwiseAbs() - 0.5 * box->size);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape))
    return from_box(Vec3(across - cylinder->radius, std::abs(p.y()) - 0.5 * cylinder->length,
                         -std::numeric_limits<double>::infinity()));
  const auto* cone = std::get_if<Cone>(&shape);
  TUMBLE_REQUIRE(cone, "a shape that is convex by itself");
  return cone_distance(cone->radius, 0.5 * cone->length, across, p.y());
}

}  // namespace tumble::collision::checker
