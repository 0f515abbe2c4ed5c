// Shapes shared by tests of contact.
#pragma once

#include <random>

#include "tumble/collision/collider.h"

namespace tumble::test {

/// A prism over a polygon in the xy plane (counter-clockwise, with the given triangulation), from z = 0 to
/// `height`.
inline geometry::TriangleMesh make_prism(const std::vector<std::array<double, 2>>& polygon,
                                         const std::vector<geometry::Triangle>& cut, double height) {
  geometry::TriangleMesh mesh;
  const auto n = static_cast<uint32_t>(polygon.size());
  for (const double z : {0.0, height})
    for (const auto& p : polygon) mesh.vertices.push_back({p[0], p[1], z});
  for (const geometry::Triangle& t : cut) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  return mesh;
}

inline geometry::TriangleMesh make_l_prism() {
  return make_prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
                    {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, 1);
}

/// The same surface with points added inside some of its triangles.
inline geometry::TriangleMesh refine(geometry::TriangleMesh mesh, std::mt19937& random, int points = 6) {
  std::uniform_real_distribution<double> part(0.2, 0.45);
  for (int k = 0; k < points; ++k) {
    const size_t f = random() % mesh.triangles.size();
    const geometry::Triangle t = mesh.triangles[f];
    const double u = part(random), v = part(random);
    const auto id = static_cast<uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back(u * mesh.vertices[t[0]] + v * mesh.vertices[t[1]] +
                            (1 - u - v) * mesh.vertices[t[2]]);
    mesh.triangles[f] = {t[0], t[1], id};
    mesh.triangles.push_back({t[1], t[2], id});
    mesh.triangles.push_back({t[2], t[0], id});
  }
  return mesh;
}

inline collision::Collider collider_of(geometry::TriangleMesh mesh) {
  return collision::Collider(
      collision::Mesh{std::make_shared<const geometry::TriangleMesh>(std::move(mesh))});
}

}  // namespace tumble::test
