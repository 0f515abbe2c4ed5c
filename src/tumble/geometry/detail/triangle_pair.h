// Do two triangles of a mesh meet where they should not?
#pragma once

#include <array>

#include "tumble/math/types.h"

namespace tumble::geometry::detail {

using Corners = std::array<math::Vec3, 3>;

/// Two triangles with the corners they share (0, 1 or 2) first and in the same order. True when they have a
/// point in common that is not on the shared corner or edge. Neither may be degenerate. Exact.
bool triangles_meet(const Corners& x, const Corners& y, int shared);

}  // namespace tumble::geometry::detail
