// A surface prepared for the narrow phase: vertices, edges and triangles, all rounded by `radius`. A sphere
// is one vertex with a radius, a capsule one edge with a radius. Boxes, hulls, meshes and height fields have
// triangles and no radius.
#pragma once

#include <optional>
#include <span>

#include "tumble/collision/detail/lanes.h"
#include "tumble/collision/parameters.h"
#include "tumble/geometry/bvh.h"

namespace tumble::collision {

class Polyhedron {
 public:
  /// Merges equal points into one vertex. Leaves out triangles without area. Flat faces that are simple
  /// polygons are divided anew into as few triangles as possible.
  explicit Polyhedron(const geometry::TriangleMesh& mesh);
  static Polyhedron make_point(double radius);
  /// Along Y, centred on the origin.
  static Polyhedron make_segment(double length, double radius);
  /// `size`: full extents.
  static Polyhedron make_box(const math::Vec3& size);

  static constexpr uint32_t kNone = 0xffffffffu;

  struct Edge {
    uint32_t a = 0, b = 0;               // vertices, a < b
    uint32_t faces[2] = {kNone, kNone};  // kNone: a border has one face, the axis of a capsule none
    math::Vec3 into[2] = {
        math::Vec3::Zero(),
        math::Vec3::Zero()};  // unit, in each face, perpendicular to the edge, pointing into the face
    double length_squared = 0;
    bool sharp = true;            // a convex edge, neither flat nor concave
    bool shared_by_many = false;  // more than two faces: counts as sharp from every side
  };
  /// A triangle, or the single edge or vertex of a surface without triangles.
  struct Primitive {
    uint32_t corners[3];
    int count;  // number of corners
    uint32_t edges[3];
    /// Bits k: corner k, edge k (from corner k to k + 1) are owned by this primitive. Each has exactly one
    /// owner.
    uint8_t owned_corners, owned_edges;
  };

