#include "tumble/geometry/mesh_io.h"

#include <doctest/doctest.h>

#include <limits>

#include "unit/geometry/meshes.h"
#include "unit/geometry/reading.h"

using namespace tumble;
using namespace tumble::test;
using geometry::read_mesh;
using geometry::write_mesh;

namespace {

bool same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

// Numbers that change if a single digit is dropped.
TriangleMesh awkward_mesh() {
  Random random(23);
  TriangleMesh mesh = mapped(sphere_mesh(2), [&](const Vec3& v) { return Vec3(v + random.point(0.1)); });
  mesh.vertices[0] =
      Vec3(-0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max());
  mesh.vertices[1] = Vec3(0.1, 1.0 / 3, -std::numeric_limits<double>::min());
  return mesh;
}

}  // namespace

TEST_CASE("OBJ and PLY survive a round trip to the bit") {
  const TriangleMesh mesh = awkward_mesh();
  for (const std::string name : {"a.obj", "a.ply", "dir.stl/A.PLY"}) {
    const auto bytes = write_mesh(mesh, name);
    REQUIRE(bytes);
    const auto again = read_mesh(*bytes, name);
    REQUIRE(again);
    REQUIRE(again->vertices.size() == mesh.vertices.size());
    for (size_t i = 0; i < mesh.vertices.size(); ++i)
      for (int k = 0; k < 3; ++k) CHECK(same_bits(again->vertices[i][k], mesh.vertices[i][k]));
    CHECK(again->triangles == mesh.triangles);
  }
}

TEST_CASE("STL survives a round trip in single precision") {
  const TriangleMesh mesh = sphere_mesh(3);
  const auto again = read_mesh(write_mesh(mesh, "a.stl").value(), "a.stl");
  REQUIRE(again);
  REQUIRE(again->triangles.size() == mesh.triangles.size());
  CHECK(again->vertices.size() == mesh.vertices.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t i = 0; i < 3; ++i)
      CHECK(again->vertices[again->triangles[t][i]] ==
            mesh.vertices[mesh.triangles[t][i]].cast<float>().cast<double>());
}

TEST_CASE("an empty mesh can be written and read in every format") {
  for (const std::string name : {"a.obj", "a.stl", "a.ply"}) {
    const auto again = read_mesh(write_mesh({}, name).value(), name);
    REQUIRE(again);
    CHECK(again->triangles.empty());
  }
}

TEST_CASE("the extension, in any case, selects the format") {
  CHECK(geometry::is_mesh_file("a.obj"));
  CHECK(geometry::is_mesh_file("dir/B.Stl"));
  CHECK(geometry::is_mesh_file("x.y.PLY"));
  CHECK_FALSE(geometry::is_mesh_file("obj"));
  CHECK_FALSE(geometry::is_mesh_file("a.obj.txt"));
  CHECK(faults_of(read_mesh("", "a.txt")) ==
        "a.txt: is not a mesh file this program knows (.obj, .stl or .ply)\n");
  CHECK(faults_of(write_mesh({}, "a")) == "a: is not a mesh file this program knows (.obj, .stl or .ply)\n");
}

TEST_CASE("a mesh that no reader would accept is not written") {
  TriangleMesh mesh = unit_cube();
  mesh.vertices[5].z() = 1e39;
  CHECK(faults_of(write_mesh(mesh, "a.stl")) ==
        "a.stl: cannot be written: vertex 5 is not finite or too large for the format\n");
  CHECK(static_cast<bool>(write_mesh(mesh, "a.obj")));
  mesh.vertices[5].z() = std::numeric_limits<double>::quiet_NaN();
  for (const std::string name : {"a.obj", "a.stl", "a.ply"}) CHECK_FALSE(write_mesh(mesh, name));
  TriangleMesh dangling = unit_cube();
  dangling.triangles[2][0] = 8;
  CHECK(faults_of(write_mesh(dangling, "a.ply")) ==
        "a.ply: cannot be written: triangle 2 names vertex 8 of 8\n");
}
