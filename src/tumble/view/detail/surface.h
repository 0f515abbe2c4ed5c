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

/// Unit normals, three per triangle in the order of its corners. Faces that meet at less than kSmoothAngle
/// share their normals.
using CornerNormals = std::vector<Eigen::Vector3f>;
CornerNormals compute_corner_normals(const geometry::TriangleMesh& mesh);

struct Surface {
  std::shared_ptr<const geometry::TriangleMesh> mesh;
  std::shared_ptr<const CornerNormals> normals;  // null for lines
  math::Mat3 R_WS;
  math::Vec3 p_WS;
  Rgb color;
  SurfaceKind kind;
  double fade;
  uint32_t first_id;  // of the first of its triangles

  bool casts_shadow() const { return kind == SurfaceKind::body && fade == 0; }
};

/// All drawable items, with consecutive numbers of triangles. Lines become ribbons that face the camera.
std::vector<Surface> build_surfaces(std::span<const DrawItem> items, std::span<const Polyline> lines,
                                    const Projection& projection);

/// Maps world points to a SampleGrid: a perspective view or, for a distant light, a parallel one.
struct Lens {
  math::Mat3 R_CW;          // axes of the view: right, up, forward
  math::Vec3 origin;        // m, world
  double scale_x, scale_y;  // the picture is -1 to 1 in x/(w scale_x) and y/(w scale_y)
  bool perspective;         // w = z, else w = 1
  double near;              // m, least z of a perspective view
};
void draw(const Surface& surface, const Lens& lens, SampleGrid& grid);

Rgb to_linear(const Color& srgb);

}  // namespace tumble::view::detail
