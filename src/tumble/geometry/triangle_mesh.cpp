#include "tumble/geometry/triangle_mesh.h"

#include "tumble/core/diagnostic.h"

namespace tumble::geometry {

namespace {

std::string point_text(const TriangleMesh& mesh, size_t vertex) {
  math::Vec3 p = mesh.vertices[vertex];
  if (mesh.source) p = p.cwiseQuotient(mesh.source->scale);
  return "(" + core::brief_number(p.x()) + ", " + core::brief_number(p.y()) + ", " +
         core::brief_number(p.z()) + ")";
}

size_t mapped(const std::vector<uint32_t>& numbers, size_t i) { return numbers.empty() ? i : numbers[i]; }

std::string line_text(const std::vector<uint32_t>& lines, size_t number) {
  return lines.empty() ? "" : ", line " + std::to_string(lines[number]);
}

}  // namespace

std::string describe_vertex(const TriangleMesh& mesh, size_t vertex) {
  const std::string point = point_text(mesh, vertex);
  if (!mesh.source) return "vertex " + std::to_string(vertex) + " at " + point;
  const MeshSource& source = *mesh.source;
  if (!source.numbers_vertices) return "point " + point;
  const size_t number = mapped(source.vertex_numbers, vertex);
  return "vertex " + std::to_string(number + source.first_number) + " at " + point +
         line_text(source.vertex_lines, number);
}

std::string describe_triangle(const TriangleMesh& mesh, size_t triangle) {
  const uint32_t corner = mesh.triangles[triangle][0];
  const std::string point = corner < mesh.vertices.size() ? " at " + point_text(mesh, corner) : "";
  if (!mesh.source) return "triangle " + std::to_string(triangle) + point;
  const MeshSource& source = *mesh.source;
  const size_t number = mapped(source.face_numbers, triangle);
  return source.face_name + " " + std::to_string(number + source.first_number) + point +
         line_text(source.face_lines, number);
}

Bounds compute_bounds(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  Bounds bounds{mesh.vertices.front(), mesh.vertices.front()};
  for (const math::Vec3& v : mesh.vertices) {
    bounds.lower = bounds.lower.cwiseMin(v);
    bounds.upper = bounds.upper.cwiseMax(v);
  }
  return bounds;
}

}  // namespace tumble::geometry
