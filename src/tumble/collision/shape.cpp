#include "tumble/collision/shape.h"

#include <limits>

#include "tumble/geometry/tessellate.h"

namespace tumble::collision {

using math::Vec3;

namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

// Distance to the farthest point of a circle of radius r around the Y axis at height y.
double reach_of_circle(double radius, double y, const Vec3& point) {
  const double across = math::sqrt(point.x() * point.x() + point.z() * point.z()) + radius;
  return math::sqrt(across * across + math::square(y - point.y()));
}

double reach_of_vertices(const geometry::TriangleMesh& mesh, const Vec3& point) {
  double squared = 0;
  for (const Vec3& v : mesh.vertices) squared = std::max(squared, (v - point).squaredNorm());
  return math::sqrt(squared);
}

}  // namespace

const char* shape_name(const Shape& shape) {
  return std::visit(
      Overloaded{[](const Sphere&) { return "sphere"; }, [](const Box&) { return "box"; },
                 [](const Capsule&) { return "capsule"; }, [](const Cylinder&) { return "cylinder"; },
                 [](const Cone&) { return "cone"; }, [](const Plane&) { return "plane"; },
                 [](const Mesh&) { return "mesh"; }, [](const Hull&) { return "hull"; },
                 [](const HeightField&) { return "height field"; }},
      shape);
}

std::shared_ptr<const geometry::TriangleMesh> triangles_of(const Shape& shape) {
  return std::visit(
      [](const auto& s) -> std::shared_ptr<const geometry::TriangleMesh> {
        if constexpr (requires { s.triangles; })
          return s.triangles;
        else
          return nullptr;
      },
      shape);
}

geometry::MassProperties compute_mass(const Shape& shape, double density) {
  return std::visit(
      Overloaded{[&](const Sphere& s) { return geometry::sphere_mass(density, s.radius); },
                 [&](const Box& s) { return geometry::box_mass(density, s.size); },
                 [&](const Capsule& s) { return geometry::capsule_mass(density, s.radius, s.length); },
                 [&](const Cylinder& s) { return geometry::cylinder_mass(density, s.radius, s.length); },
                 [&](const Cone& s) { return geometry::cone_mass(density, s.radius, s.length); },
                 [&](const Plane&) { return geometry::MassProperties{}; },
                 [&](const Mesh& s) { return geometry::mesh_mass(density, *s.triangles); },
                 [&](const Hull& s) { return geometry::mesh_mass(density, *s.triangles); },
                 [&](const HeightField&) { return geometry::MassProperties{}; }},
      shape);
}

double reach_from(const Shape& shape, const Vec3& point) {
  return std::visit(Overloaded{[&](const Sphere& s) { return point.norm() + s.radius; },
                               [&](const Box& s) { return (0.5 * s.size + point.cwiseAbs()).norm(); },
                               [&](const Capsule& s) {
                                 const double y = std::abs(point.y()) + 0.5 * s.length;
                                 return Vec3(point.x(), y, point.z()).norm() + s.radius;
                               },
                               [&](const Cylinder& s) {
                                 return std::max(reach_of_circle(s.radius, 0.5 * s.length, point),
                                                 reach_of_circle(s.radius, -0.5 * s.length, point));
                               },
                               [&](const Cone& s) {
                                 return std::max(reach_of_circle(0, 0.5 * s.length, point),
                                                 reach_of_circle(s.radius, -0.5 * s.length, point));
                               },
                               [&](const Plane&) { return std::numeric_limits<double>::infinity(); },
                               [&](const auto& s) { return reach_of_vertices(*s.triangles, point); }},
                    shape);
}

geometry::TriangleMesh tessellate(const Shape& shape, double plane_size) {
  return std::visit(
      Overloaded{[](const Sphere& s) { return geometry::tessellate_sphere(s.radius); },
                 [](const Box& s) { return geometry::tessellate_box(s.size); },
                 [](const Capsule& s) { return geometry::tessellate_capsule(s.radius, s.length); },
                 [](const Cylinder& s) { return geometry::tessellate_cylinder(s.radius, s.length); },
                 [](const Cone& s) { return geometry::tessellate_cone(s.radius, s.length); },
                 [&](const Plane& s) { return geometry::tessellate_plane(s.normal, plane_size); },
                 [](const auto& s) { return *s.triangles; }},
      shape);
}

}  // namespace tumble::collision
