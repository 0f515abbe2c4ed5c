// A mesh prepared for its checks: equal points are one vertex, lengths are of order one, and each triangle is
// known to be sound or not. Numbers of vertices and triangles are those of the mesh itself.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry::detail {

struct Surface {
  std::vector<math::Vec3> points;   // the vertices times a power of two: exact predicates cannot overflow
  std::vector<uint32_t> weld;       // the first vertex at the same point
  std::vector<Triangle> triangles;  // corners as welded vertices
  std::vector<uint8_t>
      has_corners;                // per triangle: three different corners, and not a copy of an earlier one
  std::vector<uint8_t> has_area;  // per triangle: and not in one line
};

/// Merges and scales; all triangles count as sound until the checks say otherwise. Vertices must be finite
/// and corners in range.
Surface build_surface(const TriangleMesh& mesh);

/// Items grouped by a key in 0..keys-1: those of key k are items[start[k]] .. items[start[k + 1] - 1],
/// rising.
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

/// Pairs of triangles that meet where they share no corner or edge. Counting stops at `limit`.
struct Intersections {
  size_t pairs = 0;
  std::pair<uint32_t, uint32_t> first{};  // the pair with the lowest numbers
};
Intersections find_intersections(const Surface& surface, size_t limit);

/// Closed surfaces of the mesh, and those that face the wrong way: outermost shells face outwards, shells
/// inside them inwards, and so on alternately. Only for closed, consistently oriented meshes.
struct ShellReport {
  size_t shells = 0;
  size_t wrong = 0;
  uint32_t first_wrong_triangle = 0;
};
/// With `nested` false nesting is not looked at, and the sign of the whole volume decides for all shells.
ShellReport find_wrong_shells(const Surface& surface, bool nested);

}  // namespace tumble::geometry::detail
