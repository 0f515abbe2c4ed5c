// Wrapper of qhull. No other file uses qhull.
#pragma once

#include <span>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry::detail {

/// Triangles of the convex hull as indices of the points, facing outwards. A point within `rounding` of a
/// face counts as on it. The points must be of order one, finite and not flat. If qhull fails, returns its
/// message.
core::Expected<std::vector<Triangle>> run_qhull(std::span<const math::Vec3> points, double rounding);

}  // namespace tumble::geometry::detail
