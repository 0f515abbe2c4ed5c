// A surface prepared for the narrow phase: what may touch are its vertices, edges and triangles, with `radius` of
// material around all of them. A sphere is one vertex and a radius, a capsule one edge and a radius; boxes, hulls, meshes
// and height fields have triangles and no radius.
#pragma once

#include <optional>
#include <span>

#include "tumble/geometry/bvh.h"

namespace tumble::collision {

class Polyhedron {
 public:
  /// Equal points become one vertex. Triangles without area are left out.
  explicit Polyhedron(const geometry::TriangleMesh& mesh);
  static Polyhedron make_point(double radius);
  /// Along Y, its middle at the origin.
  static Polyhedron make_segment(double length, double radius);
  /// Full extents.
  static Polyhedron make_box(const math::Vec3& size);

  static constexpr uint32_t kNone = 0xffffffffu;

  struct Edge {
    uint32_t a = 0, b = 0;               // vertices, a < b
    uint32_t faces[2] = {kNone, kNone};  // a border has one, a capsule's axis none
    math::Vec3 into[2] = {math::Vec3::Zero(),
                          math::Vec3::Zero()};  // unit, from the edge into each face, across it
    double length_squared = 0;
    bool sharp = true;            // an outer edge, neither flat nor concave
    bool shared_by_many = false;  // more than two faces: sharp from every side
  };
  /// A triangle, or the one edge or vertex of a surface without triangles.
  struct Primitive {
    uint32_t corners[3];
    int count;  // of corners
    uint32_t edges[3];
    /// Bits k: corner k, edge k (from corner k to k + 1) belong to this primitive: every one belongs to one alone.
    uint8_t owned_corners, owned_edges;
  };

  const std::vector<math::Vec3>& vertices() const { return vertices_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// The edges that may be touched by themselves.
  const std::vector<uint32_t>& sharp_edges() const { return sharp_edges_; }
  const std::vector<Primitive>& primitives() const { return primitives_; }
  bool has_faces() const { return !normals_.empty(); }
  const math::Vec3& normal(size_t primitive) const { return normals_[primitive]; }
  /// A side of a face: what lies within has inward.x of at least `least`, x seen from the first corner of the face.
  struct Side {
    math::Vec3 inward;  // unit
    double least;       // rounding included
  };
  /// A plane polygon of a convex polyhedron, of one triangle or several.
  struct Face {
    uint32_t triangle;  // the largest one, which gives the plane and stands for the face
    uint32_t begin, end;
  };
  const std::vector<Face>& faces() const { return faces_; }
  std::span<const Side> sides(const Face& face) const {
    return {sides_.data() + face.begin, sides_.data() + face.end};
  }
  /// The triangle that stands for the face of this one; itself if the polyhedron is not convex.
  uint32_t face_triangle(uint32_t triangle) const { return convex_ ? face_triangle_[triangle] : triangle; }
  std::span<const uint32_t> neighbours(size_t vertex) const {
    return {neighbours_.data() + first_neighbour_[vertex], neighbours_.data() + first_neighbour_[vertex + 1]};
  }
  double radius() const { return radius_; }
  /// Every part of it bulges outwards: a vertex farthest in a direction is found by looking at all.
  bool is_convex() const { return convex_; }
  /// No inside: an open sheet, which is touched from both sides.
  bool is_sheet() const { return sheet_; }
  /// Over the primitives, without the radius.
  const geometry::Bvh& tree() const { return *tree_; }
  const geometry::Bounds& bounds() const { return bounds_; }  // without the radius
  /// A box round what a node of the tree holds, turned to fit: flat where the surface is. Vectors of four, the last 0, are
  /// what processors are quick with.
  struct TurnedBox {
    Eigen::Matrix<double, 4, 3> to_box;  // turns into the axes of the box
    Eigen::Vector4d center, half;
  };
  const TurnedBox& box(uint32_t node) const { return boxes_[node]; }

 private:
  Polyhedron() = default;
  void finish();
  void build_edges();
  void classify_edges();
  void build_neighbours();
  void build_faces();
  void add_face(std::span<const uint32_t> triangles);
  void build_boxes();

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
  std::vector<TurnedBox> boxes_;  // per node of the tree
};

}  // namespace tumble::collision
