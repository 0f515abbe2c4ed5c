// Triangles with normals, as pictures need them: flat across edges, smooth over curved surfaces.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::record::detail {

/// A vertex appears once for each normal it has.
struct ShadedMesh {
  std::vector<std::array<float, 3>> positions, normals;
  std::vector<geometry::Triangle> triangles;
};

/// The normal at a corner is the mean, weighted by area, of the triangles round the vertex that meet the
/// corner's own at less than kCreaseAngle.
ShadedMesh shade(const geometry::TriangleMesh& mesh);

/// True when every edge is run along once in each direction: such a surface needs to be seen from outside
/// only.
bool is_closed(const geometry::TriangleMesh& mesh);

}  // namespace tumble::record::detail
