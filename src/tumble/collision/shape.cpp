#include "tumble/collision/shape.h"

#include <limits>

#include <Eigen/Eigenvalues>

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

namespace {

// Every vertex moves by the d with n.d = -depth for the normals n of all triangles around it, or the best
// fit: (sum n n^T) d = -depth sum n, with weights so that the parts of a divided face count once.
std::shared_ptr<const geometry::TriangleMesh> shrink_mesh(const geometry::TriangleMesh& mesh, double depth) {
  auto smaller = std::make_shared<geometry::TriangleMesh>(mesh);
  std::vector<math::Mat3> sums(mesh.vertices.size(), math::Mat3::Zero());
  std::vector<Vec3> right(mesh.vertices.size(), Vec3::Zero());
  for (const geometry::Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3 area = (b - a).cross(c - a);
    if (!(area.squaredNorm() > 0)) continue;
    const Vec3 n = area.normalized();
    for (const uint32_t v : t) sums[v] += n * n.transpose(), right[v] -= depth * n;
  }
  // Where all normals lie in a plane or along a line, the vertex does not move along the rest.
  constexpr double kFlat = 1e-9;  // of the largest eigenvalue
  for (size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Eigen::SelfAdjointEigenSolver<math::Mat3> eigen(sums[v]);
    for (int k = 0; k < 3; ++k)
      if (const double e = eigen.eigenvalues()[k]; e > kFlat * eigen.eigenvalues()[2])
        smaller->vertices[v] += eigen.eigenvectors().col(k).dot(right[v]) / e * eigen.eigenvectors().col(k);
  }
  return smaller;
}

}  // namespace

Shape shrink(const Shape& shape, double depth) {
  if (depth == 0) return shape;
  const double d = depth;
  return std::visit(
      Overloaded{[&](const Sphere& s) -> Shape { return Sphere{s.radius - d}; },
                 [&](const Box& s) -> Shape { return Box{s.size - Vec3::Constant(2 * d)}; },
                 [&](const Capsule& s) -> Shape {
                   return Capsule{s.radius - d, s.length};
                 },
                 [&](const Cylinder& s) -> Shape {
                   return Cylinder{s.radius - d, s.length - 2 * d};
                 },
                 // Similar, about the middle of the axis, which is this far from the side and from the base.
                 [&](const Cone& s) -> Shape {
                   const double side = 0.5 * s.radius * s.length / Vec3(s.radius, s.length, 0).norm();
                   const double ratio = 1 - d / std::min(side, 0.5 * s.length);
                   return Cone{ratio * s.radius, ratio * s.length};
                 },
                 [&](const Mesh& s) -> Shape { return Mesh{shrink_mesh(*s.triangles, d)}; },
                 [&](const Hull& s) -> Shape { return Hull{shrink_mesh(*s.triangles, d)}; },
                 [&](const auto&) -> Shape { return shape; }},
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
