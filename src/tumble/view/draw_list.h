// The content of a picture: meshes with poses and colours, and lines.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/math/quat.h"
#include "tumble/model/state.h"

namespace tumble::view {

using Color = std::array<double, 3>;  // sRGB, 0..1

/// Unit normals, three per triangle in the order of its corners. Faces that meet at less than kSmoothAngle
/// share their normals.
using CornerNormals = std::vector<Eigen::Vector3f>;
CornerNormals compute_corner_normals(const geometry::TriangleMesh& mesh);

/// One shape of a body. A pose that is not finite is not drawn.
struct DrawItem {
  std::shared_ptr<const geometry::TriangleMesh> mesh;
  math::Pose X_WS;
  Color color = {0.72, 0.74, 0.78};  // default as in model::Material
  bool fixed = false;                // never moves: less important to the camera
  bool ground = false;               // a plane: fades out far from the scene, and the camera ignores it
  double fade = 0;    // 0 opaque .. 1 invisible, for other positions of a body; then without shadow
  bool veil = false;  // moving bodies behind it are visible through it
  std::shared_ptr<const CornerNormals> normals = nullptr;  // of the mesh; null: computed for each picture
};

/// A thin line, two pixels wide at any distance.
struct Polyline {
  std::vector<math::Vec3> points;  // m, world
  Color color = {0.3, 0.3, 0.3};   // dark grey
  double fade = 0;                 // see DrawItem::fade
};

/// Every shape of every body with its pose in `state`. Equal shapes share one mesh. Round shapes get the
/// more triangles, the fewer of them there are, or `segments` round their circumference.
std::vector<DrawItem> build_draw_list(const model::Model& model, const model::State& state,
                                      std::optional<int> segments = {});

/// Moves items, made by build_draw_list for this model, to their poses in another state.
void update_poses(const model::Model& model, const model::State& state, std::span<DrawItem> items);

/// Computes the normals of all meshes: for many pictures of the same items.
void prepare_normals(std::span<DrawItem> items);

/// The path of the centre of mass of each moving body through the states: one line per body, in its colour.
std::vector<Polyline> build_paths(const model::Model& model, std::span<const model::State> motion);

}  // namespace tumble::view
