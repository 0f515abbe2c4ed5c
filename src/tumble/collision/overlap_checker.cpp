#include "tumble/collision/overlap_checker.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/detail/overlap_directions.h"
#include "tumble/collision/detail/overlap_mesh.h"
#include "tumble/collision/overlap_parameters.h"

namespace tumble::collision {

using checker::Convex;
using checker::Frame;
using checker::Triangles;
using math::Pose;
using math::Vec3;

struct OverlapChecker::Prepared {
  std::shared_ptr<const geometry::TriangleMesh> mesh;  // kept alive: its address stays unique
  std::unique_ptr<const Triangles> triangles;
};

OverlapChecker::OverlapChecker() = default;
OverlapChecker::~OverlapChecker() = default;

namespace {

// Depth of the support point of the other shape against the normal of a half-space.
double measure_below(const Plane& plane, const Pose& X_WP, const Convex& other, const Pose& X_WO) {
  const Vec3 normal = X_WP.rotation.normalized() * plane.normal;
  const Vec3 down = -(X_WO.rotation.normalized().conjugate() * normal);
  return other.support(down).dot(down) + other.margin - normal.dot(X_WO.translation - X_WP.translation);
}

}  // namespace

const Triangles* OverlapChecker::triangles_of(const Shape& shape) {
  std::shared_ptr<const geometry::TriangleMesh> mesh = collision::triangles_of(shape);
  if (!mesh) return nullptr;
  Prepared& prepared = prepared_[mesh.get()];
  if (!prepared.triangles) {
    prepared.triangles = std::make_unique<const Triangles>(*mesh);
    prepared.mesh = std::move(mesh);
  }
  return prepared.triangles.get();
}

double OverlapChecker::measure_depth(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                     double& uncertainty) {
  const auto* plane = std::get_if<Plane>(&a);
  const Triangles *of_a = triangles_of(a), *of_b = triangles_of(b);
  const auto is_convex = [](const Triangles* triangles) { return !triangles || triangles->convex(); };
  const auto convex = [](const Shape& shape, const Triangles* triangles) {
    return triangles ? checker::convex_of(triangles->points()) : checker::convex_of(shape);
  };
  if (std::holds_alternative<Plane>(b)) return plane ? 0 : measure_depth(b, X_WB, a, X_WA, uncertainty);
  if (plane) return measure_below(*plane, X_WA, convex(b, of_b), X_WB);

  // Closed forms: spheres, and capsules against capsules.
  const auto *sphere = std::get_if<Sphere>(&a), *other_sphere = std::get_if<Sphere>(&b);
  if (other_sphere && !sphere) return measure_depth(b, X_WB, a, X_WA, uncertainty);
  const Frame X_BA = checker::relative_frame(X_WB, X_WA);
  if (sphere && of_b) return measure_ball(*of_b, X_BA.p, X_BA.p, sphere->radius);
  if (sphere) return sphere->radius - checker::signed_distance(b, X_BA.p);
  const auto *capsule = std::get_if<Capsule>(&a), *other_capsule = std::get_if<Capsule>(&b);
  const auto end_of = [](const Capsule& c) { return Vec3(0, 0.5 * c.length, 0); };
  if (capsule && other_capsule)
    return capsule->radius + other_capsule->radius -
           math::sqrt(checker::squared_distance_of_segments(X_BA * end_of(*capsule), X_BA * -end_of(*capsule),
                                                            end_of(*other_capsule), -end_of(*other_capsule)));

  if (is_convex(of_a) && is_convex(of_b)) {
    if (of_a && of_b && !triangles_overlap(*of_a, *of_b, X_BA.inverse())) return 0;
    const checker::LeastTranslation found = find_least_translation(convex(b, of_b), convex(a, of_a), X_BA);
    uncertainty = found.uncertainty;
    return found.depth;
  }

  // Triangle meshes that are not convex or not closed.
  if (!of_b) return measure_depth(b, X_WB, a, X_WA, uncertainty);
  if (of_a) return measure_triangles(*of_b, *of_a, X_BA);
  if (const auto* box = std::get_if<Box>(&a))
    return measure_triangles(*of_b, checker::triangles_of(*box), X_BA);
  if (capsule) return measure_ball(*of_b, X_BA * end_of(*capsule), X_BA * -end_of(*capsule), capsule->radius);
  return measure_round(a, *of_b, X_BA);
}

Overlap OverlapChecker::measure(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  double size = X_WA.translation.norm() + X_WB.translation.norm();
  for (const Shape* shape : {&a, &b}) {
    const Triangles* triangles = triangles_of(*shape);
    if (triangles)
      size += triangles->usable() ? triangles->reach() : std::numeric_limits<double>::infinity();
    else if (!std::holds_alternative<Plane>(*shape))
      size += checker::convex_of(*shape).reach;
  }
  const double turns = X_WA.rotation.norm() + X_WB.rotation.norm();
  if (!(size <= checker::kOverlap.max_length) || !std::isfinite(turns))
    return {.resolution = std::numeric_limits<double>::infinity()};
  Overlap found{.resolution = checker::kOverlap.resolution * size};
  const double depth = measure_depth(a, X_WA, b, X_WB, found.uncertainty);
  if (depth > found.resolution) found.depth = depth;
  return found;
}

geometry::Bounds compute_shape_box(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {Vec3::Constant(-inf), Vec3::Constant(inf)};
  }
  if (const auto mesh = triangles_of(shape)) return geometry::compute_bounds(*mesh);
  const Convex c = checker::convex_of(shape);
  Vec3 half = c.half;
  if (c.core == Convex::Core::cylinder || c.core == Convex::Core::cone) half.z() = half.x();
  return checker::grown({-half, half}, c.margin);
}

geometry::Bounds compute_world_box(const geometry::Bounds& box_S, const Pose& X_WS) {
  return checker::moved(box_S, {X_WS.rotation.normalized().to_matrix(), X_WS.translation});
}

}  // namespace tumble::collision
