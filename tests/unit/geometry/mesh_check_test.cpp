#include "tumble/geometry/mesh_check.h"
#include "tumble/geometry/mesh_io.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>

#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using geometry::check_mesh;
using geometry::MeshFault;
using geometry::MeshReport;

namespace {

using Counts = std::map<MeshFault, size_t>;

Counts counts_of(const MeshReport& report) {
  Counts counts;
  for (const auto& fault : report.faults) counts[fault.fault] = fault.count;
  return counts;
}
Counts counts_of(const TriangleMesh& mesh) { return counts_of(check_mesh(mesh)); }

std::string description_of(const TriangleMesh& mesh, MeshFault fault) {
  const MeshReport report = check_mesh(mesh);
  const auto* found = report.find(fault);
  return found ? found->description : "";
}

TriangleMesh two_boxes(const Vec3& lower, const Vec3& upper) {
  TriangleMesh mesh = unit_cube();
  append(mesh, box_mesh(lower, upper));
  return mesh;
}

}  // namespace

namespace doctest {
template <>
struct StringMaker<Counts> {
  static String convert(const Counts& counts) {
    std::string text = "{";
    for (const auto& [fault, count] : counts)
      text += " " + std::to_string(static_cast<int>(fault)) + ":" + std::to_string(count);
    return (text + " }").c_str();
  }
};
}  // namespace doctest

TEST_CASE("sound solids have no faults") {
  CHECK(check_mesh(unit_cube()).is_solid());
  CHECK(check_mesh(l_prism(3)).is_solid());
  CHECK(check_mesh(sphere_mesh(4)).is_solid());
  CHECK(check_mesh(subdivided(subdivided(unit_cube()))).is_solid());
  CHECK(check_mesh(tetrahedron({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1})).is_solid());
  CHECK(check_mesh(two_boxes({2, 0, 0}, {3, 1, 1})).is_solid());
}

TEST_CASE("a sound solid stays sound when rotated, moved and scaled") {
  Random random(7);
  const math::Quat q = math::Quat::from_rotation_vector({0.3, -0.8, 0.5});
  for (const double size : {1e-100, 1e-9, 1.0, 1e9, 1e100}) {
    for (const TriangleMesh& mesh :
         {unit_cube(), subdivided(subdivided(l_prism(0.01))), random_star(random, 3)})
      CHECK(counts_of(mapped(mesh, [&](const Vec3& v) { return Vec3(size * (q * v + Vec3(3, 4, 5))); })) ==
            Counts{});
  }
}

TEST_CASE("a mesh without triangles is reported as empty") {
  CHECK(counts_of(TriangleMesh{}) == Counts{{MeshFault::empty, 1}});
  CHECK(counts_of(TriangleMesh{{Vec3(0, 0, 0)}, {}}) == Counts{{MeshFault::empty, 1}});
}

TEST_CASE("coordinates that are not finite are counted") {
  TriangleMesh mesh = unit_cube();
  mesh.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  mesh.vertices[6].x() = -std::numeric_limits<double>::infinity();
  CHECK(counts_of(mesh) == Counts{{MeshFault::not_finite, 2}});
  CHECK(check_mesh(mesh).find(MeshFault::not_finite)->first == 3);
  CHECK(description_of(mesh, MeshFault::not_finite) ==
        "2 vertices with a coordinate that is not finite (first vertex 3 at (0, nan, 1))");
}

TEST_CASE("corners out of range are counted") {
  TriangleMesh mesh = unit_cube();
  mesh.triangles[5][1] = 8;
  CHECK(counts_of(mesh) == Counts{{MeshFault::index_out_of_range, 1}});
  CHECK(description_of(mesh, MeshFault::index_out_of_range) ==
        "1 triangle that refers to a vertex that does not exist (triangle 5 at (0, 0, 0), vertex 8 of 8)");
}

TEST_CASE("a missing triangle leaves three open edges") {
  TriangleMesh mesh = unit_cube();
  mesh.triangles.erase(mesh.triangles.begin());  // 0 1 3
  CHECK(counts_of(mesh) == Counts{{MeshFault::open_edge, 3}});
  CHECK(description_of(mesh, MeshFault::open_edge) ==
        "3 open edges (first between vertex 0 at (0, 0, 0) and vertex 1 at (0, 0, 1))");
  CHECK(check_mesh(mesh).find(MeshFault::open_edge)->first == 0);
}

