#include "tumble/collision/shape.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/tolerance.h"
#include "tumble/geometry/tessellate.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using namespace tumble::collision;

namespace {

std::vector<Shape> all_solids() {
  const auto prism = std::make_shared<const TriangleMesh>(l_prism(0.6));
  const auto octahedron = std::make_shared<const TriangleMesh>(sphere_mesh(0));
  return {Sphere{0.7}, Box{Vec3(0.3, 0.8, 1.1)}, Capsule{0.3, 1.2}, Cylinder{0.5, 0.9}, Cone{0.4, 1.5},
          Mesh{prism}, Hull{octahedron}};
}

// Two cells, one of them sloped.
Shape ridge() {
  const TriangleMesh sheet{{{-1, 0, -1}, {0, 2, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 2, 1}, {1, 0, 1}},
                           {{0, 3, 1}, {1, 3, 4}, {1, 4, 2}, {2, 4, 5}}};
  return HeightField{std::make_shared<const TriangleMesh>(sheet)};
}

// The largest difference in mass, centre and inertia, relative to mass, 1 m and mass * 1 m^2.
double difference(const geometry::MassProperties& a, const geometry::MassProperties& b) {
  return std::max({std::abs(a.mass - b.mass) / b.mass, (a.center - b.center).norm(),
                   (a.inertia - b.inertia).norm() / b.mass});
}

}  // namespace

TEST_CASE("shape_name names every shape") {
  std::vector<std::string> names;
  for (const Shape& shape : all_solids()) names.emplace_back(shape_name(shape));
  CHECK(names == std::vector<std::string>{"sphere", "box", "capsule", "cylinder", "cone", "mesh", "hull"});
  CHECK(std::string(shape_name(Plane{Vec3::UnitY()})) == "plane");
  CHECK(std::string(shape_name(ridge())) == "height field");
}

TEST_CASE("the triangles of a mesh, a hull and a height field are shared, others have none") {
  const auto cube = std::make_shared<const TriangleMesh>(unit_cube());
  for (const Shape& shape : {Shape(Mesh{cube}), Shape(Hull{cube}), Shape(HeightField{cube})})
    CHECK(triangles_of(shape) == cube);
  CHECK(triangles_of(Sphere{1}) == nullptr);
  CHECK(triangles_of(Plane{Vec3::UnitY()}) == nullptr);
}

TEST_CASE("a height field has no mass, reaches its farthest vertex and is tessellated unchanged") {
  CHECK(compute_mass(ridge(), 1000).mass == 0);
  CHECK(reach_from(ridge(), Vec3(0, 0, 0)) == doctest::Approx(std::sqrt(5.0)).epsilon(support::round_off(4)));
  CHECK(reach_from(ridge(), Vec3(1, 0, 1)) == doctest::Approx(std::sqrt(9.0)).epsilon(support::round_off(4)));
  CHECK(tessellate(ridge(), 1).triangles.size() == 4);
}

TEST_CASE("mass properties of shapes agree with those of their meshes") {
  for (const Shape& shape : all_solids()) {
    // The mesh of the shape has 32 segments per circle. It differs by its chords: sin(x)/x with x = pi/32, 2
    // pi/32 twice.
    const double bound = 4 * math::square(2 * math::kPi / 32) / 6;
    const auto mesh = tessellate(shape, 1);
    CHECK_MESSAGE(difference(geometry::mesh_mass(700, mesh), compute_mass(shape, 700)) < bound,
                  shape_name(shape));
  }
}

TEST_CASE("mass properties of meshes of round shapes converge with order 2") {
  const auto order = [](const auto& tessellated, const geometry::MassProperties& exact) {
    const double coarse = difference(geometry::mesh_mass(1, tessellated(64)), exact);
    const double fine = difference(geometry::mesh_mass(1, tessellated(128)), exact);
    return std::log2(coarse / fine);
  };
  // Truncation, h^2.
  CHECK(order([](int n) { return geometry::tessellate_sphere(0.7, n); }, geometry::sphere_mass(1, 0.7)) ==
        doctest::Approx(2).epsilon(0.03));
  CHECK(order([](int n) { return geometry::tessellate_cylinder(0.5, 0.9, n); },
              geometry::cylinder_mass(1, 0.5, 0.9)) == doctest::Approx(2).epsilon(0.03));
  CHECK(order([](int n) { return geometry::tessellate_cone(0.4, 1.5, n); },
              geometry::cone_mass(1, 0.4, 1.5)) == doctest::Approx(2).epsilon(0.03));
  CHECK(order([](int n) { return geometry::tessellate_capsule(0.3, 1.2, n); },
              geometry::capsule_mass(1, 0.3, 1.2)) == doctest::Approx(2).epsilon(0.03));
}

TEST_CASE("a plane has no mass and an infinite reach") {
  const Shape plane = Plane{Vec3::UnitY()};
  CHECK(compute_mass(plane, 1000).mass == 0);
  CHECK(reach_from(plane, Vec3(1, 2, 3)) == std::numeric_limits<double>::infinity());
  for (const Vec3& v : tessellate(plane, 8).vertices) CHECK(v.y() == 0);
}

TEST_CASE("the reach of a shape is the largest distance of its points") {
  Random random(41);
  for (const Shape& shape : all_solids()) {
    const auto mesh = tessellate(shape, 1);
    for (int round = 0; round < 20; ++round) {
      const Vec3 point = random.point(1.5);
      double farthest = 0;
      for (const Vec3& v : mesh.vertices) farthest = std::max(farthest, (v - point).norm());
      const double reach = reach_from(shape, point);
      // Vertices lie on the surface. The farthest point is at most half a segment from one of them. Its
      // distance differs by less than the sagitta r (pi/32)^2 along the axis and around it, and r < 1.
      CHECK_MESSAGE(reach >= farthest * (1 - support::round_off(16)), shape_name(shape));
      CHECK_MESSAGE(reach <= farthest + 2 * math::square(math::kPi / 32), shape_name(shape));
    }
  }
}

TEST_CASE("the reach agrees with closed forms") {
  CHECK(reach_from(Sphere{2}, Vec3(0, 3, 0)) == 5);
  CHECK(reach_from(Box{Vec3(2, 4, 6)}, Vec3(-1, 0, 1)) ==
        doctest::Approx(std::sqrt(4.0 + 4 + 16)).epsilon(support::round_off(4)));
  CHECK(reach_from(Capsule{1, 4}, Vec3(0, 1, 0)) == 4);
  CHECK(reach_from(Cylinder{3, 8}, Vec3(0, 0, 0)) == 5);
  CHECK(reach_from(Cone{3, 8}, Vec3(0, -4, 0)) == 8);
  CHECK(reach_from(Cone{3, 8}, Vec3(0, 4, 0)) ==
        doctest::Approx(std::sqrt(73.0)).epsilon(support::round_off(4)));
}
