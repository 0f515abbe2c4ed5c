#include "tumble/geometry/tessellate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "support/tolerance.h"
#include "tumble/core/require.h"
#include "tumble/math/elementary.h"

using namespace tumble;
using geometry::Triangle;
using geometry::TriangleMesh;
using math::kPi;
using math::Vec3;

namespace {

double signed_volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]]));
  return sum / 6;
}

// Each directed edge occurs once, and so does its reverse: closed, manifold along edges, consistently
// oriented.
void check_closed(const TriangleMesh& mesh) {
  std::map<std::pair<uint32_t, uint32_t>, int> edges;
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    REQUIRE(count == 1);
    REQUIRE(edges.count({edge.second, edge.first}) == 1);
  }
  // V - E + F = 2: one surface of genus 0, every vertex used, no pinched vertex.
  CHECK(mesh.vertices.size() + mesh.triangles.size() == edges.size() / 2 + 2);
  std::set<std::array<double, 3>> points;
  for (const Vec3& p : mesh.vertices) points.insert({p.x() + 0.0, p.y() + 0.0, p.z() + 0.0});
  CHECK(points.size() == mesh.vertices.size());
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[t[0]];
    REQUIRE((mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm() > 0);
  }
}

// Rounding of a sum of n terms of magnitude `scale`, each accurate to a few roundings.
double sum_round_off(size_t n, double scale = 1) {
  return support::round_off(4 * static_cast<double>(n), scale);
}

// Area of the regular polygon inscribed in a circle, relative to the circle.
double polygon_ratio(int n) { return math::sin(2 * kPi / n) / (2 * kPi / n); }

}  // namespace

TEST_CASE("every solid tessellates to a closed, outward, manifold surface for any number of segments") {
  for (const int n : {3, 4, 5, 7, 8, 32, 33, 64}) {
    CAPTURE(n);
    for (const TriangleMesh& mesh :
         {geometry::tessellate_sphere(0.7, n), geometry::tessellate_capsule(0.3, 0.9, n),
          geometry::tessellate_capsule(0.3, 0, n), geometry::tessellate_cylinder(0.4, 1.5, n),
          geometry::tessellate_cone(0.4, 1.5, n)}) {
      check_closed(mesh);
      CHECK(signed_volume(mesh) > 0);
    }
  }
  check_closed(geometry::tessellate_box(Vec3(1, 2, 3)));
  CHECK_THROWS_AS(geometry::tessellate_sphere(1, 2), core::LogicError);
}

TEST_CASE("a box tessellates to its own volume") {
  const TriangleMesh box = geometry::tessellate_box(Vec3(0.5, 2, 3));
  CHECK(box.vertices.size() == 8);
  CHECK(box.triangles.size() == 12);
  CHECK(signed_volume(box) == doctest::Approx(3).epsilon(sum_round_off(12)));
}

TEST_CASE("cylinder and cone have the volume of their inscribed prism and pyramid") {
  for (const int n : {3, 12, 200}) {
    const double disc = kPi * 0.4 * 0.4 * polygon_ratio(n);
    const auto tolerance = sum_round_off(static_cast<size_t>(4 * n));
    CHECK(signed_volume(geometry::tessellate_cylinder(0.4, 1.5, n)) ==
          doctest::Approx(disc * 1.5).epsilon(tolerance));
    CHECK(signed_volume(geometry::tessellate_cone(0.4, 1.5, n)) ==
          doctest::Approx(disc * 1.5 / 3).epsilon(tolerance));
  }
}

TEST_CASE("volumes of sphere and capsule converge from below with order 2") {
  const double sphere = 4.0 / 3 * kPi * 0.3 * 0.3 * 0.3;
  const double capsule = sphere + kPi * 0.3 * 0.3 * 0.8;
  const auto sphere_error = [&](int n) {
    return sphere - signed_volume(geometry::tessellate_sphere(0.3, n));
  };
  const auto capsule_error = [&](int n) {
    return capsule - signed_volume(geometry::tessellate_capsule(0.3, 0.8, n));
  };
  for (const int n : {16, 32, 64}) {
    CAPTURE(n);
    CHECK(sphere_error(2 * n) > 0);
    CHECK(capsule_error(2 * n) > 0);
    // Halving h = 2 pi/n divides an error a h^2 + b h^4 by 4 up to a part of h^2.
    const double h = 2 * kPi / n;
    CHECK(sphere_error(n) / sphere_error(2 * n) == doctest::Approx(4).epsilon(h * h));
    CHECK(capsule_error(n) / capsule_error(2 * n) == doctest::Approx(4).epsilon(h * h));
  }
}

TEST_CASE("vertices lie on the surface of their shape") {
  const TriangleMesh sphere = geometry::tessellate_sphere(2, 24);
  for (const Vec3& p : sphere.vertices) CHECK(p.norm() == doctest::Approx(2).epsilon(sum_round_off(1)));
  const TriangleMesh capsule = geometry::tessellate_capsule(0.5, 3, 24);
  for (const Vec3& p : capsule.vertices) {
    const Vec3 on_axis(0, std::clamp(p.y(), -1.5, 1.5), 0);
    CHECK((p - on_axis).norm() == doctest::Approx(0.5).epsilon(sum_round_off(4)));
  }
  // The cone's apex is at +Y.
  for (const Vec3& p : geometry::tessellate_cone(1, 2, 8).vertices)
    CHECK((p.y() == 1) == (p.x() == 0 && p.z() == 0 && p.y() > 0));
}

TEST_CASE("a plane is a square sheet through the origin facing along its normal") {
  for (const Vec3& normal : {Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(0.36, 0.48, 0.8)}) {
    const TriangleMesh sheet = geometry::tessellate_plane(normal, 6);
    double area = 0;
    for (const Vec3& p : sheet.vertices) {
      CHECK(std::abs(p.dot(normal)) <= sum_round_off(3, 3));
      CHECK(p.norm() == doctest::Approx(3 * std::sqrt(2.0)).epsilon(sum_round_off(3)));
    }
    for (const Triangle& t : sheet.triangles) {
      const Vec3& a = sheet.vertices[t[0]];
      area += (sheet.vertices[t[1]] - a).cross(sheet.vertices[t[2]] - a).dot(normal) / 2;
    }
    CHECK(area == doctest::Approx(36).epsilon(sum_round_off(8)));
  }
}
