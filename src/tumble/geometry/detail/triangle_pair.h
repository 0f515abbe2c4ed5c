// Intersection test for two triangles of a mesh.
#pragma once

#include <array>

#include "tumble/math/types.h"

namespace tumble::geometry::detail {

using Corners = std::array<math::Vec3, 3>;

/// The corners that the triangles share (0, 1 or 2) come first and in the same order. True if the triangles
/// have a common point that is not on the shared corner or edge. Neither may be degenerate. The result is
/// exact.
bool triangles_meet(const Corners& x, const Corners& y, int shared);

}  // namespace tumble::geometry::detail
