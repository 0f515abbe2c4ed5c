#include <algorithm>

#include "tumble/core/require.h"
#include "tumble/geometry/detail/point_index.h"
#include "tumble/geometry/detail/surface.h"
#include "tumble/geometry/mesh_check.h"

namespace tumble::geometry {

namespace {

// The remaining vertices keep the numbers that they have in the file.
std::shared_ptr<const MeshSource> without_merged(const MeshSource& source,
                                                 const std::vector<uint32_t>& new_index, size_t remaining) {
  MeshSource left = source;
  left.vertex_numbers.clear();
  for (size_t v = 0; v < new_index.size(); ++v)
    if (new_index[v] == left.vertex_numbers.size())
      left.vertex_numbers.push_back(source.vertex_numbers.empty() ? static_cast<uint32_t>(v)
                                                                  : source.vertex_numbers[v]);
  TUMBLE_REQUIRE(left.vertex_numbers.size() == remaining, "every remaining vertex has a number");
  return std::make_shared<const MeshSource>(std::move(left));
}

// Merges equal vertices into the first of them. Returns how many were merged. The others keep their order.
size_t merge_vertices(TriangleMesh& mesh) {
  detail::PointIndex index(mesh.vertices.size());
  std::vector<math::Vec3> remaining;
  remaining.reserve(mesh.vertices.size());
  std::vector<uint32_t> new_index;
  new_index.reserve(mesh.vertices.size());
  for (const math::Vec3& v : mesh.vertices) {
    const auto next = static_cast<uint32_t>(remaining.size());
    new_index.push_back(v.allFinite() ? index.find_or_add(remaining, v, next) : next);
    if (new_index.back() == next) remaining.push_back(v);
  }
  const size_t merged = mesh.vertices.size() - remaining.size();
  if (merged == 0) return 0;
  for (Triangle& t : mesh.triangles)
    for (uint32_t& corner : t)  // a corner out of range stays out of range
      corner = corner < new_index.size() ? new_index[corner] : corner;
  if (mesh.source) mesh.source = without_merged(*mesh.source, new_index, remaining.size());
  mesh.vertices = std::move(remaining);
  return merged;
}

// True if all shells are inside-out. If only some are, it is unknown which of them are intended.
bool is_inside_out(const TriangleMesh& mesh) {
  if (!check_mesh(mesh, {.self_intersection = false}).has(MeshFault::inside_out)) return false;
  const auto shells = detail::find_misoriented_shells(detail::build_surface(mesh), true);
  return shells.wrong == shells.shells;
}

}  // namespace

RepairedMesh repair_mesh(TriangleMesh mesh) {
  RepairedMesh repaired;
  if (const size_t merged = merge_vertices(mesh); merged > 0)
    repaired.changes.push_back(merged == 1 ? "1 duplicate vertex was merged"
                                           : std::to_string(merged) + " duplicate vertices were merged");
  if (is_inside_out(mesh)) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    repaired.changes.push_back("the surface was inside-out and was flipped");
  }
  repaired.mesh = std::move(mesh);
  return repaired;
}

}  // namespace tumble::geometry
