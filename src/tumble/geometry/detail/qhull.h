// The one place that knows qhull.
#pragma once

#include <span>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry::detail {

/// Triangles of the convex hull, outwards, as indices of the points; a point this near to a face is on it. The
/// points are of order one, finite and not flat. Or what qhull says when it gives up.
core::Expected<std::vector<Triangle>> run_qhull(std::span<const math::Vec3> points, double rounding);

}  // namespace tumble::geometry::detail
