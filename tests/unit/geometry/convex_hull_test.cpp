// Convex hulls compared with brute force over all triples of points in integers, with closed forms, and on
// points that have no hull.
#include "tumble/geometry/convex_hull.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <set>

#include "support/tolerance.h"
#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/tolerances.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;

namespace {

using GridPoint = std::array<long long, 3>;

long long side(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
  const auto minus = [](const GridPoint& p, const GridPoint& q) {
    return GridPoint{p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  };
  const GridPoint u = minus(b, a), v = minus(c, a), w = minus(d, a);
  return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
         (u[0] * v[1] - u[1] * v[0]) * w[2];
}

// By definition: a face is a plane through three points with no point above it. A corner is a point on a face
// that lies in no segment and no triangle of other points of the face.
struct BruteHull {
  std::vector<std::set<size_t>> faces;  // the points on each
  std::set<size_t> corners;
};

bool is_in_triangle_or_segment(const GridPoint& p, const GridPoint& a, const GridPoint& b,
                               const GridPoint& c) {
  // Coordinates of p in the plane of a, b, c, by projection along each axis.
  for (size_t axis = 0; axis < 3; ++axis) {
    const size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
    const auto orientation = [&](const GridPoint& q, const GridPoint& r, const GridPoint& s) {
      return (r[i] - q[i]) * (s[j] - q[j]) - (r[j] - q[j]) * (s[i] - q[i]);
    };
    const long long whole = orientation(a, b, c);
    if (whole == 0) continue;
    const long long sign = whole > 0 ? 1 : -1;
    return sign * orientation(a, b, p) >= 0 && sign * orientation(b, c, p) >= 0 &&
           sign * orientation(c, a, p) >= 0;
  }
  return false;
}

BruteHull brute_hull(const std::vector<GridPoint>& points) {
  std::set<std::set<size_t>> faces;
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = i + 1; j < points.size(); ++j)
      for (size_t k = j + 1; k < points.size(); ++k) {
        std::set<size_t> on;
        bool above = false, below = false;
        for (size_t m = 0; m < points.size(); ++m) {
          const long long s = side(points[i], points[j], points[k], points[m]);
          above |= s > 0;
          below |= s < 0;
          if (s == 0) on.insert(m);
        }
        if (above != below) faces.insert(on);
      }
  BruteHull hull{{faces.begin(), faces.end()}, {}};
  for (const auto& face : hull.faces)
    for (const size_t m : face) {
      bool redundant = false;  // in a triangle of others on the same face
      for (const size_t i : face)
        for (const size_t j : face)
          for (const size_t k : face)
            if (i < j && j < k && i != m && j != m && k != m)
              redundant |= is_in_triangle_or_segment(points[m], points[i], points[j], points[k]);
      // Between two others in one line with them.
      for (const size_t i : face)
        for (const size_t j : face) {
          if (i >= j || i == m || j == m) continue;
          GridPoint u, v;
          for (size_t x = 0; x < 3; ++x)
            u[x] = points[m][x] - points[i][x], v[x] = points[j][x] - points[m][x];
          const bool in_line =
              u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2] && u[0] * v[1] == u[1] * v[0];
          redundant |= in_line && u[0] * v[0] + u[1] * v[1] + u[2] * v[2] > 0;
        }
      if (!redundant) hull.corners.insert(m);
    }
  return hull;
}

Vec3 as_vector(const GridPoint& p) {
  return Vec3(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]));
}

std::vector<GridPoint> random_grid_points(Random& random, uint32_t count, uint32_t side_length) {
  std::set<GridPoint> points;
  while (points.size() < count)
    points.insert({random.below(side_length), random.below(side_length), random.below(side_length)});
  return {points.begin(), points.end()};
}

// The hull of the mapped points has the corners and faces of the integer result.
template <typename Map>
void check_against_triples(const std::vector<GridPoint>& points, const BruteHull& expected, const Map& map) {
  std::vector<Vec3> mapped_points;
  for (const GridPoint& p : points) mapped_points.push_back(map(as_vector(p)));
  const core::Expected<TriangleMesh> hull = geometry::build_convex_hull(mapped_points);
  if (expected.faces.size() < 4) {
    CHECK(!hull);
    return;
  }
  REQUIRE_MESSAGE(hull, hull.diagnostics().front().message);
  std::vector<size_t> origin;  // of each vertex
  for (const Vec3& v : hull->vertices)
    origin.push_back(static_cast<size_t>(std::find(mapped_points.begin(), mapped_points.end(), v) -
                                         mapped_points.begin()));
  CHECK(std::set<size_t>(origin.begin(), origin.end()) == expected.corners);
  CHECK(origin.size() == expected.corners.size());
  std::set<size_t> faces_met;
  for (const Triangle& t : hull->triangles) {
    const auto on_face = [&](const std::set<size_t>& face) {
      return face.contains(origin[t[0]]) && face.contains(origin[t[1]]) && face.contains(origin[t[2]]);
    };
    const auto face = std::find_if(expected.faces.begin(), expected.faces.end(), on_face);
    REQUIRE(face != expected.faces.end());
    faces_met.insert(static_cast<size_t>(face - expected.faces.begin()));
  }
  CHECK(faces_met.size() == expected.faces.size());
}

