#include "tumble/record/shaded_mesh.h"

#include <algorithm>
#include <tuple>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"
#include "tumble/record/tolerances.h"

namespace tumble::record::detail {

using geometry::Triangle;
using geometry::TriangleMesh;
using math::Vec3;

namespace {

std::array<float, 3> to_float(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

Vec3 unit_or_up(const Vec3& v) {
  const double length = v.norm();
  return length > 0 ? Vec3(v / length) : Vec3(0, 1, 0);
}

// The triangles around each vertex: those of vertex v are list[begin[v]] .. list[begin[v + 1] - 1].
struct Fans {
  std::vector<uint32_t> begin, list;
};

Fans find_fans(const TriangleMesh& mesh) {
  Fans fans;
  fans.begin.assign(mesh.vertices.size() + 1, 0);
  for (const Triangle& triangle : mesh.triangles)
    for (const uint32_t v : triangle) ++fans.begin[v + 1];
  for (size_t v = 0; v < mesh.vertices.size(); ++v) fans.begin[v + 1] += fans.begin[v];
  fans.list.resize(3 * mesh.triangles.size());
  std::vector<uint32_t> next(fans.begin.begin(), fans.begin.end() - 1);
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const uint32_t v : mesh.triangles[t]) fans.list[next[v]++] = static_cast<uint32_t>(t);
  return fans;
}

}  // namespace

ShadedMesh shade(const TriangleMesh& mesh) {
  // Normal times twice the area: sums of these are means weighted by area.
  std::vector<Vec3> area(mesh.triangles.size()), unit(mesh.triangles.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    TUMBLE_REQUIRE(std::max({a, b, c}) < mesh.vertices.size(),
                   "a triangle uses a vertex that does not exist");
    area[t] = (mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]);
    unit[t] = unit_or_up(area[t]);
  }

  const Fans fans = find_fans(mesh);
  const double least_cosine = math::cos(kCreaseAngle);
  ShadedMesh out;
  out.triangles.resize(mesh.triangles.size());
  for (uint32_t v = 0; v < mesh.vertices.size(); ++v) {
    const size_t first_of_vertex = out.positions.size();
    const uint32_t begin = fans.begin[v], end = fans.begin[v + 1];
    const bool smooth = end - begin <= kMaxSmoothValence;
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t t = fans.list[i];
      Vec3 sum = smooth ? Vec3(Vec3::Zero()) : area[t];
      for (uint32_t j = begin; smooth && j < end; ++j)
        if (unit[fans.list[j]].dot(unit[t]) >= least_cosine) sum += area[fans.list[j]];
      // Corners with the same neighbours get bitwise equal normals and share one vertex.
      const std::array<float, 3> normal = to_float(unit_or_up(sum));
      const auto search_from =
          smooth ? out.normals.begin() + static_cast<std::ptrdiff_t>(first_of_vertex) : out.normals.end();
      const auto found = std::find(search_from, out.normals.end(), normal);
      const auto index = static_cast<uint32_t>(found - out.normals.begin());
      if (found == out.normals.end()) {
        out.positions.push_back(to_float(mesh.vertices[v]));
        out.normals.push_back(normal);
      }
      for (size_t corner = 0; corner < 3; ++corner)
        if (mesh.triangles[t][corner] == v) out.triangles[t][corner] = index;
    }
  }
  return out;
}

bool is_closed(const TriangleMesh& mesh) {
  struct Edge {
    uint32_t low, high;
    int direction;  // +1 from low to high
  };
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    for (size_t i = 0; i < 3; ++i) {
      const uint32_t a = t[i], b = t[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.direction) < std::tie(b.low, b.high, b.direction);
  });
  for (size_t i = 0; i < edges.size(); i += 2) {
    if (i + 1 == edges.size()) return false;
    const Edge &a = edges[i], &b = edges[i + 1];
    if (a.low != b.low || a.high != b.high || a.direction == b.direction) return false;
    if (i + 2 < edges.size() && edges[i + 2].low == a.low && edges[i + 2].high == a.high) return false;
  }
  return true;
}

}  // namespace tumble::record::detail
