#include <doctest/doctest.h>

#include <limits>

#include "tumble/geometry/mesh_check.h"
#include "tumble/geometry/mesh_io.h"
#include "unit/geometry/meshes.h"
#include "unit/geometry/reading.h"

using namespace tumble;
using namespace tumble::test;
using geometry::read_stl;

namespace {

std::string facet(const std::string& a, const std::string& b, const std::string& c) {
  return "facet normal 0 0 1\n outer loop\n  vertex " + a + "\n  vertex " + b + "\n  vertex " + c +
         "\n endloop\nendfacet\n";
}

const std::string kTwoFacets = facet("0 0 0", "1 0 0", "0 1 0") + facet("1 0 0", "1 1 0", "-0 1 0");

// A binary file of the unit cube. `count` is the count in the header.
std::string binary_cube(std::string header, uint32_t count = 12) {
  header.resize(80, '\0');
  std::string bytes = header + bytes_of(count);
  const TriangleMesh cube = unit_cube();
  for (const Triangle& t : cube.triangles) {
    for (int i = 0; i < 3; ++i)
      bytes += bytes_of(std::numeric_limits<float>::quiet_NaN());  // normals are not used
    for (const uint32_t corner : t)
      for (int i = 0; i < 3; ++i) bytes += bytes_of(static_cast<float>(cube.vertices[corner][i]));
    bytes += "ab";
  }
  return bytes;
}

}  // namespace

TEST_CASE("text STL is read, and equal corners become one vertex") {
  const auto mesh = read_stl("solid part one\n" + kTwoFacets + "endsolid part one\n", "a.stl");
  REQUIRE(mesh);
  CHECK(mesh.diagnostics().empty());
  CHECK(mesh->vertices.size() == 4);  // -0 equals 0
  CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}});
}

TEST_CASE("text STL may be in capitals, on few lines, in several solids, and without normals") {
  const auto mesh = read_stl(
      "\n SOLID\r\nFACET NORMAL nan nan nan OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 1 0 "
      "ENDLOOP ENDFACET\r\nENDSOLID\r\nsolid b\n" +
          kTwoFacets + "endsolid b",
      "a.stl");
  REQUIRE(mesh);
  CHECK(mesh->triangles.size() == 3);
  CHECK(mesh->vertices.size() == 4);
}

TEST_CASE("binary STL is read, also when it begins with the word solid") {
  for (const std::string header : {"made by hand", "solid cube", "solid cube\nfacet normal 0 0 1"}) {
    const auto mesh = read_stl(binary_cube(header), "a.stl");
    REQUIRE(mesh);
    CHECK(mesh->vertices.size() == 8);
    CHECK(geometry::check_mesh(*mesh).is_solid());
  }
}

TEST_CASE("bytes after the last triangle are ignored with a warning") {
  const auto mesh = read_stl(binary_cube("solid") + "xyz", "a.stl");
  REQUIRE(mesh);
  CHECK(faults_of(mesh) == "a.stl: byte 684: warning: 3 bytes after the last triangle are ignored\n");
}

TEST_CASE("a truncated binary file and a huge count are rejected at the count") {
  CHECK(faults_of(read_stl(binary_cube("x").substr(0, 683), "a.stl")) ==
        "a.stl: byte 80: the count announces 12 triangles (684 bytes), but the file has 683 bytes; is it "
        "complete, "
        "and is it STL?\n");
  CHECK(faults_of(read_stl(binary_cube("solid", 0xffffffffu), "a.stl")) ==
        "a.stl: byte 80: the count announces 4294967295 triangles (214748364834 bytes), but the file has 684 "
        "bytes; "
        "is it complete, and is it STL?\n");
  CHECK(faults_of(read_stl("what is this", "a.stl")) ==
        "a.stl: byte 12: the file ends inside the header; neither text STL (which begins with 'solid') nor "
        "binary "
        "STL (which has at least 84 bytes)\n");
}

TEST_CASE("a binary coordinate that is not finite is rejected with its byte offset") {
  std::string bytes = binary_cube("x");
  bytes.replace(84 + 50 + 12 + 8, 4, bytes_of(std::numeric_limits<float>::infinity()));
  CHECK(faults_of(read_stl(bytes, "a.stl")) ==
        "a.stl: byte 154: coordinate of facet 2 is not a finite number\n");
}

TEST_CASE("faults in text STL have their line, and reading continues with the next facet") {
  CHECK(
      faults_of(read_stl("solid a\n" + facet("0 0 0", "1 x 0", "0 1 0") + facet("0 0 0", "1 0 0", "0 1 inf") +
                             "facet normal 0 0 1\n outer circle\nendfacet\n" +
                             facet("0 0 0", "1 0 0", "0 1 0 9") + "nonsense\nendfacet\nendsolid\n",
                         "a.stl")) ==
      "a.stl:5: vertex coordinate 'x' is not a number\n"
      "a.stl:13: vertex coordinate 'inf' is not a finite number\n"
      "a.stl:17: 'circle' found where 'loop' was expected\n"
      "a.stl:23: '9' found where 'endloop' was expected\n"
      "a.stl:26: 'nonsense' found where 'facet' or 'endsolid' was expected\n");
}

TEST_CASE("a text file that ends too early is reported") {
  CHECK(faults_of(read_stl("solid a\n" + kTwoFacets, "a.stl")) ==
        "a.stl:16: the file ends before 'endsolid'; is it complete?\n");
  CHECK(faults_of(read_stl("solid a\nfacet normal 0 0", "a.stl")) ==
        "a.stl:2: the file ends inside a facet\na.stl:2: the file ends before 'endsolid'; is it complete?\n");
}

TEST_CASE("a facet with four corners is rejected") {
  const std::string quad =
      "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 vertex 0 1 0 endloop endfacet\n";
  CHECK(faults_of(read_stl("solid\n" + quad + "endsolid\n", "a.stl")) ==
        "a.stl:2: 'vertex' found where 'endloop' was expected\n");
}
