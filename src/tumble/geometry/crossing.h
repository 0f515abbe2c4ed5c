// Rays and segments against triangles, decided exactly for the numbers as they are: a point is inside a closed
// mesh when a ray from it passes an odd number of triangles, and no crack between neighbours lets a ray slip.
#pragma once

#include <array>

#include "tumble/math/types.h"

namespace tumble::geometry {

using TriangleCorners = std::array<math::Vec3, 3>;

/// Does the ray from p along +x pass through the triangle? On a closed surface a ray through an edge or a corner
/// counts as if p were moved by as good as nothing. Any answer for a p on the triangle.
bool ray_passes(const math::Vec3& p, const TriangleCorners& triangle);

/// False only when the segment pq has no point in common with the triangle; a segment in its plane may be said
/// to meet it when it does not.
bool segment_touches(const math::Vec3& p, const math::Vec3& q, const TriangleCorners& triangle);

}  // namespace tumble::geometry
