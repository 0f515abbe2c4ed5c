// Self-intersection compared with an independent integer implementation. Triangles on a small grid have every
// kind of degenerate position (coplanar, touching, corner on edge), and integers decide without rounding.
#include <doctest/doctest.h>

#include <array>

#include "tumble/geometry/mesh_check.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;

namespace {

using Int = long long;
using Point = std::array<Int, 3>;

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Int dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Int det(const Point& a, const Point& b, const Point& c) { return dot(a, cross(b, c)); }
bool is_zero(const Point& a) { return a == Point{0, 0, 0}; }

using Corners = std::array<Point, 3>;

// Separating axis test: face normals, cross products of edges, and in-plane edge normals.
bool meet_by_axes(const Corners& x, const Corners& y) {
  const auto edges = [](const Corners& t) { return std::array{t[1] - t[0], t[2] - t[1], t[0] - t[2]}; };
  const Point nx = cross(x[1] - x[0], x[2] - x[0]), ny = cross(y[1] - y[0], y[2] - y[0]);
  std::vector<Point> axes = {nx, ny};
  for (const Point& e : edges(x)) {
    axes.push_back(cross(nx, e));
    for (const Point& f : edges(y)) axes.push_back(cross(e, f));
  }
  for (const Point& f : edges(y)) axes.push_back(cross(ny, f));
  for (const Point& axis : axes) {
    const auto [x_low, x_high] = std::minmax({dot(axis, x[0]), dot(axis, x[1]), dot(axis, x[2])});
    const auto [y_low, y_high] = std::minmax({dot(axis, y[0]), dot(axis, y[1]), dot(axis, y[2])});
    if (x_high < y_low || y_high < x_low) return false;
  }
  return true;
}

// With corner 0 in common: do the two angles contain a common direction, l0 a + l1 b = l2 c + l3 d, l >= 0?
bool angles_meet(const Corners& x, const Corners& y) {
  const Point a = x[1] - x[0], b = x[2] - x[0], c = y[1] - y[0], d = y[2] - y[0];
  const std::array<Int, 4> l = {det(b, c, d), -det(a, c, d), -det(a, b, d), det(a, b, c)};
  const auto [low, high] = std::minmax({l[0], l[1], l[2], l[3]});
  if (low != 0 || high != 0) return low >= 0 || high <= 0;
  const auto within = [](const Point& p, const Point& u, const Point& v) {  // all in one plane
    const Point n = cross(u, v);
    return dot(cross(u, p), n) >= 0 && dot(cross(p, v), n) >= 0;
  };
  return within(a, c, d) || within(b, c, d) || within(c, a, b) || within(d, a, b);
}

bool library_says(const Corners& x, const Corners& y, double scale, const Vec3& shift) {
  TriangleMesh mesh;
  for (const Corners& t : {x, y})
    for (const Point& p : t)
      mesh.vertices.push_back(
          scale * Vec3(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])) +
          shift);
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  return geometry::check_mesh(mesh).has(geometry::MeshFault::self_intersection);
}

Point random_point(Random& random, uint32_t size) {
  return {random.below(size), random.below(size), random.below(size)};
}

}  // namespace

TEST_CASE("triangles on a grid intersect exactly if the integer implementation says so") {
  Random random(31);
  std::array<size_t, 2> seen_apart{}, seen_meeting{};
  for (int round = 0; round < 40000; ++round) {
    const uint32_t size = 2 + random.below(4);
    const bool common = random.below(2) == 1;
    Corners x, y;
    for (Point& p : x) p = random_point(random, size);
    for (Point& p : y) p = random_point(random, size);
    if (random.below(3) == 0)  // more coplanar pairs
      for (Corners* t : {&x, &y})
        for (Point& p : *t) p[2] = p[0] + p[1];
    if (common) y[0] = x[0];
    if (is_zero(cross(x[1] - x[0], x[2] - x[0])) || is_zero(cross(y[1] - y[0], y[2] - y[0]))) continue;
    int shared = 0;
    for (const Point& p : x) shared += static_cast<int>(std::count(y.begin(), y.end(), p));
    if (shared != (common ? 1 : 0)) continue;

    const bool expected = common ? angles_meet(x, y) : meet_by_axes(x, y);
    ++(expected ? seen_meeting : seen_apart)[common];
    // Powers of two and small shifts are exact, so the result stays the same.
    const bool found = library_says(x, y, 0.25, Vec3(0, 0, 0));
    CHECK(found == expected);
    CHECK(library_says(y, x, 0x1p-30, Vec3(4, -2, 1)) == expected);
  }
  for (const bool common : {false, true}) {  // all cases occurred often
    CHECK(seen_apart[common] > 1000);
    CHECK(seen_meeting[common] > 1000);
  }
}

TEST_CASE("one unit in the last place distinguishes touching from separate triangles") {
  Random random(37);
  for (int round = 0; round < 2000; ++round) {
    // A triangle in the plane y = x, and one that touches its inside with one corner.
    const auto in_plane = [](double t, double z) { return Vec3(t, t, z); };
    const double s = random.between(1, 2);
    const Vec3 foot = in_plane(s * random.between(0.4, 0.6), s * random.between(0.1, 0.3));
    TriangleMesh mesh{
        {in_plane(0, 0), in_plane(s, 0), in_plane(0.5 * s, s), foot,
         foot + Vec3(-0.3, 0.2, random.between(-1, 1)), foot + Vec3(-0.1, 0.7, random.between(-1, 1))},
        {{0, 1, 2}, {3, 4, 5}}};
    CHECK(geometry::check_mesh(mesh).has(geometry::MeshFault::self_intersection));
    mesh.vertices[3].y() = std::nextafter(foot.y(), 9.0);
    CHECK_FALSE(geometry::check_mesh(mesh).has(geometry::MeshFault::self_intersection));
    mesh.vertices[3].y() = std::nextafter(foot.y(), -9.0);
    CHECK(geometry::check_mesh(mesh).has(geometry::MeshFault::self_intersection));
  }
}
