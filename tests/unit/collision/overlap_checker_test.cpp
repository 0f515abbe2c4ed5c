// The overlap checker where the depth is obvious: 1 mm into a floor, a corner in a face, an edge across an
// edge, a body inside another, in its cavity, through a sheet.
#include "tumble/collision/overlap_checker.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/tolerance.h"
#include "tumble/geometry/tessellate.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using namespace tumble::collision;
using math::Pose;
using math::Quat;

namespace {

constexpr double kMillimetre = 1e-3;

Mesh mesh_shape(TriangleMesh mesh) { return {std::make_shared<const TriangleMesh>(std::move(mesh))}; }
Pose moved_by(const Vec3& p) { return {Quat::identity(), p}; }

// An L in the plane, 0 <= z <= height, with z up: not convex, flat on both sides.
Mesh block_of_l() { return mesh_shape(l_prism(0.5)); }

// A box with a smaller box cut out of it.
TriangleMesh hollow_box(const Vec3& size, const Vec3& cavity) {
  TriangleMesh mesh = test::box_mesh(-0.5 * size, 0.5 * size);
  append(mesh, flipped(test::box_mesh(-0.5 * cavity, 0.5 * cavity)));
  return mesh;
}

// A square sheet in the plane z = 0, divided into n by n squares of two triangles.
TriangleMesh square_sheet(double size, int n) {
  TriangleMesh mesh;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      mesh.vertices.emplace_back(size * (static_cast<double>(i) / n - 0.5),
                                 size * (static_cast<double>(j) / n - 0.5), 0);
  const auto at = [n](int i, int j) { return static_cast<uint32_t>(i * (n + 1) + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

struct NamedShape {
  std::string name;
  Shape shape;
  Pose X = {};
};

// Every kind of floor with its top at z = 0 around (0, 0).
std::vector<NamedShape> floors() {
  const Vec3 shift(0.7, 0.7, 0.5);  // the middle of the L's corner, with its top at 0
  return {{"plane", Plane{Vec3(0, 0, 1)}},
          {"convex mesh", mesh_shape(test::box_mesh(Vec3(-3, -4, -1), Vec3(5, 4, 0)))},
          {"L", mesh_shape(mapped(l_prism(0.5), [&](const Vec3& v) { return Vec3(4 * v - 4 * shift); }))},
          {"subdivided L", mesh_shape(mapped(subdivided(subdivided(l_prism(0.5))),
                                             [&](const Vec3& v) { return Vec3(4 * v - 4 * shift); }))},
          {"hollow", mesh_shape(mapped(hollow_box(Vec3(8, 8, 4), Vec3(7, 7, 1)),
                                       [](const Vec3& v) { return Vec3(v - Vec3(0, 0, 2)); }))},
          {"sheet", mesh_shape(square_sheet(8, 1))},
          {"fine sheet", mesh_shape(square_sheet(8, 16))},
          {"hull", Hull{mesh_shape(test::box_mesh(Vec3(-3, -4, -1), Vec3(5, 4, 0))).triangles}},
          {"height field", HeightField{mesh_shape(square_sheet(8, 5)).triangles}}};
}

// Bodies, and the pose in which their lowest point is `low` above the origin, at or around (x, y) = (0, 0).
std::vector<NamedShape> standing_bodies(double low) {
  const Quat upright = Quat::from_axis_angle(Vec3(1, 0, 0), math::kPi / 2);  // y to z
  const double h = 0.25;
  return {{"sphere", Sphere{h}, moved_by(Vec3(0, 0, h + low))},
          {"capsule upright", Capsule{0.1, 0.3}, {upright, Vec3(0, 0, h + low)}},
          {"capsule lying", Capsule{0.1, 0.3}, moved_by(Vec3(0, 0, 0.1 + low))},
          {"box", Box{Vec3(0.3, 0.4, 2 * h)}, moved_by(Vec3(0, 0, h + low))},
          {"cylinder upright", Cylinder{0.2, 2 * h}, {upright, Vec3(0, 0, h + low)}},
          {"cylinder lying", Cylinder{0.2, 2 * h}, moved_by(Vec3(0, 0, 0.2 + low))},
          {"cone", Cone{0.2, 2 * h}, {upright, Vec3(0, 0, h + low)}},
          {"cone on its apex",
           Cone{0.2, 2 * h},
           {Quat::from_axis_angle(Vec3(1, 0, 0), -math::kPi / 2), Vec3(0, 0, h + low)}},
          {"convex mesh", mesh_shape(test::box_mesh(Vec3(-0.2, -0.2, -h), Vec3(0.2, 0.2, h))),
           moved_by(Vec3(0, 0, h + low))},
          {"hull", Hull{mesh_shape(sphere_mesh(0)).triangles}, moved_by(Vec3(0, 0, 1 + low))},
          {"L", block_of_l(), moved_by(Vec3(-0.4, -0.4, low))}};
}

Pose transformed(const Pose& all, const Pose& part) { return all * part; }

double depth_of(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  OverlapChecker checker;
  const Overlap there = checker.measure(a, X_WA, b, X_WB), back = checker.measure(b, X_WB, a, X_WA);
  CHECK(there.depth == doctest::Approx(back.depth).epsilon(support::round_off(1e4)));
  return there.depth;
}

}  // namespace

TEST_CASE("a body 1 mm inside any floor has a depth of 1 mm, in any pose") {
  Random random(3);
  for (const NamedShape& floor : floors())
    for (const NamedShape& body : standing_bodies(-kMillimetre)) {
      CAPTURE(floor.name);
      CAPTURE(body.name);
      for (const double distance : {0.0, 1.0, 1000.0}) {
        const Pose all{Quat::from_rotation_vector(random.point(distance == 0 ? 0 : 3)),
                       random.point(distance)};
        const double depth = depth_of(body.shape, transformed(all, body.X), floor.shape, all);
        CHECK(std::abs(depth - kMillimetre) <= support::round_off(64, 10 + distance));
      }
    }
}

TEST_CASE("a body at gap 0 on any floor, in any frame, does not overlap") {
  Random random(5);
  for (const NamedShape& floor : floors())
    for (const NamedShape& body : standing_bodies(0)) {
      CAPTURE(floor.name);
      CAPTURE(body.name);
      for (const double distance : {0.0, 1.0, 1000.0})
        for (int i = 0; i < 5; ++i) {
          const Pose all{Quat::from_rotation_vector(random.point(distance == 0 ? 0 : 3)),
                         random.point(distance)};
          CHECK(depth_of(body.shape, transformed(all, body.X), floor.shape, all) == 0);
        }
    }
}

TEST_CASE("a body 1e-12 m above any floor does not overlap, and one 1e-12 m below does") {
  for (const NamedShape& floor : floors())
    for (const double hair : {1e-6, 1e-9, 1e-12}) {
      CAPTURE(floor.name);
      CAPTURE(hair);
      for (const NamedShape& body : standing_bodies(hair)) {
        CAPTURE(body.name);
        CHECK(depth_of(body.shape, body.X, floor.shape, Pose{}) == 0);
      }
      for (const NamedShape& body : standing_bodies(-hair)) {
        CAPTURE(body.name);
        CHECK(std::abs(depth_of(body.shape, body.X, floor.shape, Pose{}) - hair) <=
              support::round_off(64, 10));
      }
    }
}

TEST_CASE("a corner 1 mm inside a face has a depth of 1 mm") {
  // A cube on its corner: its diagonal is along z.
  const Quat up = Quat::from_axis_angle(Vec3(1, -1, 0), std::acos(1 / std::sqrt(3.0)));
  const double half_diagonal = 0.5 * 0.4 * std::sqrt(3.0);
  const Pose X{up, Vec3(0, 0, half_diagonal - kMillimetre)};
  REQUIRE((up * Vec3(1, 1, 1)).cwiseAbs().maxCoeff() == doctest::Approx(std::sqrt(3.0)));
  const Mesh cube = mesh_shape(test::box_mesh(Vec3::Constant(-0.2), Vec3::Constant(0.2)));
  for (const NamedShape& floor : floors()) {
    CAPTURE(floor.name);
    for (const Shape& body : {Shape{Box{Vec3::Constant(0.4)}}, Shape{cube}})
      CHECK(std::abs(depth_of(body, X, floor.shape, Pose{}) - kMillimetre) <= support::round_off(64, 10));
  }
}

TEST_CASE("an edge that crosses an edge by 1 mm has a depth of 1 mm, for all solids and angles") {
  // A wedge below z = 0 with its edge along x, and one above it, rotated about z. A fin makes it non-convex.
  for (const double width : {0.2, 1.0, 3.0})
    for (const double angle : {0.3, 1.0, math::kPi / 2})
      for (const bool fin : {false, true}) {
        CAPTURE(width);
        CAPTURE(angle);
        CAPTURE(fin);
        TriangleMesh wedge{
            {{-1, 0, 0}, {1, 0, 0}, {-1, -width, -1}, {1, -width, -1}, {-1, width, -1}, {1, width, -1}},
            {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}, {2, 4, 5}, {2, 5, 3}, {0, 4, 2}, {1, 3, 5}}};
        if (fin) append(wedge, test::box_mesh(Vec3(-1, -0.1, -3), Vec3(1, 0.1, -2)));
        const Pose X{
            Quat::from_axis_angle(Vec3(0, 0, 1), angle) * Quat::from_axis_angle(Vec3(1, 0, 0), math::kPi),
            Vec3(0.03, 0.02, -kMillimetre)};
        const Mesh shape = mesh_shape(wedge);
        CHECK(std::abs(depth_of(shape, Pose{}, shape, X) - kMillimetre) <= support::round_off(256, 10));
        CHECK(depth_of(shape, Pose{}, shape, {X.rotation, Vec3(0.03, 0.02, kMillimetre)}) == 0);
      }
}

TEST_CASE("crossed beams have a depth of 1 mm, although no corner of one is in the other") {
  const TriangleMesh straight = test::box_mesh(Vec3(-2, -0.1, -0.1), Vec3(2, 0.1, 0.1));
  TriangleMesh two = straight;  // not convex: another beam below
  append(two, test::box_mesh(Vec3(-2, -0.1, -0.4), Vec3(2, 0.1, -0.3)));
  for (const double angle : {0.4, math::kPi / 2}) {
    const Pose X{Quat::from_axis_angle(Vec3(0, 0, 1), angle), Vec3(0.1, 0, 0.2 - kMillimetre)};
    for (const TriangleMesh& floor : {straight, two, subdivided(two)})
      for (const Shape& beam : {Shape{Box{Vec3(4, 0.2, 0.2)}}, Shape{mesh_shape(straight)}})
        CHECK(std::abs(depth_of(beam, X, mesh_shape(floor), Pose{}) - kMillimetre) <=
              support::round_off(64, 4));
  }
}

TEST_CASE("a small body inside a solid overlaps although no surfaces cross, but not in a cavity") {
  const Mesh room = mesh_shape(hollow_box(Vec3(10, 10, 10), Vec3(4, 4, 4)));
  const std::vector<std::pair<Shape, double>> bodies = {{Sphere{0.1}, 0.1},
                                                        {Capsule{0.05, 0.1}, 0.05 /* lies along y */},
                                                        {Box{Vec3::Constant(0.2)}, 0.1},
                                                        {Cylinder{0.1, 0.2}, 0.1},
                                                        {Cone{0.1, 0.2}, 0.1},
                                                        {block_of_l(), 0}};
  for (const auto& entry : bodies) {
    const Shape& body = entry.first;
    const double reach = entry.second;
    CAPTURE(shape_name(body));
    // 1 m below the outer face at x = 5, 2 m from the cavity.
    const double inside = depth_of(body, moved_by(Vec3(4, 0, 0)), room, Pose{});
    CHECK(inside >= 1 + (reach > 0 ? reach - support::round_off(64, 10) : 0));
    CHECK(inside <= 1.5);
    CHECK(depth_of(body, moved_by(Vec3(-0.9, -0.8, -0.3)), room, Pose{}) == 0);
    CHECK(depth_of(body, moved_by(Vec3(9, 0, 0)), room, Pose{}) == 0);
  }
  // A hollow solid inside the material of the other overlaps it.
  const Mesh small_room = mesh_shape(hollow_box(Vec3::Constant(0.2), Vec3::Constant(0.1)));
  CHECK(depth_of(small_room, moved_by(Vec3(4, 0, 0)), room, Pose{}) == doctest::Approx(1.1));
  CHECK(depth_of(small_room, Pose{}, room, Pose{}) == 0);
}

TEST_CASE("linked rings do not overlap, and overlap by 1 mm when moved together") {
  // A square ring in the xy plane: outer half 1, inner half 0.6, thickness 0.2.
  TriangleMesh ring;
  for (const double z : {-0.1, 0.1})
    for (const double half : {1.0, 0.6})
      for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
        ring.vertices.emplace_back(half * x, half * y, z);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t j = (i + 1) % 4;
    const auto quad = [&ring](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
      ring.triangles.push_back({a, b, c});
      ring.triangles.push_back({a, c, d});
    };
    quad(i, j, 8 + j, 8 + i);            // outside
    quad(4 + j, 4 + i, 12 + i, 12 + j);  // hole
    quad(8 + i, 8 + j, 12 + j, 12 + i);  // top
    quad(j, i, 4 + i, 4 + j);            // bottom
  }
  const Mesh shape = mesh_shape(ring);
  REQUIRE(geometry::compute_bounds(ring).upper.x() == 1);
  const Quat upright = Quat::from_axis_angle(Vec3(1, 0, 0), math::kPi / 2);
  // The bar of the second at x from 0.6 to 1 passes through the hole of the first. It is free from x = -0.4
  // to -1.2.
  CHECK(depth_of(shape, Pose{}, shape, {upright, Vec3(-0.8, 0, 0)}) == 0);
  CHECK(depth_of(shape, Pose{}, shape, {upright, Vec3(-1.2 + 1e-9, 0, 0)}) == 0);
  CHECK(std::abs(depth_of(shape, Pose{}, shape, {upright, Vec3(-1.2 - kMillimetre, 0, 0)}) - kMillimetre) <=
        support::round_off(64, 4));
}

TEST_CASE("the depth of a body through a sheet is that of its smaller part, and 0 beside the sheet") {
  for (const int n : {1, 7}) {
    const Mesh sheet = mesh_shape(square_sheet(4, n));
    CHECK(depth_of(Box{Vec3(1, 1, 1)}, moved_by(Vec3(0.1, 0.05, 0.3)), sheet, Pose{}) ==
          doctest::Approx(0.2));
    CHECK(depth_of(Box{Vec3(1, 1, 1)}, moved_by(Vec3(0.1, 0.05, -0.1)), sheet, Pose{}) ==
          doctest::Approx(0.4));
    CHECK(depth_of(Sphere{0.5}, moved_by(Vec3(0.1, 0.05, 0.3)), sheet, Pose{}) == doctest::Approx(0.2));
    CHECK(depth_of(Capsule{0.1, 0.6},
                   {Quat::from_axis_angle(Vec3(1, 0, 0), math::kPi / 2), Vec3(0.1, 0.05, 0.25)}, sheet,
                   Pose{}) == doctest::Approx(0.15));
    for (const NamedShape& body : standing_bodies(-0.1)) {
      CAPTURE(body.name);
      const Pose beside{body.X.rotation, body.X.translation + Vec3(4, 0, 0)};
      CHECK(depth_of(body.shape, beside, sheet, Pose{}) == 0);
    }
  }
}

TEST_CASE("depths have the same bits with a reused checker, and scale exactly with powers of two") {
  Random random(7);
  const TriangleMesh l = l_prism(0.5), big_l = mapped(l, [](const Vec3&v) { return Vec3(1024 * v); });
  const std::vector<std::pair<Shape, Shape>> shapes = {{Box{Vec3(1, 2, 3)}, Box{Vec3(1024, 2048, 3072)}},
                                                       {Cylinder{0.5, 1}, Cylinder{512, 1024}},
                                                       {Cone{0.5, 1}, Cone{512, 1024}},
                                                       {Capsule{0.5, 1}, Capsule{512, 1024}},
                                                       {mesh_shape(l), mesh_shape(big_l)}};
  OverlapChecker checker;
  int overlaps = 0;
  for (const auto& [a, big_a] : shapes)
    for (const auto& [b, big_b] : shapes)
      for (int i = 0; i < 20; ++i) {
        const Pose X{Quat::from_rotation_vector(random.point(3)), random.point(1)};
        const Pose big_X{X.rotation, 1024 * X.translation};
        const double depth = checker.measure(a, Pose{}, b, X).depth;
        overlaps += depth > 0;
        CHECK(depth == OverlapChecker().measure(a, Pose{}, b, X).depth);
        CHECK(1024 * depth == checker.measure(big_a, Pose{}, big_b, big_X).depth);
      }
  CHECK(overlaps > 100);
}

TEST_CASE("the depth is unknown for numbers that are not finite or too large, and for empty meshes") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  OverlapChecker checker;
  const Shape ball = Sphere{1};
  const auto says_nothing = [&](const Shape& a, const Pose& X) {
    const Overlap found = checker.measure(a, X, ball, Pose{});
    return found.depth == 0 && found.resolution == inf;
  };
  CHECK(says_nothing(ball, moved_by(Vec3(nan, 0, 0))));
  CHECK(says_nothing(ball, moved_by(Vec3(inf, 0, 0))));
  CHECK(says_nothing(ball, {Quat::from_wxyz(nan, 0, 0, 0), Vec3::Zero()}));
  CHECK(says_nothing(Sphere{1e80}, Pose{}));
  CHECK(says_nothing(mesh_shape({}), Pose{}));
  CHECK(says_nothing(mesh_shape({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, nan, 0)}, {{0, 1, 2}}}), Pose{}));
  CHECK(says_nothing(mesh_shape({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 3}}}), Pose{}));
}