TEST_CASE("messages use the singular and the plural") {
  // No mesh has exactly one open edge, so take a lone triangle.
  const TriangleMesh lone{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  CHECK(counts_of(lone) == Counts{{MeshFault::open_edge, 3}});
  TriangleMesh mesh = unit_cube();
  std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
  CHECK(description_of(mesh, MeshFault::inconsistent_orientation) ==
        "3 edges along which their two triangles are oriented inconsistently (first between vertex 0 at (0, "
        "0, 0) and vertex 1 at (0, 0, 1))");
}

TEST_CASE("one flipped triangle disagrees with its three neighbours") {
  TriangleMesh mesh = unit_cube();
  std::swap(mesh.triangles[7][0], mesh.triangles[7][2]);
  CHECK(counts_of(mesh) == Counts{{MeshFault::inconsistent_orientation, 3}});
}

TEST_CASE("an inside-out solid has this fault only") {
  CHECK(counts_of(flipped(unit_cube())) == Counts{{MeshFault::inside_out, 1}});
  CHECK(counts_of(flipped(sphere_mesh(3))) == Counts{{MeshFault::inside_out, 1}});
  CHECK(description_of(flipped(unit_cube()), MeshFault::inside_out) ==
        "the surface is inside-out (it encloses a negative volume)");
}

TEST_CASE("a cavity that faces inwards is sound, and so is an island in it") {
  TriangleMesh mesh = unit_cube();
  append(mesh, flipped(box_mesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8})));
  CHECK(counts_of(mesh) == Counts{});
  append(mesh, box_mesh({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}));
  CHECK(counts_of(mesh) == Counts{});
  CHECK(counts_of(flipped(mesh)) == Counts{{MeshFault::inside_out, 3}});
}

TEST_CASE("a shell with the wrong orientation for its nesting is reported") {
  const TriangleMesh inner = box_mesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8});
  TriangleMesh filled = unit_cube();
  append(filled, inner);  // a solid inside a solid: its mass would count twice
  CHECK(counts_of(filled) == Counts{{MeshFault::inside_out, 1}});
  CHECK(description_of(filled, MeshFault::inside_out) ==
        "1 of 2 shells faces the wrong way for where it is nested (triangle 12 at (0.2, 0.2, 0.2))");
  TriangleMesh beside = unit_cube();
  append(beside, flipped(box_mesh({2, 0, 0}, {2.5, 0.5, 0.5})));
  CHECK(counts_of(beside) == Counts{{MeshFault::inside_out, 1}});
}

TEST_CASE("nesting is found when rays from the inner shell hit corners and edges of the outer shell") {
  // The ray from the centre along +x passes through the vertex (1, 0, 0) of the octahedron, then edges.
  const TriangleMesh outer = sphere_mesh(0);
  for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(0, 0.25, 0), Vec3(0, 0, 0.25), Vec3(0.1, 0, -0.25)}) {
    const TriangleMesh inner = mapped(outer, [&](const Vec3& v) { return Vec3(0.125 * v + shift); });
    TriangleMesh mesh = outer;
    append(mesh, flipped(inner));
    CHECK(counts_of(mesh) == Counts{});
  }
}

TEST_CASE("triangles with equal or collinear corners are degenerate") {
  TriangleMesh mesh = unit_cube();
  mesh.triangles.push_back({2, 2, 5});
  CHECK(counts_of(mesh) == Counts{{MeshFault::degenerate_triangle, 1}});
  CHECK(description_of(mesh, MeshFault::degenerate_triangle) ==
        "1 degenerate triangle (triangle 12 at (0, 1, 0))");

  const TriangleMesh line{{{0, 0, 0}, {0.1, 0.1, 0.1}, {0.3, 0.3, 0.3}}, {{0, 1, 2}}};
  CHECK(check_mesh(line).has(MeshFault::degenerate_triangle));
}

TEST_CASE("a triangle one unit in the last place thick is not degenerate") {
  const double next = std::nextafter(1.0, 2.0);
  const TriangleMesh needle{{{1, 1, 1}, {2, 2, 2}, {3, 3, 3 * next}}, {{0, 1, 2}}};
  CHECK(counts_of(needle) == Counts{{MeshFault::open_edge, 3}});
}

TEST_CASE("each duplicate triangle is counted once, for any order of its corners") {
  TriangleMesh mesh = unit_cube();
  mesh.triangles.push_back({3, 0, 1});  // triangle 0 again
  mesh.triangles.push_back({3, 2, 0});  // triangle 1 from behind
  CHECK(counts_of(mesh) == Counts{{MeshFault::duplicate_triangle, 2}});
  CHECK(description_of(mesh, MeshFault::duplicate_triangle) ==
        "2 duplicate triangles (first triangle 12 at (0, 1, 1), same corners as triangle 0 at (0, 0, 0))");
}

TEST_CASE("a fin on a solid makes an edge with more than two triangles") {
  // A fin standing on the edge between vertices 2 and 6 of the cube.
  TriangleMesh mesh = unit_cube();
  mesh.vertices.emplace_back(0.5, 2, 0);
  mesh.triangles.push_back({2, 6, 8});
  CHECK(counts_of(mesh) == Counts{{MeshFault::open_edge, 2}, {MeshFault::non_manifold_edge, 1}});
  CHECK(description_of(mesh, MeshFault::non_manifold_edge) ==
        "1 edge with more than two triangles (between vertex 2 at (0, 1, 0) and vertex 6 at (1, 1, 0))");
}

