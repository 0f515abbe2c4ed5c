// A mesh prepared for checking: equal points are one vertex, coordinates are of order one, and degenerate and
// duplicate triangles are marked. Vertices and triangles have the same numbers as in the mesh.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry::detail {

struct Surface {
  std::vector<math::Vec3>
      points;                  // the vertices times a power of two, so that exact predicates cannot overflow
  std::vector<uint32_t> weld;  // the first vertex at the same point
  std::vector<Triangle> triangles;  // corners as welded vertices
  /// Per triangle: three different corners, and not a duplicate of an earlier triangle.
  std::vector<uint8_t> has_corners;
  std::vector<uint8_t> has_area;  // per triangle: also, the corners are not in one line
};

/// Merges and scales the vertices. All triangles count as sound until the checks mark them. Vertices must be
/// finite and corners in range.
Surface build_surface(const TriangleMesh& mesh);

/// Items grouped by a key in 0..keys-1. The items of key k are items[start[k]] .. items[start[k + 1] - 1], in
/// ascending order.
struct Groups {
  std::vector<size_t> start;
  std::vector<size_t> items;
};
template <typename KeyOf>  // key_of(item) gives the key, or `keys` to leave the item out
Groups build_groups(size_t keys, size_t count, KeyOf&& key_of) {
  Groups groups;
  groups.start.assign(keys + 2, 0);
  for (size_t i = 0; i < count; ++i) ++groups.start[key_of(i) + 1];
  for (size_t k = 1; k < groups.start.size(); ++k) groups.start[k] += groups.start[k - 1];
  groups.items.resize(count);
  std::vector<size_t> next(groups.start.begin(), groups.start.end() - 1);
  for (size_t i = 0; i < count; ++i) groups.items[next[key_of(i)]++] = i;
  return groups;
}

/// Pairs of triangles that intersect apart from a shared corner or edge. Counting stops at `limit`.
struct Intersections {
  size_t pairs = 0;
  std::pair<uint32_t, uint32_t> first{};  // the pair with the lowest numbers
};
Intersections find_intersections(const Surface& surface, size_t limit);

/// The closed shells of a mesh, and those with the wrong orientation. Outermost shells face outwards, shells
/// inside them inwards, and so on alternately. Only for closed, consistently oriented meshes.
struct ShellReport {
  size_t shells = 0;
  size_t wrong = 0;
  uint32_t first_wrong_triangle = 0;
};
/// If `nested` is false, nesting is ignored, and the sign of the total volume decides for all shells.
ShellReport find_misoriented_shells(const Surface& surface, bool nested);

}  // namespace tumble::geometry::detail
