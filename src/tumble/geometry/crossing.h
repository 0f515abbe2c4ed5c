// Exact tests of rays and segments against triangles. A point is inside a closed mesh if a ray from it
// crosses an odd number of triangles. No ray slips through a crack between neighbours.
#pragma once

#include <array>

#include "tumble/math/types.h"

namespace tumble::geometry {

using TriangleCorners = std::array<math::Vec3, 3>;

/// Does the ray from p along +x cross the triangle? On a closed surface a ray through an edge or a corner
/// counts as if p were moved by an infinitesimal amount. The result is arbitrary for a p on the triangle.
bool ray_crosses(const math::Vec3& p, const TriangleCorners& triangle);

/// False only if the segment pq and the triangle have no common point. May be true for a segment in the plane
/// of the triangle that does not meet it.
bool segment_touches(const math::Vec3& p, const math::Vec3& q, const TriangleCorners& triangle);

}  // namespace tumble::geometry