TEST_CASE("a vertex where two solids touch is non-manifold") {
  TriangleMesh mesh = unit_cube();
  append(mesh, box_mesh({1, 1, 1}, {2, 2, 2}));
  const Counts expected{{MeshFault::non_manifold_vertex, 1}, {MeshFault::duplicate_vertex, 1}};
  CHECK(counts_of(mesh) == expected);
  CHECK(description_of(mesh, MeshFault::non_manifold_vertex) ==
        "1 vertex where separate parts of the surface touch (vertex 7 at (1, 1, 1))");
}

TEST_CASE("all other checks treat vertices at the same point as one") {
  TriangleMesh soup;
  const TriangleMesh cube = unit_cube();
  for (const Triangle& t : cube.triangles)
    append(soup, {{cube.vertices[t[0]], cube.vertices[t[1]], cube.vertices[t[2]]}, {{0, 1, 2}}});
  CHECK(counts_of(soup) == Counts{{MeshFault::duplicate_vertex, 36 - 8}});
  soup.vertices[0].x() = -0.0;  // equals +0
  CHECK(counts_of(soup) == Counts{{MeshFault::duplicate_vertex, 36 - 8}});
}

TEST_CASE("overlapping solids intersect, separate solids do not") {
  CHECK(check_mesh(two_boxes({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5})).has(MeshFault::self_intersection));
  CHECK(counts_of(two_boxes({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5})).size() == 1);
  CHECK(counts_of(two_boxes({1 + 1e-15, 0, 0}, {2, 1, 1})) == Counts{});
}

TEST_CASE("a corner touching a face and an edge touching an edge are intersections") {
  TriangleMesh corner = unit_cube();
  append(corner, tetrahedron({0.5, 0.25, 1}, {1, 0, 2}, {0, 1, 2}, {0, 0, 2}));
  CHECK(counts_of(corner).count(MeshFault::self_intersection) == 1);
  TriangleMesh edge = unit_cube();  // its edge x = y = 1 and an edge across it
  append(edge, tetrahedron({0.5, 1.5, 0.5}, {1.5, 0.5, 0.5}, {2, 2, 0.5}, {2, 2, 1}));
  CHECK(counts_of(edge).count(MeshFault::self_intersection) == 1);
  // One unit in the last place away there is no intersection.
  const double gap = std::nextafter(1.0, 2.0);
  TriangleMesh apart = unit_cube();
  append(apart, tetrahedron({0.5, 0.25, gap}, {1, 0, 2}, {0, 1, 2}, {0, 0, 2}));
  CHECK(counts_of(apart) == Counts{});
}

TEST_CASE("coplanar faces intersect only if they overlap") {
  const TriangleMesh overlapping{{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, 0}, {3, 0.5, 0}, {0.5, 3, 0}},
                                 {{0, 1, 2}, {3, 4, 5}}};
  CHECK(check_mesh(overlapping).find(MeshFault::self_intersection)->count == 1);
  CHECK(description_of(overlapping, MeshFault::self_intersection) ==
        "1 self-intersection (triangle 0 at (0, 0, 0) and triangle 1 at (0.5, 0.5, 0))");
  const TriangleMesh inside{{{0, 0, 0}, {9, 0, 0}, {0, 9, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}},
                            {{0, 1, 2}, {3, 4, 5}}};
  CHECK(check_mesh(inside).has(MeshFault::self_intersection));
  const TriangleMesh beside{{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0}, {3, 2, 0}, {2, 3, 0}},
                            {{0, 1, 2}, {3, 4, 5}}};
  CHECK_FALSE(check_mesh(beside).has(MeshFault::self_intersection));
}

TEST_CASE("neighbours intersect only if they overlap apart from the shared corner or edge") {
  const auto pair = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e, bool edge) {
    TriangleMesh mesh{{a, b, c, d, e}, {{0, 1, 2}}};
    mesh.triangles.push_back(edge ? Triangle{1, 0, 3} : Triangle{0, 3, 4});
    return check_mesh(mesh).has(MeshFault::self_intersection);
  };
  const Vec3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0), none(9, 9, 9);
  // At a common edge: folded flat onto each other, nearly so, or opened.
  CHECK(pair(o, x, y, Vec3(0.3, 0.5, 0), none, true));
  CHECK_FALSE(pair(o, x, y, Vec3(0.3, 0.5, 1e-300), none, true));
  CHECK_FALSE(pair(o, x, y, Vec3(0.3, -0.5, 0), none, true));
  // With a common corner: coplanar and overlapping, coplanar and separate, or crossing.
  CHECK(pair(o, x, y, Vec3(2, 0.1, 0), Vec3(0.1, 2, 0), false));
  CHECK(pair(o, x, y, Vec3(0.2, 0.1, 0), Vec3(0.1, 0.2, 0), false));
  CHECK_FALSE(pair(o, x, y, Vec3(-1, 0, 0), Vec3(0, -1, 0), false));
  CHECK(pair(o, x, y, Vec3(0.5, 0.5, 1), Vec3(0.5, 0.5, -1), false));
  CHECK_FALSE(pair(o, x, y, Vec3(0.5, 0.5, 1), Vec3(0.5, 0.5, 1e-9), false));
  CHECK_FALSE(pair(o, x, y, Vec3(-0.5, -0.5, 1), Vec3(-0.5, -0.5, -1), false));
}

