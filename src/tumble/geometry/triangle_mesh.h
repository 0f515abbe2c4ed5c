// A triangle mesh: what every reader makes and everything else takes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tumble/math/types.h"

namespace tumble::geometry {

/// Corners of a triangle as indices into TriangleMesh::vertices, counter-clockwise seen from outside.
using Triangle = std::array<uint32_t, 3>;

struct TriangleMesh {
  std::vector<math::Vec3> vertices;  // m
  std::vector<Triangle> triangles;
};

/// Smallest box that holds every vertex; both corners are zero for an empty mesh.
struct Bounds {
  math::Vec3 lower = math::Vec3::Zero();
  math::Vec3 upper = math::Vec3::Zero();
};
Bounds compute_bounds(const TriangleMesh& mesh);

}  // namespace tumble::geometry