std::vector<Vec3> grid_cube(int n) {
  std::vector<Vec3> points;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      for (int k = 0; k <= n; ++k) points.emplace_back(Vec3(i, j, k) / n);
  return points;
}

std::string refusal(const std::vector<Vec3>& points) {
  const core::Expected<TriangleMesh> hull = geometry::build_convex_hull(points);
  return hull ? "" : hull.diagnostics().front().message;
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

const math::Quat kRotation = math::Quat::from_axis_angle(Vec3(1, -2, 0.5), 0.7);

}  // namespace

TEST_CASE("hulls equal the brute force result at every scale, rotated, and 1 km away") {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    // Small grids have many points in one plane and in one line. Large ones have hardly any.
    const uint32_t side_length = round % 3 == 0 ? 3 : round % 3 == 1 ? 5 : 1000;
    const auto points = random_grid_points(random, 4 + random.below(14), side_length);
    const BruteHull expected = brute_hull(points);
    check_against_triples(points, expected, [](const Vec3& p) { return p; });
    check_against_triples(points, expected, [](const Vec3& p) { return Vec3(1e-3 * p); });
    check_against_triples(points, expected, [](const Vec3& p) { return Vec3(1e3 * p); });
    check_against_triples(points, expected, [](const Vec3& p) { return kRotation * p; });
    check_against_triples(points, expected,
                          [](const Vec3& p) { return Vec3(kRotation * p + Vec3(1000, -700, 300)); });
    check_against_triples(points, expected,
                          [](const Vec3& p) { return Vec3(kRotation * (0.01 * p) + Vec3(-600, 800, 1000)); });
  }
}

TEST_CASE("the hull of a fine grid in a cube has its eight corners, in every pose") {
  for (const double scale : {1.0, 1e-3, 1e3})
    for (const Vec3& away : {Vec3(0, 0, 0), Vec3(1000, 0, 0), Vec3(-577, 577, 577)})
      for (const math::Quat& rotation : {math::Quat::identity(), kRotation}) {
        std::vector<Vec3> points = grid_cube(9);
        for (Vec3& p : points) p = rotation * (scale * p) + away;
        const auto hull = geometry::build_convex_hull(points);
        REQUIRE_MESSAGE(hull, hull.diagnostics().front().message);
        CHECK(hull->vertices.size() == 8);
        CHECK(hull->triangles.size() == 12);
      }
}

TEST_CASE("every point on a sphere is a corner of the hull, and faces are triangles") {
  Random random(6);
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.push_back(random.point(1).normalized());
  const auto hull = geometry::build_convex_hull(points);
  REQUIRE(hull);
  CHECK(hull->vertices.size() == 2000);
  CHECK(hull->triangles.size() == 3996);  // 2 V - 4
  // The same with circles of points in one plane: meridians and parallels. Faces have four corners except at
  // the poles.
  std::vector<Vec3> globe = {Vec3(0, 1, 0), Vec3(0, -1, 0)};
  for (int i = 0; i < 24; ++i)
    for (int j = 1; j < 12; ++j) {
      const double a = 2 * math::kPi * i / 24, b = math::kPi * j / 12;
      globe.emplace_back(std::sin(b) * std::cos(a), std::cos(b), std::sin(b) * std::sin(a));
    }
  const auto round = geometry::build_convex_hull(globe);
  REQUIRE(round);
  CHECK(round->vertices.size() == globe.size());
  CHECK(round->triangles.size() == 2 * globe.size() - 4);
}

