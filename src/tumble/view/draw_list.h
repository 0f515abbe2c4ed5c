// What is in a picture: meshes with poses and colours, and lines.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/math/quat.h"
#include "tumble/model/state.h"

namespace tumble::view {

using Color = std::array<double, 3>;  // sRGB, 0..1

/// One shape of a body. A pose that is not finite is not drawn.
struct DrawItem {
  std::shared_ptr<const geometry::TriangleMesh> mesh;
  math::Pose X_WS;
  Color color = {0.72, 0.74, 0.78};  // that of model::Material
  bool fixed = false;                // never moves: the camera cares less for it
  bool ground = false;               // a plane: fades out far from the scene, and the camera ignores it
  double fade = 0;  // 0 solid .. 1 invisible, for earlier positions of a body; casts no shadow
};

/// A thin line, two pixels wide whatever its distance.
struct Polyline {
  std::vector<math::Vec3> points;  // m, world
  Color color = {0.3, 0.3, 0.3};   // dark grey
  double fade = 0;                 // as DrawItem::fade
};

/// Every shape of every body as it stands in `state`. Equal shapes share one mesh; round ones are divided as
/// finely as their number allows.
std::vector<DrawItem> build_draw_list(const model::Model& model, const model::State& state);

/// The same items, made by build_draw_list for this model, as they stand in another state.
void update_poses(const model::Model& model, const model::State& state, std::span<DrawItem> items);

/// The way of each moving body's centre of mass through the states, one line a body, in its colour.
std::vector<Polyline> build_paths(const model::Model& model, std::span<const model::State> motion);

}  // namespace tumble::view
