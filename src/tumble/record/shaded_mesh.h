// Triangles with normals for rendering: flat shading at sharp edges, smooth shading of curved surfaces.
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

/// The normal at a corner is the mean, weighted by area, over those triangles around the vertex whose normal
/// differs by less than kCreaseAngle from that of the corner's triangle.
ShadedMesh shade(const geometry::TriangleMesh& mesh);

/// True when every edge is used once in each direction. Such a surface can be rendered single-sided.
bool is_closed(const geometry::TriangleMesh& mesh);

}  // namespace tumble::record::detail