TEST_CASE("the hulls of a cube and an octahedron have their mass properties") {
  const auto cube = geometry::build_convex_hull(unit_cube().vertices);
  REQUIRE(cube);
  const auto mass = geometry::mesh_mass(1000, *cube);
  CHECK(mass.mass == doctest::Approx(1000).epsilon(support::round_off(8)));
  CHECK((mass.center - Vec3(0.5, 0.5, 0.5)).norm() < support::round_off(8));
  // m (a^2 + a^2) / 12
  CHECK((mass.inertia - math::Mat3::Identity() * 1000 / 6).norm() < support::round_off(32, 1000));
  const auto octahedron = geometry::build_convex_hull(sphere_mesh(0).vertices);
  REQUIRE(octahedron);
  const auto eight = geometry::mesh_mass(750, *octahedron);
  CHECK(eight.mass == doctest::Approx(1000).epsilon(support::round_off(8)));  // volume 4/3
  CHECK(eight.center.norm() < support::round_off(8));
  // m r^2 / 5 for a regular octahedron of corners at distance r
  CHECK((eight.inertia - math::Mat3::Identity() * 200).norm() < support::round_off(32, 1000));
}

TEST_CASE("the result has the same bits for any order, for repeated points, and scaled by a power of two") {
  Random random(7);
  std::vector<Vec3> points = grid_cube(4);
  for (int i = 0; i < 50; ++i) points.push_back(Vec3(0.5, 0.5, 0.5) + 0.9 * random.point(1).normalized());
  const auto first = geometry::build_convex_hull(points);
  REQUIRE(first);
  for (int round = 0; round < 10; ++round) {
    points.push_back(points[random.below(static_cast<uint32_t>(points.size()))]);
    random.shuffle(points);
    const auto again = geometry::build_convex_hull(points);
    REQUIRE(again);
    CHECK(again->vertices == first->vertices);
    CHECK(again->triangles == first->triangles);
  }
  for (const double factor : {0x1p-30, 0x1p40, 0x1p-1000, 0x1p1000}) {
    std::vector<Vec3> scaled_points;
    for (const Vec3& p : points) scaled_points.emplace_back(factor * p);
    const auto large = geometry::build_convex_hull(scaled_points);
    REQUIRE(large);
    CHECK(large->triangles == first->triangles);
    for (size_t i = 0; i < first->vertices.size(); ++i)
      CHECK(large->vertices[i] == Vec3(factor * first->vertices[i]));
  }
}

TEST_CASE("points without a hull are rejected, and the message says why") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK(says(refusal({}), "four different points at least, and there are 0"));
  CHECK(says(refusal({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}), "there are 3"));
  CHECK(says(refusal(std::vector<Vec3>(10, Vec3(1, 2, 3))), "there is 1"));
  CHECK(says(refusal({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, nan, 0), Vec3(0, 0, 1)}), "point 2 has"));
  CHECK(says(refusal({Vec3(0, 0, -inf), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}), "point 0 has"));
  std::vector<Vec3> line, plane, point;
  Random random(8);
  for (int i = 0; i < 30; ++i) {
    line.push_back(kRotation * Vec3(random.between(-1, 1), 0.3, 0.4) + Vec3(5, 6, 7));
    plane.push_back(kRotation * Vec3(random.between(-1, 1), random.between(-1, 1), 0.4) + Vec3(5, 6, 7));
    point.emplace_back(Vec3(5, 6, 7) + random.point(1e-14));
  }
  CHECK(says(refusal(line), "30 different points are all in one line"));
  CHECK(says(refusal(plane), "30 different points are all in one plane"));
  CHECK(says(refusal(point), "different points are all at one point"));
  // Thin, but thicker than rounding: a foil.
  for (Vec3& p : plane) p += random.between(0, 1e-9) * (kRotation * Vec3(0, 0, 1));
  CHECK(refusal(plane) == "");
}