  const std::vector<math::Vec3>& vertices() const { return vertices_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// The edges that can make contact by themselves.
  const std::vector<uint32_t>& sharp_edges() const { return sharp_edges_; }
  const std::vector<Primitive>& primitives() const { return primitives_; }
  bool has_faces() const { return !normals_.empty(); }
  const math::Vec3& normal(size_t primitive) const { return normals_[primitive]; }
  /// A side of a face. Inside it, inward.x >= least, where x is relative to the first corner of the face.
  struct Side {
    math::Vec3 inward;  // unit
    double least;       // includes rounding
  };
  /// A plane polygon of a convex polyhedron, of one or more triangles.
  struct Face {
    uint32_t triangle;  // the largest one, which defines the plane and represents the face
    uint32_t begin, end;
  };
  const std::vector<Face>& faces() const { return faces_; }
  std::span<const Side> sides(const Face& face) const {
    return {sides_.data() + face.begin, sides_.data() + face.end};
  }
  /// The triangle that represents the face of this one. The triangle itself if the polyhedron is not convex.
  uint32_t face_triangle(uint32_t triangle) const { return convex_ ? face_triangle_[triangle] : triangle; }
  std::span<const uint32_t> neighbours(size_t vertex) const {
    return {neighbours_.data() + first_neighbour_[vertex], neighbours_.data() + first_neighbour_[vertex + 1]};
  }
  double radius() const { return radius_; }
  /// m: how far the given surface may lie outside of this one, because flat faces were divided anew.
  double merge_error() const { return merge_error_; }
  /// The edge of two vertices, or kNone.
  uint32_t find_edge(uint32_t v, uint32_t w) const;
  /// True if all of it is convex, and it has few faces.
  bool is_convex() const { return convex_; }
  /// True for an open sheet. It has no inside and makes contact on both sides.
  bool is_sheet() const { return sheet_; }
  /// Hierarchy over the primitives, without the radius.
  const geometry::Bvh& tree() const { return *tree_; }
  const geometry::Bounds& bounds() const { return bounds_; }  // without the radius
  /// Oriented bounding box of the content of a node, flat where the surface is flat. Vectors have a fourth
  /// component 0 for SIMD.
  struct OrientedBox {
    Eigen::Matrix<double, 4, 3> to_box;  // rotates into the axes of the box
    Eigen::Vector4d center, half;
  };
  const OrientedBox& box(uint32_t node) const { return boxes_[node]; }
  /// The boxes two levels below a node, or one where that is a leaf: up to four, one SIMD lane each. The
  /// first one stands in the lanes that are left.
  struct BoxQuad {
    detail::Lanes center[3], half[3], axes[3][3];  // an axis, then its component
    uint32_t nodes[4];
    int count;
  };
  /// For the root, if it is not a leaf, and for nodes of a quad that are no leaves.
  const BoxQuad& boxes_below(uint32_t node) const { return quads_[quad_of_[node]]; }
  /// A sphere fitted to the content of a node. It lies in a cone around `axis`, seen from the centre. A sheet
  /// is round on both sides.
  struct Round {
    bool bulging = false, hollow = false;  // its outside is away from the centre; towards it
    math::Vec3 center, axis;
    double outer, inner;  // no point of it is farther from the centre, or nearer
    double cosine, sine;  // of the cone's angle to its axis
  };
  /// Of a surface with many triangles that is not convex. Null elsewhere.
  const Round* round(uint32_t node) const { return rounds_.empty() ? nullptr : &rounds_[node]; }

  /// True if a search by the tree is faster than a loop over the vertices.
  bool has_many_vertices() const { return vertices_.size() > kPolyhedron.min_searched_vertices; }
  /// The vertex farthest in direction d. Of equally far vertices, the first.
  uint32_t find_support(const math::Vec3& d) const;
  /// Calls visit(vertex) for each vertex in nodes of which stays(box) is false.
  template <typename Stays, typename Visit>
  void visit_vertices(Stays&& stays, Visit&& visit) const;
  /// An upper bound of d.x over a box, with rounding.
  double bound_along(const OrientedBox& box, const math::Vec3& d) const {
    const Eigen::Vector4d d4(d.x(), d.y(), d.z(), 0);
    const Eigen::Vector4d across =
        box.to_box.col(0) * d[0] + box.to_box.col(1) * d[1] + box.to_box.col(2) * d[2];
    return d4.dot(box.center) + across.cwiseAbs().dot(box.half) + rounding_ * d.lpNorm<1>();
  }

 private:
  Polyhedron() = default;
  void add_triangles(const geometry::TriangleMesh& mesh);
  void finish();
  std::vector<uint32_t> find_flat_face(uint32_t first, std::vector<uint32_t>& face_of) const;
  bool is_flat(const Edge& edge) const;
  bool make_flat(std::vector<uint32_t>& joined) const;
  std::vector<uint32_t> find_outline(const std::vector<uint32_t>& joined,
                                     const std::vector<uint32_t>& face_of, std::vector<uint32_t>& next) const;
  double plane_rounding() const;
  struct FlatFace {
    std::vector<uint32_t> joined, outline;  // triangles; vertices around them, empty: no simple polygon
  };
  bool is_straight(uint32_t from, uint32_t v, uint32_t to) const;
  void keep_vertices(const FlatFace& flat, std::vector<char>& is_corner) const;
  std::vector<FlatFace> find_flat_faces(std::vector<char>& is_corner) const;
  bool divide_face(const FlatFace& flat, const std::vector<char>& is_corner,
                   std::vector<geometry::Triangle>& triangles) const;
  bool merge_flat_faces();
  void check_convex();
  void build_edges();
  void classify_edges();
  void build_neighbours();
  void build_faces();
  void add_face(std::span<const uint32_t> triangles);
  void build_boxes();
  void build_quads();
  void build_rounds();
  Round fit_round(std::span<const uint32_t> items) const;

  std::vector<math::Vec3> vertices_;
  std::vector<Primitive> primitives_;
  std::vector<math::Vec3> normals_;  // per primitive
  std::vector<Edge> edges_;
  std::vector<uint32_t> sharp_edges_;
  std::vector<Face> faces_;
  std::vector<Side> sides_;
  std::vector<uint32_t> face_triangle_;  // per primitive
  std::vector<uint32_t> first_neighbour_, neighbours_;
  double radius_ = 0;
  bool convex_ = false, sheet_ = false;
  std::optional<geometry::Bvh> tree_;
  geometry::Bounds bounds_;
  std::vector<OrientedBox> boxes_;  // per node of the tree
  std::vector<BoxQuad> quads_;
  std::vector<uint32_t> quad_of_;  // per node of the tree
  std::vector<Round> rounds_;      // the same, or none
  double rounding_ = 0;            // m, of the height of a vertex or box
  double merge_error_ = 0;
};

template <typename Stays, typename Visit>
void Polyhedron::visit_vertices(Stays&& stays, Visit&& visit) const {
  uint32_t open[geometry::Bvh::kMaxDepth + 1];
  int count = 0;
  open[count++] = 0;
  while (count > 0) {
    const uint32_t at = open[--count];
    if (stays(boxes_[at])) continue;
    const geometry::Bvh::Node& node = tree_->nodes()[at];
    if (!node.is_leaf()) {
      open[count++] = node.first + 1;
      open[count++] = node.first;
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Primitive& p = primitives_[tree_->items()[i]];
      for (int k = 0; k < p.count; ++k)
        if (p.owned_corners >> k & 1) visit(p.corners[k]);
    }
  }
}

}  // namespace tumble::collision
