#include <doctest/doctest.h>

#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/mesh_check.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using geometry::check_mesh;
using geometry::mend_mesh;

TEST_CASE("a sound mesh is left as it is") {
  const auto mended = mend_mesh(l_prism(2));
  CHECK(mended.changes.empty());
  CHECK(mended.mesh.vertices == l_prism(2).vertices);
  CHECK(mended.mesh.triangles == l_prism(2).triangles);
}

TEST_CASE("duplicate vertices are merged and an inside-out mesh is turned, each with a sentence") {
  TriangleMesh soup;
  const TriangleMesh cube = turned_inside_out(unit_cube());
  for (const Triangle& t : cube.triangles)
    append(soup, {{cube.vertices[t[0]], cube.vertices[t[1]], cube.vertices[t[2]]}, {{0, 1, 2}}});
  const auto mended = mend_mesh(soup);
  REQUIRE(mended.changes.size() == 2);
  CHECK(mended.changes[0] == "28 duplicate vertices were merged");
  CHECK(mended.changes[1] == "the surface was inside-out and was turned");
  CHECK(mended.mesh.vertices.size() == 8);
  CHECK(check_mesh(mended.mesh).is_solid());
  CHECK(geometry::mesh_mass(1, mended.mesh).mass == 1);
}

TEST_CASE("a hollow solid that is wholly inside-out is turned with its cavity") {
  TriangleMesh hollow = unit_cube();
  append(hollow, turned_inside_out(box_mesh({0.25, 0.25, 0.25}, {0.5, 0.5, 0.5})));
  const auto mended = mend_mesh(turned_inside_out(hollow));
  CHECK(mended.changes.size() == 1);
  CHECK(check_mesh(mended.mesh).is_solid());
}

TEST_CASE("what is not only inside-out is not touched") {
  TriangleMesh one_wrong = turned_inside_out(unit_cube());  // the larger of two shells side by side
  append(one_wrong, box_mesh({2, 0, 0}, {2.5, 0.5, 0.5}));
  TriangleMesh open = turned_inside_out(unit_cube());
  open.triangles.pop_back();
  TriangleMesh repeated = unit_cube();
  repeated.triangles.push_back(repeated.triangles[0]);
  for (const TriangleMesh& mesh : {one_wrong, open, repeated}) {
    const auto mended = mend_mesh(mesh);
    CHECK(mended.changes.empty());
    CHECK(mended.mesh.triangles == mesh.triangles);
  }
}

TEST_CASE("broken numbers survive mending untouched") {
  TriangleMesh mesh = unit_cube();
  mesh.vertices[2].x() = std::numeric_limits<double>::quiet_NaN();
  mesh.vertices[4].x() = std::numeric_limits<double>::quiet_NaN();
  mesh.triangles[3][0] = 77;
  CHECK(mend_mesh(mesh).changes.empty());
  CHECK(mend_mesh(mesh).mesh.triangles == mesh.triangles);
}
