#include "tumble/collision/collider.h"

#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::collision {

using geometry::Bounds;
using math::Vec3;

namespace {

// A prism or pyramid along Y over a regular polygon.
geometry::TriangleMesh make_faceted(double radius, double half_length, bool pyramid) {
  constexpr auto corners = static_cast<uint32_t>(Collider::kRimCorners);
  geometry::TriangleMesh mesh;
  const auto add_rim = [&](double y) {
    for (uint32_t i = 0; i < corners; ++i) {
      const double angle = 2 * math::kPi * i / corners;
      mesh.vertices.push_back(Vec3(radius * math::cos(angle), y, radius * math::sin(angle)));
    }
  };
  add_rim(-half_length);
  if (pyramid)
    mesh.vertices.push_back(Vec3(0, half_length, 0));
  else
    add_rim(half_length);
  for (uint32_t i = 0; i < corners; ++i) {
    const uint32_t j = (i + 1) % corners;
    if (i > 0 && j > 0) mesh.triangles.push_back({0, i, j});
    if (pyramid) {
      mesh.triangles.push_back({j, i, corners});
      continue;
    }
    if (i > 0 && j > 0) mesh.triangles.push_back({corners, corners + j, corners + i});
    mesh.triangles.push_back({i, corners + i, corners + j});
    mesh.triangles.push_back({i, corners + j, j});
  }
  return mesh;
}

}  // namespace

Collider::Collider(const Shape& shape) : kind_(Kind::polyhedron), reach_(reach_from(shape, Vec3::Zero())) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    polyhedron_ = std::make_shared<Polyhedron>(Polyhedron::make_point(sphere->radius));
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    polyhedron_ = std::make_shared<Polyhedron>(Polyhedron::make_segment(capsule->length, capsule->radius));
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    polyhedron_ = std::make_shared<Polyhedron>(Polyhedron::make_box(box->size));
  } else if (const auto* mesh = std::get_if<Mesh>(&shape)) {
    polyhedron_ = std::make_shared<Polyhedron>(*mesh->triangles);
  } else if (const auto* hull = std::get_if<Hull>(&shape)) {
    polyhedron_ = std::make_shared<Polyhedron>(*hull->triangles);
  } else if (const auto* field = std::get_if<HeightField>(&shape)) {
    polyhedron_ = std::make_shared<Polyhedron>(*field->triangles);
  } else if (const auto* plane = std::get_if<Plane>(&shape)) {
    kind_ = Kind::plane;
    normal_ = plane->normal;
    bounds_ = {Vec3::Constant(-inf), Vec3::Constant(inf)};
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    kind_ = Kind::cylinder;
    radius_ = cylinder->radius, half_length_ = 0.5 * cylinder->length;
  } else if (const auto* cone = std::get_if<Cone>(&shape)) {
    kind_ = Kind::cone;
    radius_ = cone->radius, half_length_ = 0.5 * cone->length;
  }
  if (kind_ == Kind::cylinder || kind_ == Kind::cone)
    polyhedron_ = std::make_shared<Polyhedron>(make_faceted(radius_, half_length_, kind_ == Kind::cone));
  if (kind_ == Kind::polyhedron) {
    const Vec3 r = Vec3::Constant(polyhedron_->radius());
    bounds_ = {polyhedron_->bounds().lower - r, polyhedron_->bounds().upper + r};
  } else if (kind_ != Kind::plane) {
    const Vec3 half(radius_, half_length_, radius_);
    bounds_ = {-half, half};
  }
}

Bounds compute_bounds(const Placed& placed) {
  const Bounds& box = placed.collider->bounds();
  if (placed.collider->kind() == Collider::Kind::plane) return box;
  const Vec3 center = placed.R * (0.5 * (box.lower + box.upper)) + placed.p;
  const Vec3 half = placed.R.cwiseAbs() * (0.5 * (box.upper - box.lower));
  return {center - half, center + half};
}

}  // namespace tumble::collision
