#include <cstdint>
#include <map>

#include "tumble/math/elementary.h"
#include "tumble/view/draw_list.h"
#include "tumble/view/tolerances.h"

namespace tumble::view {

using geometry::TriangleMesh;
using math::Vec3;

CornerNormals compute_corner_normals(const TriangleMesh& mesh) {
  const size_t n = mesh.triangles.size();
  std::vector<Eigen::Vector3f> face(n);
  CornerNormals weighted(3 * n);  // face normal times angle at the corner
  std::vector<uint32_t> begin(mesh.vertices.size() + 1, 0), corners(3 * n);
  for (size_t t = 0; t < n; ++t) {
    std::array<Vec3, 3> p;
    for (size_t k = 0; k < 3; ++k) p[k] = mesh.vertices[mesh.triangles[t][k]];
    face[t] = (p[1] - p[0]).cross(p[2] - p[0]).stableNormalized().cast<float>();
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 u = p[(k + 1) % 3] - p[k], v = p[(k + 2) % 3] - p[k];
      weighted[3 * t + k] = face[t] * static_cast<float>(math::atan2(u.cross(v).norm(), u.dot(v)));
      ++begin[mesh.triangles[t][k] + 1];
    }
  }
  // Group the corners by vertex.
  for (size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (size_t c = 0; c < 3 * n; ++c) corners[next[mesh.triangles[c / 3][c % 3]]++] = static_cast<uint32_t>(c);

  const auto cos_crease = static_cast<float>(math::cos(kSmoothAngle));
  CornerNormals normals(3 * n);
  for (size_t c = 0; c < 3 * n; ++c) {
    const uint32_t v = mesh.triangles[c / 3][c % 3];
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (uint32_t i = begin[v]; i < begin[v + 1]; ++i)
      if (face[corners[i] / 3].dot(face[c / 3]) >= cos_crease) sum += weighted[corners[i]];
    const float length = sum.norm();
    normals[c] = length > 0 ? Eigen::Vector3f(sum / length) : face[c / 3];
  }
  return normals;
}

void prepare_normals(std::span<DrawItem> items) {
  std::map<const TriangleMesh*, std::shared_ptr<const CornerNormals>> normals;
  for (DrawItem& item : items) {
    if (!item.mesh || item.normals) continue;
    auto& shared = normals[item.mesh.get()];
    if (!shared) shared = std::make_shared<const CornerNormals>(compute_corner_normals(*item.mesh));
    item.normals = shared;
  }
}

}  // namespace tumble::view
