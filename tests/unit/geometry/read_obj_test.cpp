#include <doctest/doctest.h>

#include "tumble/geometry/mesh_check.h"
#include "tumble/geometry/mesh_io.h"
#include "unit/geometry/reading.h"

using namespace tumble;
using namespace tumble::test;
using geometry::read_obj;
using geometry::Triangle;
using math::Vec3;

namespace {

const std::string kCorner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

}  // namespace

TEST_CASE("vertices and faces are read, and other content is skipped") {
  const auto mesh = read_obj(
      "# a comment\nmtllib x.mtl\no thing\nv 0 0 0 # here\n  v\t1.5e0 +2 -.25 1\nv 0 1 0 0.5 0.5 0.5\nvt 0 "
      "0\nvn 0 0 1\n"
      "g side\nusemtl red\ns off\nl 1 2\nunknown_keyword f 9 9 9\nf 1/1/1 2/1/1 3/1/1\n",
      "a.obj");
  REQUIRE(mesh);
  REQUIRE(mesh->vertices.size() == 3);
  CHECK(mesh->vertices[1] == Vec3(1.5, 2, -0.25));
  CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}});
}

TEST_CASE("all forms of a face corner refer to the same vertices") {
  for (const char* face : {"f 1 2 3", "f 1/7 2/7 3/7", "f 1//7 2//7 3//7", "f 1/7/7 2/7/7 3/7/7",
                           "f -4 -3 -2", "f -4/-1 -3 3//-1"}) {
    const auto mesh = read_obj(kCorner + face, "a.obj");
    REQUIRE_MESSAGE(mesh, face);
    CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}});
  }
}

TEST_CASE("lines end with LF, CR LF or CR, and a backslash joins them") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const auto mesh = read_obj(
        "v 0 0 0" + end + "v 1 \\" + end + " 0 0" + end + end + "v 0 1 0" + end + "f 1 2\\" + end + "3",
        "a.obj");
    REQUIRE(mesh);
    CHECK(mesh->vertices[1] == Vec3(1, 0, 0));
    CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}});
    const auto faults = faults_of(read_obj("v 0 0 \\" + end + "0" + end + "v 1 x 0" + end, "a.obj"));
    CHECK(faults == "a.obj:3: vertex coordinate 'x' is not a number\n");
  }
}

TEST_CASE("a convex polygon becomes a fan") {
  const auto mesh = read_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "a.obj");
  REQUIRE(mesh);
  CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("polygons that are concave or have corners on an edge are triangulated without overlap") {
  const char* shapes[] = {
      "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n",                    // L
      "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 3 3 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\n",  // U
      "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 2 2 0\nv 0 2 0\n",                    // corners on edges
      "v 0 0 0\nv 2 1 0\nv 4 0 0\nv 3 2 0\nv 4 4 0\nv 2 3 0\nv 0 4 0\nv 1 2 0\n",  // star
  };
  const double areas[] = {3, 8, 4, 8};
  for (size_t k = 0; k < 4; ++k) {
    const std::string text = shapes[k];
    const auto n = static_cast<int>(std::count(text.begin(), text.end(), 'v'));
    for (int start = 0; start < n; ++start) {  // starting at each corner
      std::string face = "f";
      for (int i = 0; i < n; ++i) face += " " + std::to_string((start + i) % n + 1);
      const auto mesh = read_obj(text + face, "a.obj");
      REQUIRE(mesh);
      double area = 0;
      for (const Triangle& t : mesh->triangles) {
        const Vec3 normal =
            (mesh->vertices[t[1]] - mesh->vertices[t[0]]).cross(mesh->vertices[t[2]] - mesh->vertices[t[0]]);
        CHECK(normal.z() > 0);
        area += 0.5 * normal.z();
      }
      CHECK(area == areas[k]);
      CHECK(mesh->triangles.size() == static_cast<size_t>(n - 2));
      CHECK_FALSE(geometry::check_mesh(*mesh).has(geometry::MeshFault::self_intersection));
    }
  }
}

TEST_CASE("faces may refer to vertices that come later") {
  const auto mesh = read_obj("f 1 2 3\n" + kCorner, "a.obj");
  REQUIRE(mesh);
  CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}});
}

TEST_CASE("all faults of a file are reported with their lines") {
  CHECK(faults_of(read_obj("v 0 0\nv 0 zero 0\nv nan 0 0\nv 0 0 1e999\n" + kCorner +
                               "f 1 2\nf 1 2 0\nf 1 2 99\nf 1 -9 2\nf 1 2 x\nf 1/a 2 3\nf 1 2 3.5\n",
                           "dir/a.obj")) ==
        "dir/a.obj:1: a vertex needs three coordinates, 2 given\n"
        "dir/a.obj:2: vertex coordinate 'zero' is not a number\n"
        "dir/a.obj:3: vertex coordinate 'nan' is not a finite number\n"
        "dir/a.obj:4: vertex coordinate '1e999' is outside the range of double precision numbers\n"
        "dir/a.obj:9: a face needs at least three corners, 2 given\n"
        "dir/a.obj:10: face corner '0' names no vertex (7 given so far; numbers start at 1)\n"
        "dir/a.obj:12: face corner '-9' names no vertex (7 given so far; numbers start at 1)\n"
        "dir/a.obj:13: face corner 'x' is not a vertex number (expected v, v/vt, v//vn or v/vt/vn)\n"
        "dir/a.obj:14: face corner '1/a' is not a vertex number (expected v, v/vt, v//vn or v/vt/vn)\n"
        "dir/a.obj:15: face corner '3.5' is not a vertex number (expected v, v/vt, v//vn or v/vt/vn)\n"
        "dir/a.obj:11: face corner '99' names no vertex (the file has 7)\n");
}

TEST_CASE("reading stops after 20 faults") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "v ? ? ?\n";
  const auto mesh = read_obj(text, "a.obj");
  REQUIRE_FALSE(mesh);
  CHECK(mesh.diagnostics().size() == 21);
  CHECK(mesh.diagnostics().back().message == "reading stopped after 20 faults; there may be more");
}

TEST_CASE("words in messages are shortened and printable") {
  CHECK(faults_of(read_obj("v 0 0 \x01\xff" + std::string(60, 'y') + "\n", "a.obj")) ==
        "a.obj:1: vertex coordinate '??" + std::string(38, 'y') + "...' is not a number\n");
}

TEST_CASE("numbers do not depend on the locale") {
  const char* old = std::setlocale(LC_NUMERIC, nullptr);
  const std::string before = old ? old : "C";
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  const auto mesh = read_obj("v 1.5 0 0\n", "a.obj");
  std::setlocale(LC_NUMERIC, before.c_str());
  REQUIRE(mesh);
  CHECK(mesh->vertices[0].x() == 1.5);
}
