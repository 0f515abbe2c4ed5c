#include "tumble/view/draw_list.h"

#include <algorithm>
#include <map>

#include "tumble/core/require.h"
#include "tumble/geometry/tessellate.h"
#include "tumble/math/elementary.h"
#include "tumble/view/tolerances.h"

namespace tumble::view {

namespace {

using geometry::TriangleMesh;
using MeshPointer = std::shared_ptr<const TriangleMesh>;

// Builds the mesh of a shape. Equal shapes share one mesh.
class MeshMaker {
 public:
  MeshMaker(int segments, double plane_size) : segments_(segments), plane_size_(plane_size) {}

  MeshPointer operator()(const collision::Sphere& s) {
    return shared({0, s.radius, 0, 0}, [&] { return geometry::tessellate_sphere(s.radius, segments_); });
  }
  MeshPointer operator()(const collision::Box& s) {
    return shared({1, s.size.x(), s.size.y(), s.size.z()}, [&] { return geometry::tessellate_box(s.size); });
  }
  MeshPointer operator()(const collision::Capsule& s) {
    return shared({2, s.radius, s.length, 0},
                  [&] { return geometry::tessellate_capsule(s.radius, s.length, segments_); });
  }
  MeshPointer operator()(const collision::Cylinder& s) {
    return shared({3, s.radius, s.length, 0},
                  [&] { return geometry::tessellate_cylinder(s.radius, s.length, segments_); });
  }
  MeshPointer operator()(const collision::Cone& s) {
    return shared({4, s.radius, s.length, 0},
                  [&] { return geometry::tessellate_cone(s.radius, s.length, segments_); });
  }
  MeshPointer operator()(const collision::Plane& s) {
    return shared({5, s.normal.x(), s.normal.y(), s.normal.z()},
                  [&] { return geometry::tessellate_plane(s.normal, plane_size_); });
  }
  MeshPointer operator()(const auto& s) { return s.triangles; }  // mesh, hull, height field

 private:
  template <typename Make>
  MeshPointer shared(const std::array<double, 4>& key, const Make& make) {
    MeshPointer& mesh = meshes_[key];
    if (!mesh) mesh = std::make_shared<const TriangleMesh>(make());
    return mesh;
  }

  int segments_;
  double plane_size_;  // m
  std::map<std::array<double, 4>, MeshPointer> meshes_;
};

// A sphere of n segments has about n^2 triangles.
int segments_for(size_t shapes) {
  const double fit = math::sqrt(kTriangleBudget / std::max<double>(1, static_cast<double>(shapes)));
  return 4 * static_cast<int>(std::clamp(fit, double{kFewestSegments}, double{kMostSegments}) / 4);
}

// The bounding box of the bodies at the start determines how much of a plane is drawn.
double extent_of(const model::Model& model) {
  Eigen::AlignedBox3d box;
  for (const model::Body& body : model.bodies()) {
    if (!std::isfinite(body.radius)) continue;
    const math::Vec3 center = body.X_WB * body.center_B, reach = math::Vec3::Constant(body.radius);
    box.extend(center - reach);
    box.extend(center + reach);
  }
  return box.isEmpty() ? 1 : std::max(box.diagonal().norm(), kMinSceneSize);
}

}  // namespace

std::vector<DrawItem> build_draw_list(const model::Model& model, const model::State& state,
                                      std::optional<int> segments) {
  size_t shapes = 0;
  for (const model::Body& body : model.bodies()) shapes += body.shapes.size();
  MeshMaker mesh_of(segments.value_or(segments_for(shapes)), kPlaneExtents * extent_of(model));
  std::vector<DrawItem> items;
  items.reserve(shapes);
  for (const model::Body& body : model.bodies())
    for (const model::BodyShape& shape : body.shapes)
      items.push_back({.mesh = std::visit(mesh_of, shape.shape),
                       .X_WS = {},
                       .color = model.material(shape.material).color,
                       .fixed = body.is_fixed(),
                       .ground = std::holds_alternative<collision::Plane>(shape.shape)});
  update_poses(model, state, items);
  return items;
}

void update_poses(const model::Model& model, const model::State& state, std::span<DrawItem> items) {
  size_t at = 0;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const math::Pose X_WB = model::body_pose(model, state, model::BodyId(i));
    for (const model::BodyShape& shape : model.bodies()[i].shapes) {
      TUMBLE_REQUIRE(at < items.size(), "the items are not those of this model");
      items[at++].X_WS = X_WB * shape.X_BS;
    }
  }
}

std::vector<Polyline> build_paths(const model::Model& model, std::span<const model::State> motion) {
  std::vector<Polyline> paths;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const model::Body& body = model.bodies()[i];
    if (body.is_fixed()) continue;
    Polyline& path = paths.emplace_back();
    if (!body.shapes.empty()) path.color = model.material(body.shapes.front().material).color;
    for (const model::State& state : motion) path.points.push_back(state.position(model::BodyId(i)));
  }
  return paths;
}

}  // namespace tumble::view
