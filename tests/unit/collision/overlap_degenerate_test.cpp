// Degenerate geometry: needles, slivers, coincident corners, triangles without area, coordinates of any size.
// The depth is always a number, and never larger than the bodies.
#include <doctest/doctest.h>

#include "support/sanitized.h"
#include "tumble/collision/overlap_checker.h"
#include "tumble/collision/overlap_parameters.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using namespace tumble::collision;
using math::Pose;
using math::Quat;

namespace {

constexpr double kScales[] = {1e-30, 1e-9, 1e-3, 1, 1e3, 1e15, 1e50};

// A few points, many of them equal, collinear, coplanar or almost so, with triangles between any of them.
TriangleMesh bad_mesh(Random& random, double scale) {
  TriangleMesh mesh;
  const uint32_t count = 3 + random.below(6), kind = random.below(5);
  for (uint32_t i = 0; i < count; ++i) {
    Vec3 p = random.point(1);
    if (kind == 0) p = Vec3(random.below(2), random.below(2), random.below(2));
    if (kind == 1) p = Vec3(p.x(), 1e-15 * p.y(), 0);
    if (kind == 2) p.z() *= 1e-12;
    if (kind == 3 && random.below(2) == 0) p *= 1e-8;
    if (i > 0 && random.below(6) == 0) p = mesh.vertices[random.below(i)] / scale;
    mesh.vertices.push_back(scale * p);
  }
  const uint32_t triangles = 1 + random.below(8);
  for (uint32_t i = 0; i < triangles; ++i)
    mesh.triangles.push_back({random.below(count), random.below(count), random.below(count)});
  if (random.below(2) == 0)  // closed, if flat: each triangle with its reverse
    for (uint32_t i = 0; i < triangles; ++i) {
      const Triangle& t = mesh.triangles[i];
      mesh.triangles.push_back({t[0], t[2], t[1]});
    }
  return mesh;
}

// A solid compressed or stretched along one axis.
TriangleMesh squeezed_solid(Random& random, double scale) {
  TriangleMesh mesh = random.below(2) == 0 ? l_prism(0.6) : random_star(random, 1);
  const double by = random.below(2) == 0 ? 1e-12 : 1e6;
  const int axis = static_cast<int>(random.below(3));
  return mapped(std::move(mesh), [&](Vec3 v) {
    v[axis] *= by;
    return Vec3(scale * v);
  });
}

Shape bad_shape(Random& random, double scale) {
  const double thin = random.below(3) == 0 ? 1e-9 : random.below(2) == 0 ? 0.3 : 1;
  switch (random.below(8)) {
    case 0:
      return Sphere{scale * thin};
    case 1:
      return Box{scale * Vec3(thin, 1, thin * thin)};
    case 2:
      return Capsule{scale * thin, random.below(2) == 0 ? 0 : scale};
    case 3:
      return Cylinder{scale * thin, scale};
    case 4:
      return Cone{scale, scale * thin};
    case 5:
      return Plane{Vec3(0, 1, 0)};
    case 6:
      return Mesh{std::make_shared<const TriangleMesh>(bad_mesh(random, scale))};
    default:
      return Mesh{std::make_shared<const TriangleMesh>(squeezed_solid(random, scale))};
  }
}

}  // namespace

TEST_CASE("the depth of degenerate geometry of any size is a number, and 0 or above its resolution") {
  Random random(41);
  int answered = 0, overlaps = 0;
  constexpr int kCases = support::kSanitized ? 400 : 4000;
  for (int i = 0; i < kCases; ++i) {
    const double scale = kScales[random.below(7)];
    const double other_scale = random.below(4) == 0 ? kScales[random.below(7)] : scale;
    const Shape a = bad_shape(random, scale), b = bad_shape(random, other_scale);
    const Pose X{
        random.below(3) == 0 ? Quat::identity() : Quat::from_rotation_vector(random.point(3)),
        random.below(4) == 0 ? Vec3(0, 0, 0) : Vec3(scale * random.point(random.below(2) == 0 ? 1 : 1e-9))};
    OverlapChecker checker;
    const Overlap found = checker.measure(a, Pose{}, b, X);
    CHECK(found.depth >= 0);
    CHECK(found.resolution >= 0);
    CHECK(found.uncertainty >= 0);
    CHECK((found.depth == 0 || found.depth > found.resolution));
    if (!std::isfinite(found.resolution)) continue;
    ++answered;
    overlaps += found.depth > 0;
    // The resolution is sixteen roundings of all sizes and distances together.
    CHECK(found.depth <= 4 * found.resolution / collision::checker::kOverlap.resolution);
  }
  CHECK(answered > kCases / 2);
  CHECK(overlaps > kCases / 10);
}

TEST_CASE("a double-sided triangle has no inside: a ball near it is not inside") {
  Random random(43);
  for (int i = 0; i < 500; ++i) {
    TriangleMesh flat{{random.point(1), random.point(1), random.point(1)}, {{0, 1, 2}, {0, 2, 1}}};
    OverlapChecker checker;
    const Shape sheet = Mesh{std::make_shared<const TriangleMesh>(flat)};
    const Vec3 normal =
        (flat.vertices[1] - flat.vertices[0]).cross(flat.vertices[2] - flat.vertices[0]).normalized();
    const Vec3 middle = (flat.vertices[0] + flat.vertices[1] + flat.vertices[2]) / 3;
    CHECK(checker.measure(Sphere{0.1}, {Quat::identity(), middle + 0.2 * normal}, sheet, Pose{}).depth == 0);
    CHECK(checker.measure(Sphere{0.1}, {Quat::identity(), middle + 0.05 * normal}, sheet, Pose{}).depth ==
          doctest::Approx(0.05));
  }
}
