// Convex hulls of points, computed by qhull and then verified.
//
// With e = kHullSlack times the largest coordinate: a point p is below the plane of a triangle of height h (its
// least) with corner a when it is at most e (1 + |p - a| / h) above it, that is when moving the corners by about
// e would put it below. A triangle as large as the hull has a plane good to e; that of a narrow one leans.
#pragma once

#include <span>
#include <string>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

/// The surface of the convex hull: closed, facing outwards, every point below the plane of every triangle in the
/// sense above; flat faces are cut into triangles. Vertices are points of the input, each once, by rising x, then
/// y, then z; points within faces and edges, to rounding, are left out, and no triangle is lower than
/// kLowestTriangle times the largest coordinate. The result does not depend on the order of the points or on
/// repeated ones, and scales exactly with powers of two.
/// Refused: fewer than four different points, coordinates that are not finite, and points that are all at one
/// place, in one line or in one plane.
core::Expected<TriangleMesh> build_convex_hull(std::span<const math::Vec3> points);

/// What keeps a mesh from being the surface of a convex solid that holds `points`, in words; empty when nothing
/// does. Every vertex is a corner, all of them at different places; each edge has one triangle on either side;
/// vertices - edges + triangles = 2; every vertex and every point is below every plane; the volume is positive.
std::string find_hull_fault(const TriangleMesh& hull, std::span<const math::Vec3> points = {});

}  // namespace tumble::geometry