TEST_CASE("counting of self-intersections stops at a limit") {
  TriangleMesh mesh;
  for (int i = 0; i < 400; ++i) {
    const double z = 1e-3 * i;
    append(mesh, {{{0, 0, z}, {1, 0, -z}, {0, 1, 1 - z}}, {{0, 1, 2}}});
  }
  CHECK(check_mesh(mesh).find(MeshFault::self_intersection)->count == 10000);
  CHECK(description_of(mesh, MeshFault::self_intersection).substr(0, 34) ==
        "at least 10000 self-intersections ");
}

TEST_CASE("self-intersection is not checked if the option is off") {
  const TriangleMesh mesh = two_boxes({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5});
  CHECK(check_mesh(mesh, {.self_intersection = false}).is_solid());
}

TEST_CASE("faults are sorted by kind") {
  TriangleMesh mesh = two_boxes({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5});
  mesh.triangles.erase(mesh.triangles.begin());
  mesh.triangles.push_back({2, 2, 3});
  const MeshReport report = check_mesh(mesh);
  CHECK(std::is_sorted(report.faults.begin(), report.faults.end(),
                       [](const auto& a, const auto& b) { return a.fault < b.fault; }));
  CHECK(report.faults.size() == 3);
}

TEST_CASE("fault counts do not depend on the order of triangles, corners and vertices") {
  Random random(11);
  for (int round = 0; round < 30; ++round) {
    // A random solid with random damage.
    TriangleMesh mesh = random_star(random, 2);
    append(mesh, mapped(sphere_mesh(1), [&](const Vec3& v) { return Vec3(v + Vec3(0.9, 0.1 * round, 0)); }));
    const auto pick = [&]() -> Triangle& {
      return mesh.triangles[random.below(static_cast<uint32_t>(mesh.triangles.size()))];
    };
    for (int i = 0; i < round % 4; ++i) std::swap(pick()[0], pick()[1]);
    for (int i = 0; i < round % 3; ++i) mesh.triangles.push_back(pick());
    if (round % 5 == 0) mesh.vertices[3] = mesh.vertices[9];
    const Counts counts = counts_of(mesh);
    for (int i = 0; i < 3; ++i) CHECK(counts_of(permuted(mesh, random)) == counts);
  }
}

TEST_CASE("faults of a mesh from a file give the file and its numbers and lines") {
  const auto faults = [](const core::Expected<TriangleMesh>& mesh) {
    REQUIRE(mesh);
    std::string all;
    for (const geometry::FaultCount& fault : check_mesh(geometry::repair_mesh(*mesh).mesh).faults)
      all += (all.empty() ? "" : "; ") + fault.description;
    return all;
  };
  // A pyramid without its last side. The base is a square, and one vertex of the file duplicates another.
  CHECK(faults(geometry::read_mesh("# a comment\nv 0 0 0\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
                                   "f 1 5 4 3\nf 2 3 6\nf 3 4 6\nf 4 5 6\n",
                                   "open.obj")) ==
        "open.obj: 3 open edges (first between vertex 1 at (0, 0, 0), line 2 and vertex 5 at (0, 1, 0), line "
        "6)");
  CHECK(faults(geometry::read_mesh(
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
            "f 5 1 4\n",
            "twice.obj")) ==
        "twice.obj: 1 duplicate triangle (face 6 at (0, 0, 1), line 11, same corners as face 5 at (0, 1, 0), "
        "line 10)");
  CHECK(faults(geometry::read_mesh(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
            "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
            "open.ply")) ==
        "open.ply: 3 open edges (first between vertex 0 at (0, 0, 0), line 10 and vertex 1 at (1, 0, 0), "
        "line 11)");
  CHECK(faults(geometry::read_mesh(
                   "solid s\nfacet normal 0 0 1 outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0\n"
                   "endloop endfacet\nendsolid s\n",
                   "flat.stl"))
            .substr(0, 63) == "flat.stl: 1 degenerate triangle (facet 1 at (0, 0, 0), line 2);");
}