TEST_CASE("the hull check finds every kind of fault") {
  const TriangleMesh cube = unit_cube();
  CHECK(geometry::find_hull_fault(cube) == "");
  CHECK(geometry::find_hull_fault(sphere_mesh(3)) == "");
  CHECK(says(geometry::find_hull_fault({}), "no triangles"));
  CHECK(says(geometry::find_hull_fault(flipped(cube)), "above the plane"));
  CHECK(says(geometry::find_hull_fault(l_prism(1)), "above the plane"));
  TriangleMesh mesh = cube;
  mesh.triangles.pop_back();
  CHECK(says(geometry::find_hull_fault(mesh), "is open"));
  mesh = cube;
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  CHECK(says(geometry::find_hull_fault(mesh), "twice in the same direction"));
  mesh = cube;
  mesh.vertices.emplace_back(0.5, 0.5, 0.5);
  CHECK(says(geometry::find_hull_fault(mesh), "belongs to no triangle"));
  mesh = cube;
  append(mesh, cube);
  CHECK(says(geometry::find_hull_fault(mesh), "is at the same point as"));
  mesh = cube;
  append(mesh, box_mesh(Vec3(2, 2, 2), Vec3(3, 3, 3)));
  CHECK(says(geometry::find_hull_fault(mesh), "is 4, not 2"));
  mesh = cube;
  mesh.triangles[0][0] = 99;
  CHECK(says(geometry::find_hull_fault(mesh), "does not exist"));
  mesh = cube;
  mesh.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  CHECK(says(geometry::find_hull_fault(mesh), "not a finite"));
  const TriangleMesh sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  CHECK(says(geometry::find_hull_fault(sheet), "volume is not positive"));
  // A dent and a bump, larger than the bound e = 2^-44. Planes tilt with the height of their triangles.
  for (const double size : {8 * geometry::kHullSlack, 1e-9, 1e-3}) {
    mesh = subdivided(cube);
    for (Vec3& v : mesh.vertices)
      if (v == Vec3(0.5, 0.5, 1)) v.z() -= size;
    CHECK(says(geometry::find_hull_fault(mesh), "above the plane"));
    const Vec3 outside[] = {Vec3(0.3, 0.4, 1 + size)};
    CHECK(says(geometry::find_hull_fault(cube, outside), "above the plane"));
  }
  const Vec3 inside[] = {Vec3(0.3, 0.4, 1), Vec3(0, 0, 0), Vec3(0.3, 0.4, 1 + 0.5 * geometry::kHullSlack)};
  CHECK(geometry::find_hull_fault(cube, inside) == "");
}

TEST_CASE("degenerate points of every kind give a valid hull or a clear error") {
  Random random(9);
  int hulls = 0, refusals = 0;
  for (int round = 0; round < 3000; ++round) {
    // A random cloud, scaled along its axes by factors from zero to one, with noise of any size, with
    // duplicates and midpoints, on a grid or not, of any scale, rotated, and away from the origin.
    const auto magnitude = [&](double low, double high) { return std::pow(10, random.between(low, high)); };
    Vec3 squeeze(1, 1, 1);
    for (int i = 0; i < 3; ++i)
      if (random.below(3) == 0) squeeze[i] = random.below(2) == 0 ? 0 : magnitude(-17, 0);
    const double noise = random.below(2) == 0 ? 0 : magnitude(-18, -4);
    const uint32_t grid = random.below(2) == 0 ? 0 : 1 + random.below(6);
    const double scale = random.below(4) == 0 ? magnitude(-310, 300) : magnitude(-3, 3);
    const bool rotated = random.below(2) == 0;
    const Vec3 away = random.below(2) == 0 ? Vec3(Vec3::Zero()) : Vec3(random.point(magnitude(-2, 6)));
    std::vector<Vec3> points;
    const uint32_t count = random.below(60);
    for (uint32_t i = 0; i < count; ++i) {
      Vec3 p = random.point(1);
      if (grid > 0) p = (p * grid).array().round() / grid;
      if (i > 2 && random.below(4) == 0) p = points[random.below(i)];
      if (i > 2 && random.below(4) == 0) p = 0.5 * (points[random.below(i)] + points[random.below(i)]);
      points.emplace_back(p);
    }
    for (Vec3& p : points) {
      p = p.cwiseProduct(squeeze) + random.point(1) * noise;
      if (rotated) p = kRotation * p;
      p = scale * (p + away);
    }
    const auto hull = geometry::build_convex_hull(points);
    if (!hull) {
      ++refusals;
      const std::string& why = hull.diagnostics().front().message;
      CHECK_MESSAGE((says(why, "four different points") || says(why, "are all ")), why);
      continue;
    }
    ++hulls;
    CHECK(geometry::find_hull_fault(*hull, points) == "");
    for (const Vec3& v : hull->vertices) CHECK(std::find(points.begin(), points.end(), v) != points.end());
    double largest = 0;
    for (const Vec3& p : points) largest = std::max(largest, p.cwiseAbs().maxCoeff());
    double lowest = 1;
    for (const Triangle& t : hull->triangles) {
      const Vec3 a = hull->vertices[t[0]] / largest;  // of order one, so that squares do not overflow
      const Vec3 b = hull->vertices[t[1]] / largest - a, c = hull->vertices[t[2]] / largest - a;
      lowest = std::min(lowest, b.cross(c).norm() / std::max({b.norm(), c.norm(), (c - b).norm()}));
    }
    CHECK(lowest > geometry::kMinTriangleHeight - support::round_off(8));
  }
  CHECK(hulls > 600);
  CHECK(refusals > 600);
}
