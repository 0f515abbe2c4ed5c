// The shapes a body is made of, each in its own frame S: centred on the origin, axis along Y.
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
/// The half-space below a plane through the origin. Fixed bodies only.
struct Plane {
  math::Vec3 normal;  // unit
};
/// A triangle mesh as it is, not its hull; shared by all shapes that use it.
struct Mesh {
  std::shared_ptr<const geometry::TriangleMesh> triangles;
};
/// A convex solid: its closed surface, facing outwards, no vertex above the plane of any triangle but for
/// rounding.
struct Hull {
  std::shared_ptr<const geometry::TriangleMesh> triangles;
};
/// Ground as heights over a grid: an open sheet of two triangles a cell, y the height. Fixed bodies only.
struct HeightField {
  std::shared_ptr<const geometry::TriangleMesh> triangles;
};

using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Cone, Plane, Mesh, Hull, HeightField>;

/// "sphere", "box", ...
const char* shape_name(const Shape& shape);
/// The triangles of a mesh, a hull or a height field; null for shapes that are given by numbers.
std::shared_ptr<const geometry::TriangleMesh> triangles_of(const Shape& shape);
/// Mass properties in frame S. A plane and a height field have none (zero mass); a mesh must be closed.
geometry::MassProperties compute_mass(const Shape& shape, double density);
/// The largest distance of a point of the shape from `point` (frame S); infinite for a plane.
double reach_from(const Shape& shape, const math::Vec3& point);
/// Triangles for pictures and for glTF; a plane is shown as a square of side `plane_size`.
geometry::TriangleMesh tessellate(const Shape& shape, double plane_size);

}  // namespace tumble::collision
