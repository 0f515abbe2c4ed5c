#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

Bounds compute_bounds(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  Bounds bounds{mesh.vertices.front(), mesh.vertices.front()};
  for (const math::Vec3& v : mesh.vertices) {
    bounds.lower = bounds.lower.cwiseMin(v);
    bounds.upper = bounds.upper.cwiseMax(v);
  }
  return bounds;
}

}  // namespace tumble::geometry
