// A triangle mesh, the common type of all mesh readers and algorithms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tumble/math/types.h"

namespace tumble::geometry {

/// Corners of a triangle as indices into TriangleMesh::vertices, counter-clockwise as seen from outside.
using Triangle = std::array<uint32_t, 3>;

/// Where a mesh was read from. Messages use the numbers and lines of that file.
struct MeshSource {
  std::string file;
  std::string face_name;                  // what the format calls a face
  uint32_t first_number = 0;              // number of the first vertex and face: 1 in OBJ
  bool numbers_vertices = true;           // false for STL, which has points only
  std::vector<uint32_t> vertex_numbers;   // number of each vertex, from 0; empty: its index
  std::vector<uint32_t> face_numbers;     // number of the face of each triangle, from 0; empty: its index
  std::vector<uint32_t> vertex_lines;     // by number; empty: unknown
  std::vector<uint32_t> face_lines;       // by number; empty: unknown
  math::Vec3 scale = math::Vec3::Ones();  // from the file's coordinates to those of the mesh
};

struct TriangleMesh {
  std::vector<math::Vec3> vertices;  // m
  std::vector<Triangle> triangles;
  std::shared_ptr<const MeshSource> source = nullptr;  // null: not read from a file
};

/// "vertex 908 at (0, 1, 0.5), line 912": number and line in the source file, as far as they are known.
std::string describe_vertex(const TriangleMesh& mesh, size_t vertex);
/// "face 31 at (0, 1, 0.5), line 954": the point is its first corner.
std::string describe_triangle(const TriangleMesh& mesh, size_t triangle);

/// Smallest box that contains every vertex. Both corners are zero for an empty mesh.
struct Bounds {
  math::Vec3 lower = math::Vec3::Zero();
  math::Vec3 upper = math::Vec3::Zero();
};
Bounds compute_bounds(const TriangleMesh& mesh);

}  // namespace tumble::geometry
