// Triangle meshes prepared for the overlap checker: a solid if closed, otherwise a sheet.
#pragma once

#include <vector>

#include "tumble/collision/detail/overlap_shapes.h"
#include "tumble/geometry/bvh.h"
#include "tumble/geometry/crossing.h"

namespace tumble::collision::checker {

inline constexpr uint32_t kNone = 0xffffffffu;

inline geometry::Bounds box_of(const geometry::TriangleCorners& t) {
  return {t[0].cwiseMin(t[1]).cwiseMin(t[2]), t[0].cwiseMax(t[1]).cwiseMax(t[2])};
}

struct Edge {
  std::array<uint32_t, 2> ends;   // vertices
  std::array<uint32_t, 2> sides;  // triangles; kNone if there is none
};

class Triangles {
 public:
  explicit Triangles(const geometry::TriangleMesh& mesh);

  /// False for a mesh with invalid corners or coordinates. Nothing can be computed for it.
  bool usable() const { return usable_; }
  bool closed() const { return closed_; }  // bounds a solid
  bool convex() const { return convex_; }  // bounds a convex solid, up to dents of the size of rounding
  const geometry::Bounds& box() const { return box_; }
  double reach() const { return reach_; }  // m, from the origin of its frame
  const geometry::Bvh& tree() const { return tree_; }
  const std::vector<Vec3>& points() const { return points_; }
  const std::vector<geometry::Triangle>& triangles() const { return triangles_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// Edges at a vertex.
  std::span<const uint32_t> edges_at(uint32_t vertex) const {
    return {edges_at_.data() + edges_from_[vertex], edges_at_.data() + edges_from_[vertex + 1]};
  }
  const std::array<uint32_t, 3>& edges_of(uint32_t triangle) const { return edges_of_[triangle]; }
  /// Connected components (shells): the shell of each vertex, and one vertex of each shell.
  uint32_t shell_of(uint32_t vertex) const { return shell_of_[vertex]; }
  const std::vector<uint32_t>& shell_vertices() const { return shell_vertices_; }

  geometry::TriangleCorners corners(uint32_t triangle) const {
    const geometry::Triangle& t = triangles_[triangle];
    return {points_[t[0]], points_[t[1]], points_[t[2]]};
  }
  Vec3 normal(uint32_t triangle) const;  // unit; zero for a triangle without area
  /// Is the point inside the solid? Exact, but arbitrary for a point on the surface. Always false for a
  /// sheet.
  bool contains(const Vec3& point) const;
  struct Nearest {
    double distance = 0;
    uint32_t triangle = kNone;
  };
  /// The triangle nearest to a point.
  Nearest nearest(const Vec3& point) const;
  double distance_to(uint32_t triangle, const Vec3& point) const;

 private:
  void weld(const geometry::TriangleMesh& mesh);
  void build_edges();
  void build_shells();
  bool find_convex() const;

  bool usable_ = false, closed_ = false, convex_ = false;
  double reach_ = 0;
  geometry::Bounds box_;
  geometry::Bvh tree_;
  std::vector<Vec3> points_;  // corners of triangles without duplicates
  std::vector<geometry::Triangle> triangles_;
  std::vector<Edge> edges_;
  std::vector<std::array<uint32_t, 3>> edges_of_;
  std::vector<uint32_t> edges_from_, edges_at_, shell_of_, shell_vertices_;
};

/// A box as triangles.
Triangles triangles_of(const Box& box);

/// The largest distance from the surface of the solid `b` of those points of a segment that are inside it; at
/// least `known`.
double find_deepest(const Triangles& b, const Vec3& from, const Vec3& to, double known);

/// Overlap depth of two triangle meshes, by (1) in overlap_mesh.cpp.
double measure_triangles(const Triangles& a, const Triangles& b, const Frame& X_AB);
/// Do two triangle meshes overlap: do their surfaces cross, or is one inside the other? Touching may count.
bool triangles_overlap(const Triangles& a, const Triangles& b, const Frame& X_AB);

/// A ball of the radius swept along a segment (a capsule; a sphere if both ends are equal) against triangles.
double measure_ball(const Triangles& b, const Vec3& from, const Vec3& to, double radius);
/// A cylinder or cone against triangles.
double measure_round(const Shape& shape, const Triangles& b, const Frame& X_BS);

}  // namespace tumble::collision::checker
