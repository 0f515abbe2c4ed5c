// Convex hulls of points, computed by qhull and then verified.
//
// Definition of "below": let e = kHullSlack times the largest coordinate. A point p is below the plane of a
// triangle with corner a and least height h if it is at most e (1 + |p - a| / h) above it. That is, moving
// the corners by about e would put it below. The plane of a triangle as large as the hull is accurate to e.
// The plane of a narrow triangle may tilt.
#pragma once

#include <span>
#include <string>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

/// The surface of the convex hull. It is closed and faces outwards, and every point is below the plane of
/// every triangle in the sense above. Flat faces are cut into triangles. Vertices are input points without
/// duplicates, sorted by x, then y, then z. Points within faces and edges, to rounding, are left out. No
/// triangle is lower than kMinTriangleHeight times the largest coordinate. The result does not depend on the
/// order of the points or on repeated points, and scales exactly with powers of two. Fails for fewer than
/// four different points, for coordinates that are not finite, and for points that all lie at one point, in
/// one line or in one plane.
core::Expected<TriangleMesh> build_convex_hull(std::span<const math::Vec3> points);

/// Checks that a mesh is the surface of a convex solid that contains `points`. Returns the first fault in
/// words, or an empty string. Every vertex is a corner, and all are at different points. Each edge has one
/// triangle on either side. Vertices - edges + triangles = 2. Every vertex and every point is below every
/// plane. The volume is positive.
std::string find_hull_fault(const TriangleMesh& hull, std::span<const math::Vec3> points = {});

}  // namespace tumble::geometry
