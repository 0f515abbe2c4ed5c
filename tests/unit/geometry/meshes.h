// Meshes for geometry tests: solids with known mass properties, and variants of the same solid.
#pragma once

#include <algorithm>
#include <random>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/math/quat.h"

namespace tumble::test {

using geometry::Triangle;
using geometry::TriangleMesh;
using math::Vec3;

inline void append(TriangleMesh& mesh, const TriangleMesh& part) {
  const auto offset = static_cast<uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), part.vertices.begin(), part.vertices.end());
  for (const Triangle& t : part.triangles)
    mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

inline TriangleMesh flipped(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

template <typename Map>
TriangleMesh mapped(TriangleMesh mesh, Map&& map) {
  for (Vec3& v : mesh.vertices) v = map(v);
  return mesh;
}

// Bits of vertex 4 x + 2 y + z select the lower or upper corner along each axis.
inline TriangleMesh box_mesh(const Vec3& lower, const Vec3& upper) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 4 ? upper.x() : lower.x(), i & 2 ? upper.y() : lower.y(),
                               i & 1 ? upper.z() : lower.z());
  mesh.triangles = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                    {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  return mesh;
}

inline TriangleMesh unit_cube() { return box_mesh(Vec3(0, 0, 0), Vec3(1, 1, 1)); }

inline TriangleMesh tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return {{a, b, c, d}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
}

// An L of two unit squares and their common corner square, 0 <= z <= height. Its base area is 3.
inline TriangleMesh l_prism(double height) {
  const double ground[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  TriangleMesh mesh;
  for (const double z : {0.0, height})
    for (const auto& p : ground) mesh.vertices.emplace_back(p[0], p[1], z);
  for (const Triangle t : {Triangle{0, 1, 3}, Triangle{1, 2, 3}, Triangle{0, 3, 5}, Triangle{3, 4, 5}}) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
  }
  for (uint32_t i = 0; i < 6; ++i) {
    const uint32_t j = (i + 1) % 6;
    mesh.triangles.push_back({i, j, j + 6});
    mesh.triangles.push_back({i, j + 6, i + 6});
  }
  return mesh;
}

// Divides each triangle into four at the midpoints of its edges. Midpoints of flat faces stay in their plane
// to rounding.
inline TriangleMesh subdivided(const TriangleMesh& mesh) {
  TriangleMesh fine{mesh.vertices, {}};
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint32_t>> edges;
  for (const Triangle& t : mesh.triangles)
    for (size_t i = 0; i < 3; ++i) edges.push_back({std::minmax(t[i], t[(i + 1) % 3]), 0});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (auto& [edge, middle] : edges) {
    middle = static_cast<uint32_t>(fine.vertices.size());
    fine.vertices.push_back(0.5 * (mesh.vertices[edge.first] + mesh.vertices[edge.second]));
  }
  const auto middle_of = [&](uint32_t a, uint32_t b) {
    const std::pair<uint32_t, uint32_t> edge = std::minmax(a, b);
    return std::lower_bound(edges.begin(), edges.end(), std::pair(edge, uint32_t{0}))->second;
  };
  for (const Triangle& t : mesh.triangles) {
    const uint32_t a = middle_of(t[0], t[1]), b = middle_of(t[1], t[2]), c = middle_of(t[2], t[0]);
    for (const Triangle& part :
         {Triangle{t[0], a, c}, Triangle{t[1], b, a}, Triangle{t[2], c, b}, Triangle{a, b, c}})
      fine.triangles.push_back(part);
  }
  return fine;
}

// An octahedron, subdivided `levels` times and projected to the unit sphere. Then radius(direction) scales
// each vertex.
template <typename Radius>
TriangleMesh star_mesh(int levels, Radius&& radius) {
  TriangleMesh mesh{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
                    {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int i = 0; i < levels; ++i)
    mesh = mapped(subdivided(mesh), [](const Vec3& v) { return Vec3(v.normalized()); });
  return mapped(std::move(mesh), [&](const Vec3& v) { return Vec3(radius(v) * v); });
}

inline TriangleMesh sphere_mesh(int levels) {
  return star_mesh(levels, [](const Vec3&) { return 1.0; });
}

// Simple random numbers with the same values on every machine.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / 4294967296.0;
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(engine_()) % n; }
  Vec3 point(double size) { return Vec3(between(-size, size), between(-size, size), between(-size, size)); }
  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(static_cast<uint32_t>(i))]);
  }

 private:
  std::mt19937 engine_;
};

// A random solid: a sphere with random radii. It is star-shaped and so free of self-intersections.
inline TriangleMesh random_star(Random& random, int levels) {
  std::vector<Vec3> waves;
  for (int i = 0; i < 4; ++i) waves.push_back(random.point(3));
  return star_mesh(levels, [&](const Vec3& v) {
    double r = 1;
    for (const Vec3& k : waves) r += 0.1 * std::sin(k.dot(v) + k.x());
    return r;
  });
}

// The same surface with triangles, their corners and vertices in another order.
inline TriangleMesh permuted(const TriangleMesh& mesh, Random& random) {
  std::vector<uint32_t> new_index(mesh.vertices.size());
  for (size_t i = 0; i < new_index.size(); ++i) new_index[i] = static_cast<uint32_t>(i);
  random.shuffle(new_index);
  TriangleMesh result{mesh.vertices, mesh.triangles};
  for (size_t i = 0; i < new_index.size(); ++i) result.vertices[new_index[i]] = mesh.vertices[i];
  for (Triangle& t : result.triangles) {
    for (uint32_t& corner : t) corner = new_index[corner];
    std::rotate(t.begin(), t.begin() + random.below(3), t.end());
  }
  random.shuffle(result.triangles);
  return result;
}

}  // namespace tumble::test
