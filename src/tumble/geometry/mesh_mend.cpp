#include <algorithm>

#include "tumble/core/require.h"
#include "tumble/geometry/detail/point_index.h"
#include "tumble/geometry/detail/surface.h"
#include "tumble/geometry/mesh_check.h"

namespace tumble::geometry {

namespace {

// The kept vertices keep the numbers they have in the file.
std::shared_ptr<const MeshSource> without_merged(const MeshSource& source,
                                                 const std::vector<uint32_t>& moved_to, size_t kept) {
  MeshSource left = source;
  left.vertex_numbers.clear();
  for (size_t v = 0; v < moved_to.size(); ++v)
    if (moved_to[v] == left.vertex_numbers.size())
      left.vertex_numbers.push_back(source.vertex_numbers.empty() ? static_cast<uint32_t>(v)
                                                                  : source.vertex_numbers[v]);
  TUMBLE_REQUIRE(left.vertex_numbers.size() == kept, "every vertex that is kept has a number");
  return std::make_shared<const MeshSource>(std::move(left));
}

// Returns how many vertices were merged into earlier ones; the others keep their order.
size_t merge_vertices(TriangleMesh& mesh) {
  detail::PointIndex index(mesh.vertices.size());
  std::vector<math::Vec3> kept;
  kept.reserve(mesh.vertices.size());
  std::vector<uint32_t> moved_to;
  moved_to.reserve(mesh.vertices.size());
  for (const math::Vec3& v : mesh.vertices) {
    const auto next = static_cast<uint32_t>(kept.size());
    moved_to.push_back(v.allFinite() ? index.find_or_add(kept, v, next) : next);
    if (moved_to.back() == next) kept.push_back(v);
  }
  const size_t merged = mesh.vertices.size() - kept.size();
  if (merged == 0) return 0;
  for (Triangle& t : mesh.triangles)
    for (uint32_t& corner : t)  // a corner out of range stays out of range
      corner = corner < moved_to.size() ? moved_to[corner] : corner;
  if (mesh.source) mesh.source = without_merged(*mesh.source, moved_to, kept.size());
  mesh.vertices = std::move(kept);
  return merged;
}

// Every shell faces the wrong way. Where only some do, which of them are meant is not for us to guess.
bool is_inside_out(const TriangleMesh& mesh) {
  if (!check_mesh(mesh, {.self_intersection = false}).has(MeshFault::inside_out)) return false;
  const auto shells = detail::find_wrong_shells(detail::build_surface(mesh), true);
  return shells.wrong == shells.shells;
}

}  // namespace

Mended mend_mesh(TriangleMesh mesh) {
  Mended mended;
  if (const size_t merged = merge_vertices(mesh); merged > 0)
    mended.changes.push_back(merged == 1 ? "1 duplicate vertex was merged"
                                         : std::to_string(merged) + " duplicate vertices were merged");
  if (is_inside_out(mesh)) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    mended.changes.push_back("the surface was inside-out and was turned");
  }
  mended.mesh = std::move(mesh);
  return mended;
}

}  // namespace tumble::geometry
