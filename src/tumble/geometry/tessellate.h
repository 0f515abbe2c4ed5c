// Triangle meshes of shapes, for rendering and for file formats that only have triangles. Not used by the
// dynamics.
#pragma once

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

// All are closed and face outwards, in the frame of the shape (see mass_properties.h). `segments` divides a
// full circle.
TriangleMesh tessellate_sphere(double radius, int segments = 32);
TriangleMesh tessellate_box(const math::Vec3& size);
TriangleMesh tessellate_capsule(double radius, double length, int segments = 32);
TriangleMesh tessellate_cylinder(double radius, double length, int segments = 32);
TriangleMesh tessellate_cone(double radius, double length, int segments = 32);
/// A square sheet of side `size` through the origin with the given normal. It represents a half-space.
TriangleMesh tessellate_plane(const math::Vec3& normal, double size);

}  // namespace tumble::geometry
