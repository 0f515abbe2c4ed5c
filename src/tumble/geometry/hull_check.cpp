// Checks that a mesh is the surface of a convex solid that contains given points. Independent of the hull
// algorithm.
#include <algorithm>
#include <cmath>
#include <optional>

#include "tumble/geometry/convex_hull.h"
#include "tumble/geometry/detail/local_points.h"
#include "tumble/geometry/detail/point_index.h"
#include "tumble/geometry/tolerances.h"

namespace tumble::geometry {

using math::Vec3;

namespace {

// Bounding volume hierarchy of points. Finds the points above a plane.
class PointTree {
 public:
  explicit PointTree(std::vector<Vec3> points) : points_(std::move(points)) { build(0, points_.size()); }

  /// Calls visit(point) for the points with n . point > height. visit returns false to stop.
  template <typename Visit>
  void for_each_above(const Vec3& n, double height, const Visit& visit) const {
    std::vector<size_t> open = {0};
    while (!open.empty()) {
      const Node& node = nodes_[open.back()];
      const size_t self = open.back();
      open.pop_back();
      // The corner of the box that is farthest along n.
      const Vec3 top = (n.array() > 0).select(node.box.upper, node.box.lower);
      if (!(n.dot(top) > height)) continue;
      if (node.second != 0) {
        open.push_back(node.second);
        open.push_back(self + 1);
        continue;
      }
      for (size_t i = node.begin; i < node.end; ++i)
        if (n.dot(points_[i]) > height && !visit(points_[i])) return;
    }
  }

 private:
  struct Node {
    Bounds box;
    size_t begin, end;
    size_t second;  // second child; the first child follows its parent; 0: a leaf
  };

  size_t build(size_t begin, size_t end) {
    constexpr size_t kLeaf = 8;
    const size_t self = nodes_.size();
    Bounds box{points_[begin], points_[begin]};
    for (size_t i = begin; i < end; ++i) {
      box.lower = box.lower.cwiseMin(points_[i]);
      box.upper = box.upper.cwiseMax(points_[i]);
    }
    nodes_.push_back({box, begin, end, 0});
    if (end - begin <= kLeaf) return self;
    Eigen::Index axis = 0;
    (box.upper - box.lower).maxCoeff(&axis);
    const size_t middle = begin + (end - begin) / 2;
    const auto at = [&](size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [&](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    build(begin, middle);
    const size_t second = build(middle, end);
    nodes_[self].second = second;
    return self;
  }

  std::vector<Vec3> points_;
  std::vector<Node> nodes_;  // root first
};

std::string find_numbering_fault(const TriangleMesh& hull) {
  if (hull.triangles.empty()) return "it has no triangles";
  for (size_t i = 0; i < hull.vertices.size(); ++i)
    if (!hull.vertices[i].allFinite()) return describe_vertex(hull, i) + " is not a finite point";
  std::vector<uint8_t> used(hull.vertices.size());
  for (const Triangle& t : hull.triangles)
    for (const uint32_t corner : t) {
      if (corner >= used.size()) return "a triangle refers to a vertex that does not exist";
      used[corner] = 1;
    }
  detail::PointIndex index(hull.vertices.size());
  for (uint32_t i = 0; i < used.size(); ++i) {
    if (!used[i]) return describe_vertex(hull, i) + " belongs to no triangle";
    if (const uint32_t first = index.find_or_add(hull.vertices, hull.vertices[i], i); first != i)
      return describe_vertex(hull, i) + " is at the same point as " + describe_vertex(hull, first);
  }
  return {};
}

std::string find_topology_fault(const TriangleMesh& hull) {
  using Edge = std::pair<uint32_t, uint32_t>;
  std::vector<Edge> edges;  // each in the direction of its triangle
  for (const Triangle& t : hull.triangles)
    for (size_t i = 0; i < 3; ++i) edges.emplace_back(t[i], t[(i + 1) % 3]);
  std::sort(edges.begin(), edges.end());
  const auto between = [&](const Edge& e) {
    return "the edge between " + describe_vertex(hull, e.first) + " and " + describe_vertex(hull, e.second);
  };
  if (const auto twice = std::adjacent_find(edges.begin(), edges.end()); twice != edges.end())
    return between(*twice) + " is used twice in the same direction";
  for (const Edge& e : edges)
    if (!std::binary_search(edges.begin(), edges.end(), Edge(e.second, e.first)))
      return between(e) + " is open";
  const auto count = static_cast<long long>(hull.vertices.size() + hull.triangles.size()) -
                     static_cast<long long>(edges.size() / 2);
  if (count != 2) return "vertices - edges + triangles is " + std::to_string(count) + ", not 2";
  return {};
}

}  // namespace

std::string find_hull_fault(const TriangleMesh& hull, std::span<const Vec3> points) {
  if (std::string fault = find_numbering_fault(hull); !fault.empty()) return fault;
  if (std::string fault = find_topology_fault(hull); !fault.empty()) return fault;
  for (size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite()) return "point " + std::to_string(i) + " is not finite";

  const detail::LocalFrame frame = detail::find_local_frame(hull.vertices);
  const double slack = kHullSlack * frame.magnitude;
  const std::vector<Vec3> corners = detail::to_local(frame, hull.vertices);
  std::vector<Vec3> all = detail::to_local(frame, points);
  all.insert(all.end(), corners.begin(), corners.end());
  const PointTree tree(std::move(all));
  double volume = 0, area = 0;  // times 6, times 2
  for (size_t i = 0; i < hull.triangles.size(); ++i) {
    const Triangle& t = hull.triangles[i];
    const Vec3 &a = corners[t[0]], &b = corners[t[1]], &c = corners[t[2]];
    const Vec3 cross = (b - a).cross(c - a);
    const double height = detail::min_height(a, b, c);
    if (!(height > 0)) return describe_triangle(hull, i) + " has no area";
    const Vec3 normal = cross.normalized();
    std::optional<double> above;
    tree.for_each_above(normal, normal.dot(a) + slack, [&](const Vec3& p) {
      const double distance = normal.dot(p - a);
      if (distance > slack * (1 + (p - a).norm() / height)) above = distance;
      return !above;
    });
    if (above)
      return "a point is " + core::brief_number(frame.length(*above)) + " m above the plane of " +
             describe_triangle(hull, i);
    volume += a.dot(b.cross(c));
    area += cross.norm();
  }
  // The volume of a solid is at least a sixth of its area times its thickness. That is more than rounding.
  if (!(volume > kPointTolerance * frame.magnitude * area)) return "its volume is not positive";
  return {};
}

}  // namespace tumble::geometry
