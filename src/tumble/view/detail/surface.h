// Meshes prepared for drawing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tumble/view/detail/project.h"
#include "tumble/view/raster.h"

namespace tumble::view::detail {

using Rgb = Eigen::Array3d;  // linear light, 0..1

enum class SurfaceKind { body, ground, line };

struct Surface {
  std::shared_ptr<const geometry::TriangleMesh> mesh;
  std::shared_ptr<const CornerNormals> normals;  // null for lines
  math::Mat3 R_WS;
  math::Vec3 p_WS;
  Rgb color;
  SurfaceKind kind;
  double fade;
  uint32_t first_id;  // of the first of its triangles
  bool fixed = false, veil = false;
  bool one_id = false;  // all triangles have the first id

  bool casts_shadow() const { return kind == SurfaceKind::body && fade == 0; }
};

/// All drawable items, with consecutive numbers of triangles: moving ones, lines, fixed ones. Lines become
/// ribbons that face the camera.
std::vector<Surface> build_surfaces(std::span<const DrawItem> items, std::span<const Polyline> lines,
                                    const Projection& projection);

/// Triangles with ids below `seen_below` stay visible through this surface.
void draw(const Surface& surface, const Lens& lens, SampleGrid& grid, uint32_t seen_below = 0);

Rgb to_linear(const Color& srgb);

}  // namespace tumble::view::detail
