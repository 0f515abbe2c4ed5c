// Meshes made ready to be drawn.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tumble/view/detail/project.h"
#include "tumble/view/raster.h"

namespace tumble::view::detail {

using Rgb = Eigen::Array3d;  // linear light, 0..1

enum class SurfaceKind { body, ground, line };

/// Unit normals, three a triangle in the order of its corners: faces that meet at less than kCreaseAngle
/// share theirs.
using CornerNormals = std::vector<Eigen::Vector3f>;
CornerNormals compute_corner_normals(const geometry::TriangleMesh& mesh);

struct Surface {
  std::shared_ptr<const geometry::TriangleMesh> mesh;
  std::shared_ptr<const CornerNormals> normals;  // none for lines
  math::Mat3 R_WS;
  math::Vec3 p_WS;
  Rgb color;
  SurfaceKind kind;
  double fade;
  uint32_t first_id;  // of its triangles among all

  bool casts_shadow() const { return kind == SurfaceKind::body && fade == 0; }
};

/// All that can be drawn, numbered through; lines become ribbons that face the camera.
std::vector<Surface> build_surfaces(std::span<const DrawItem> items, std::span<const Polyline> lines,
                                    const Projection& projection);

/// What maps world points to a SampleGrid: a perspective or, for light from far away, a parallel view.
struct Lens {
  math::Mat3 R_CW;          // axes of the view: right, up, forward
  math::Vec3 origin;        // m, world
  double scale_x, scale_y;  // the picture reaches from -1 to 1 in x/(w scale_x) and y/(w scale_y)
  bool perspective;         // w = z, else w = 1
  double near;              // m, least z of a perspective view
};
void draw(const Surface& surface, const Lens& lens, SampleGrid& grid);

Rgb to_linear(const Color& srgb);

}  // namespace tumble::view::detail
