#include <doctest/doctest.h>

#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/mesh_check.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using geometry::check_mesh;
using geometry::repair_mesh;

TEST_CASE("a sound mesh is unchanged") {
  const auto repaired = repair_mesh(l_prism(2));
  CHECK(repaired.changes.empty());
  CHECK(repaired.mesh.vertices == l_prism(2).vertices);
  CHECK(repaired.mesh.triangles == l_prism(2).triangles);
}

TEST_CASE("duplicate vertices are merged, an inside-out mesh is flipped, and both are reported") {
  TriangleMesh soup;
  const TriangleMesh cube = flipped(unit_cube());
  for (const Triangle& t : cube.triangles)
    append(soup, {{cube.vertices[t[0]], cube.vertices[t[1]], cube.vertices[t[2]]}, {{0, 1, 2}}});
  const auto repaired = repair_mesh(soup);
  REQUIRE(repaired.changes.size() == 2);
  CHECK(repaired.changes[0] == "28 duplicate vertices were merged");
  CHECK(repaired.changes[1] == "the surface was inside-out and was flipped");
  CHECK(repaired.mesh.vertices.size() == 8);
  CHECK(check_mesh(repaired.mesh).is_solid());
  CHECK(geometry::mesh_mass(1, repaired.mesh).mass == 1);
}

TEST_CASE("a hollow solid that is inside-out is flipped with its cavity") {
  TriangleMesh hollow = unit_cube();
  append(hollow, flipped(box_mesh({0.25, 0.25, 0.25}, {0.5, 0.5, 0.5})));
  const auto repaired = repair_mesh(flipped(hollow));
  CHECK(repaired.changes.size() == 1);
  CHECK(check_mesh(repaired.mesh).is_solid());
}

TEST_CASE("meshes with other faults than inside-out are unchanged") {
  TriangleMesh one_wrong = flipped(unit_cube());  // the larger of two shells side by side
  append(one_wrong, box_mesh({2, 0, 0}, {2.5, 0.5, 0.5}));
  TriangleMesh open = flipped(unit_cube());
  open.triangles.pop_back();
  TriangleMesh repeated = unit_cube();
  repeated.triangles.push_back(repeated.triangles[0]);
  for (const TriangleMesh& mesh : {one_wrong, open, repeated}) {
    const auto repaired = repair_mesh(mesh);
    CHECK(repaired.changes.empty());
    CHECK(repaired.mesh.triangles == mesh.triangles);
  }
}

TEST_CASE("invalid coordinates and indices are unchanged") {
  TriangleMesh mesh = unit_cube();
  mesh.vertices[2].x() = std::numeric_limits<double>::quiet_NaN();
  mesh.vertices[4].x() = std::numeric_limits<double>::quiet_NaN();
  mesh.triangles[3][0] = 77;
  CHECK(repair_mesh(mesh).changes.empty());
  CHECK(repair_mesh(mesh).mesh.triangles == mesh.triangles);
}
