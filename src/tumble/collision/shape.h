// The shapes of bodies, each in its own frame S: centred on the origin, axis along Y.
#pragma once

#include <memory>
#include <variant>

#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::collision {

struct Sphere {
  double radius;  // m
};
struct Box {
  math::Vec3 size;  // m, full extents
};
struct Capsule {
  double radius;  // m
  double length;  // m, between the centres of the two half spheres
};
struct Cylinder {
  double radius;  // m
  double length;  // m, full height
};
struct Cone {
  double radius;  // m, of the base at y = -length/2
  double length;  // m, full height; apex at y = +length/2
};
/// The half-space below a plane through the origin. Only for fixed bodies.
struct Plane {
  math::Vec3 normal;  // unit
};
/// A triangle mesh, not its hull. Shared by all shapes that use it.
struct Mesh {
  std::shared_ptr<const geometry::TriangleMesh> triangles;
};
/// A convex solid: its closed surface, facing outwards. No vertex is above the plane of any triangle, up to
/// rounding.
struct Hull {
  std::shared_ptr<const geometry::TriangleMesh> triangles;
};
/// Terrain as heights over a grid: an open sheet with two triangles per cell, y is the height. Only for fixed
/// bodies.
struct HeightField {
  std::shared_ptr<const geometry::TriangleMesh> triangles;
};

using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Cone, Plane, Mesh, Hull, HeightField>;

/// "sphere", "box", ...
const char* shape_name(const Shape& shape);
/// The triangles of a mesh, a hull or a height field. Null for other shapes.
std::shared_ptr<const geometry::TriangleMesh> triangles_of(const Shape& shape);
/// Mass properties in frame S. A plane and a height field have zero mass. A mesh must be closed.
geometry::MassProperties compute_mass(const Shape& shape, double density);
/// The largest distance of a point of the shape from `point` (frame S). Infinite for a plane.
double reach_from(const Shape& shape, const math::Vec3& point);
/// The shape with its surface moved inwards by `depth` (m), at least. Exact to first order: for a depth far
/// below the size. Planes and height fields stay as they are.
Shape shrink(const Shape& shape, double depth);
/// Triangles for rendering and for glTF. A plane becomes a square of side `plane_size`.
geometry::TriangleMesh tessellate(const Shape& shape, double plane_size);

}  // namespace tumble::collision
