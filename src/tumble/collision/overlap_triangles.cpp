#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tumble/collision/detail/overlap_mesh.h"
#include "tumble/collision/overlap_checker.h"
#include "tumble/collision/overlap_parameters.h"
#include "tumble/geometry/tessellate.h"

namespace tumble::collision::checker {

namespace {

std::vector<geometry::Bounds> boxes_of(const geometry::TriangleMesh& mesh) {
  std::vector<geometry::Bounds> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const geometry::Triangle& t : mesh.triangles)
    boxes.push_back(box_of({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]}));
  return boxes;
}

// True if there are triangles, coordinates are bounded (false for NaN) and indices are valid.
bool is_usable_mesh(const geometry::TriangleMesh& mesh) {
  const auto count = static_cast<uint32_t>(mesh.vertices.size());
  return !mesh.triangles.empty() &&
         std::all_of(mesh.vertices.begin(), mesh.vertices.end(),
                     [](const Vec3& v) { return (v.array().abs() <= kOverlap.max_length).all(); }) &&
         std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [count](const geometry::Triangle& t) {
           return t[0] < count && t[1] < count && t[2] < count;
         });
}

}  // namespace

Triangles::Triangles(const geometry::TriangleMesh& mesh)
    : usable_(is_usable_mesh(mesh)), tree_(usable_ ? boxes_of(mesh) : std::vector<geometry::Bounds>{}) {
  if (!usable_) return;
  weld(mesh);
  build_edges();
  build_shells();
  for (const Vec3& point : points_) reach_ = std::max(reach_, point.norm());
  convex_ = closed_ && convex_ && find_convex();
}

// Collects the corners of triangles without duplicates, in the order of the list of vertices.
void Triangles::weld(const geometry::TriangleMesh& mesh) {
  const auto key = [&mesh](uint32_t v) {
    const Vec3& p = mesh.vertices[v];
    return std::array{p.x() + 0.0, p.y() + 0.0, p.z() + 0.0};  // -0 + 0 = +0
  };
  std::vector<uint32_t> order, number(mesh.vertices.size(), kNone);
  for (const geometry::Triangle& t : mesh.triangles)
    for (const uint32_t v : t)
      if (number[v] == kNone) {
        number[v] = v;
        order.push_back(v);
      }
  std::sort(order.begin(), order.end(), [&](uint32_t i, uint32_t j) {
    const auto x = key(i), y = key(j);
    return x != y ? x < y : i < j;
  });
  for (size_t i = 1; i < order.size(); ++i)
    if (key(order[i]) == key(order[i - 1])) number[order[i]] = number[order[i - 1]];
  std::vector<uint32_t> new_index(mesh.vertices.size(), kNone);
  for (uint32_t v = 0; v < new_index.size(); ++v) {
    if (number[v] != v) continue;
    new_index[v] = static_cast<uint32_t>(points_.size());
    points_.push_back(mesh.vertices[v]);
  }
  box_ = {points_.front(), points_.front()};
  for (const Vec3& p : points_) box_ = {box_.lower.cwiseMin(p), box_.upper.cwiseMax(p)};
  triangles_.reserve(mesh.triangles.size());
  for (const geometry::Triangle& t : mesh.triangles)
    triangles_.push_back({new_index[number[t[0]]], new_index[number[t[1]]], new_index[number[t[2]]]});
}

void Triangles::build_edges() {
  struct Side {
    uint32_t low, high, triangle;
    size_t corner;
  };
  std::vector<Side> sides;
  sides.reserve(3 * triangles_.size());
  for (uint32_t t = 0; t < triangles_.size(); ++t)
    for (size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(triangles_[t][i], triangles_[t][(i + 1) % 3]);
      sides.push_back({low, high, t, i});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
    return std::tie(x.low, x.high, x.triangle, x.corner) < std::tie(y.low, y.high, y.triangle, y.corner);
  });
  edges_of_.assign(triangles_.size(), {kNone, kNone, kNone});
  // Closed: every edge is used as often in one direction as in the other. Then ray casting counts surfaces
  // correctly.
  closed_ = convex_ = true;
  for (size_t i = 0, end = 0; i < sides.size(); i = end) {
    while (end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high) ++end;
    if (sides[i].low == sides[i].high) continue;
    int forwards = 0;
    for (size_t k = i; k < end; ++k) {
      edges_of_[sides[k].triangle][sides[k].corner] = static_cast<uint32_t>(edges_.size());
      forwards += triangles_[sides[k].triangle][sides[k].corner] == sides[k].low ? 1 : -1;
    }
    closed_ = closed_ && forwards == 0;
    convex_ = convex_ && end - i == 2;  // further conditions in find_convex
    edges_.push_back(
        {{sides[i].low, sides[i].high}, {sides[i].triangle, end - i > 1 ? sides[i + 1].triangle : kNone}});
  }
  edges_from_.assign(points_.size() + 1, 0);
  for (const Edge& edge : edges_)
    for (const uint32_t v : edge.ends) ++edges_from_[v + 1];
  std::partial_sum(edges_from_.begin(), edges_from_.end(), edges_from_.begin());
  edges_at_.resize(2 * edges_.size());
  std::vector<uint32_t> next(edges_from_.begin(), edges_from_.end() - 1);
  for (uint32_t e = 0; e < edges_.size(); ++e)
    for (const uint32_t v : edges_[e].ends) edges_at_[next[v]++] = e;
}

void Triangles::build_shells() {
  shell_of_.assign(points_.size(), kNone);
  std::vector<uint32_t> open;
  for (const geometry::Triangle& t : triangles_) {
    if (shell_of_[t[0]] != kNone) continue;
    const auto shell = static_cast<uint32_t>(shell_vertices_.size());
    shell_vertices_.push_back(t[0]);
    shell_of_[t[0]] = shell;
    open.push_back(t[0]);
    while (!open.empty()) {
      const uint32_t v = open.back();
      open.pop_back();
      for (const uint32_t e : edges_at(v))
        for (const uint32_t w : edges_[e].ends)
          if (shell_of_[w] == kNone) {
            shell_of_[w] = shell;
            open.push_back(w);
          }
    }
  }
}

// One shell that bends outwards at every edge. A closed surface that is locally convex everywhere bounds a
// convex body.
bool Triangles::find_convex() const {
  if (shell_vertices_.size() != 1) return false;
  const double slack = kOverlap.resolution * (reach_ + (box_.upper - box_.lower).norm());
  for (const Edge& edge : edges_) {
    const geometry::Triangle& other = triangles_[edge.sides[1]];
    const auto across = std::find_if(other.begin(), other.end(),
                                     [&edge](uint32_t v) { return v != edge.ends[0] && v != edge.ends[1]; });
    const Vec3 n = normal(edge.sides[0]);
    if (across == other.end() || n.isZero()) return false;
    if (n.dot(points_[*across] - points_[edge.ends[0]]) > slack) return false;
  }
  return true;
}

Vec3 Triangles::normal(uint32_t triangle) const {
  const geometry::TriangleCorners t = corners(triangle);
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3::Zero();
}

bool Triangles::contains(const Vec3& p) const {
  if (!closed_ || !geometry::overlap(box_, {p, p})) return false;
  bool inside = false;
  tree_.for_each_overlap({p, Vec3(box_.upper.x(), p.y(), p.z())}, [&](uint32_t t) {
    inside ^= geometry::ray_crosses(p, corners(t));
    return true;
  });
  return inside;
}

double Triangles::distance_to(uint32_t triangle, const Vec3& point) const {
  const geometry::TriangleCorners t = corners(triangle);
  return math::sqrt(squared_distance(point, t[0], t[1], t[2]));
}

Triangles::Nearest Triangles::nearest(const Vec3& point) const {
  const auto squared_to = [&point](const geometry::Bounds& box) {
    return (box.lower - point).cwiseMax(point - box.upper).cwiseMax(0).squaredNorm();
  };
  struct Open {
    double squared;
    uint32_t node;
  };
  const std::vector<geometry::Bvh::Node>& nodes = tree_.nodes();
  double best = std::numeric_limits<double>::infinity();
  uint32_t triangle = kNone;
  std::vector<Open> open = {{0, 0}};
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    if (!(next.squared < best)) continue;
    const geometry::Bvh::Node& node = nodes[next.node];
    if (!node.is_leaf()) {
      Open first{squared_to(nodes[node.first].box), node.first},
          second{squared_to(nodes[node.first + 1].box), node.first + 1};
      if (second.squared < first.squared) std::swap(first, second);
      open.push_back(second);
      open.push_back(first);
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
      const geometry::TriangleCorners c = corners(tree_.items()[i]);
      const double squared = squared_distance(point, c[0], c[1], c[2]);
      if (squared < best) {
        best = squared;
        triangle = tree_.items()[i];
      }
    }
  }
  return {math::sqrt(best), triangle};
}

Triangles triangles_of(const Box& box) { return Triangles(geometry::tessellate_box(box.size)); }

}  // namespace tumble::collision::checker
