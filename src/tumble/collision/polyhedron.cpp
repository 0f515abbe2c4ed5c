#include "tumble/collision/polyhedron.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "tumble/collision/parameters.h"
#include "tumble/core/require.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using geometry::Bounds;
using math::Vec3;

namespace {

// For each point, the first point at the same position.
std::vector<uint32_t> weld(const std::vector<Vec3>& points) {
  std::vector<uint32_t> order(points.size()), first(points.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](uint32_t i) {
    return std::array<double, 3>{points[i].x() + 0.0, points[i].y() + 0.0, points[i].z() + 0.0};
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t i, uint32_t j) { return std::pair(key(i), i) < std::pair(key(j), j); });
  for (size_t k = 0; k < order.size(); ++k)
    first[order[k]] = k > 0 && key(order[k]) == key(order[k - 1]) ? first[order[k - 1]] : order[k];
  return first;
}

}  // namespace

Polyhedron::Polyhedron(const geometry::TriangleMesh& mesh) {
  add_triangles(mesh);
  finish();
}

void Polyhedron::add_triangles(const geometry::TriangleMesh& mesh) {
  vertices_.clear(), primitives_.clear(), normals_.clear(), edges_.clear();
  const std::vector<uint32_t> first = weld(mesh.vertices);
  std::vector<uint32_t> number(mesh.vertices.size(), kNone);
  for (const geometry::Triangle& triangle : mesh.triangles) {
    const uint32_t c[3] = {first[triangle[0]], first[triangle[1]], first[triangle[2]]};
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    Vec3 u = mesh.vertices[c[1]] - mesh.vertices[c[0]], v = mesh.vertices[c[2]] - mesh.vertices[c[0]];
    u /= u.cwiseAbs().maxCoeff(), v /= v.cwiseAbs().maxCoeff();  // avoids overflow of products
    const Vec3 cross = u.cross(v);
    const double area = cross.norm();
    if (!(area > 0)) continue;
    Primitive primitive{{}, 3, {}, 0, 0};
    for (int k = 0; k < 3; ++k) {
      uint32_t& n = number[c[k]];
      if (n == kNone) {
        n = static_cast<uint32_t>(vertices_.size());
        vertices_.push_back(mesh.vertices[c[k]]);
        primitive.owned_corners |= static_cast<uint8_t>(1 << k);
      }
      primitive.corners[k] = n;
    }
    primitives_.push_back(primitive);
    normals_.push_back(cross / area);
  }
}

Polyhedron Polyhedron::make_point(double radius) {
  Polyhedron point;
  point.vertices_ = {Vec3::Zero()};
  point.primitives_ = {{{0, 0, 0}, 1, {}, 1, 0}};
  point.radius_ = radius;
  point.finish();
  return point;
}

Polyhedron Polyhedron::make_segment(double length, double radius) {
  Polyhedron segment;
  segment.vertices_ = {Vec3(0, -0.5 * length, 0), Vec3(0, 0.5 * length, 0)};
  segment.primitives_ = {{{0, 1, 1}, 2, {}, 3, 0}};
  segment.radius_ = radius;
  segment.finish();
  return segment;
}

Polyhedron Polyhedron::make_box(const Vec3& size) {
  geometry::TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        0.5 * Vec3(i & 1 ? size.x() : -size.x(), i & 2 ? size.y() : -size.y(), i & 4 ? size.z() : -size.z()));
  constexpr uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& f : faces) {
    mesh.triangles.push_back({f[0], f[1], f[2]});
    mesh.triangles.push_back({f[0], f[2], f[3]});
  }
  return Polyhedron(mesh);
}

void Polyhedron::finish() {
  rounding_ = plane_rounding();
  build_edges();
  classify_edges();
  if (has_faces() && merge_flat_faces()) build_edges(), classify_edges();
  check_convex();
  for (uint32_t e = 0; e < edges_.size(); ++e)
    if (edges_[e].sharp) sharp_edges_.push_back(e);
  build_neighbours();
  if (convex_) build_faces();
  std::vector<Bounds> boxes;
  boxes.reserve(primitives_.size());
  for (const Primitive& p : primitives_) {
    Bounds box{vertices_[p.corners[0]], vertices_[p.corners[0]]};
    for (int k = 1; k < p.count; ++k) {
      box.lower = box.lower.cwiseMin(vertices_[p.corners[k]]);
      box.upper = box.upper.cwiseMax(vertices_[p.corners[k]]);
    }
    boxes.push_back(box);
  }
  tree_.emplace(boxes);
  if (!primitives_.empty()) bounds_ = tree_->nodes()[0].box;
  build_boxes();
  build_quads();
  build_rounds();
}

// The axes of each box are the principal axes of the vertices below it. Children pass their moments to their
// parents.
void Polyhedron::build_boxes() {
  struct Moments {
    uint32_t begin, end;  // items
    double count = 0;
    Vec3 first = Vec3::Zero();
    math::Mat3 second = math::Mat3::Zero();
  };
  const std::vector<geometry::Bvh::Node>& nodes = tree_->nodes();
  std::vector<Moments> moments(nodes.size());
  boxes_.resize(nodes.size());
  const auto for_each_corner = [&](const Moments& m, auto&& visit) {
    for (uint32_t i = m.begin; i < m.end; ++i) {
      const Primitive& p = primitives_[tree_->items()[i]];
      for (int k = 0; k < p.count; ++k) visit(vertices_[p.corners[k]]);
    }
  };
  for (size_t n = nodes.size(); n-- > 0;) {  // children come after their parents
    const geometry::Bvh::Node& node = nodes[n];
    Moments& m = moments[n];
    const Vec3 origin = bounds_.lower;
    if (node.is_leaf()) {
      m.begin = node.first, m.end = node.first + node.count;
      for_each_corner(m, [&](const Vec3& v) {
        const Vec3 d = v - origin;
        m.count += 1, m.first += d, m.second += d * d.transpose();
      });
    } else {
      const Moments &left = moments[node.first], &right = moments[node.first + 1];
      m.begin = std::min(left.begin, right.begin), m.end = std::max(left.end, right.end);
      m.count = left.count + right.count, m.first = left.first + right.first,
      m.second = left.second + right.second;
    }
    const Vec3 center = 0.5 * (node.box.lower + node.box.upper),
               extent = 0.5 * (node.box.upper - node.box.lower);
    const auto set_box = [&](const math::Mat3& to_box, const Vec3& middle, const Vec3& half) {
      boxes_[n].to_box << to_box, Eigen::RowVector3d::Zero();
      boxes_[n].center << middle, 0;
      boxes_[n].half << half, 0;
    };
    set_box(math::Mat3::Identity(), center, extent);
    const math::Mat3 spread = m.second / m.count - m.first * m.first.transpose() / (m.count * m.count);
    Eigen::SelfAdjointEigenSolver<math::Mat3> axes;
    axes.computeDirect(spread);
    // Orthogonalise the axes exactly, since bounds rely on it.
    math::Mat3 R = axes.eigenvectors();
    R.col(2).normalize();
    R.col(1) = (R.col(1) - R.col(1).dot(R.col(2)) * R.col(2)).normalized();
    R.col(0) = R.col(1).cross(R.col(2));
    if (!R.allFinite()) continue;
    Eigen::Matrix<double, 4, 3> to_box;  // vectors of four, as in the box itself
    to_box << R.transpose(), Eigen::RowVector3d::Zero();
    Eigen::Vector4d least = Eigen::Vector4d::Constant(std::numeric_limits<double>::infinity()), most = -least;
    const auto extend = [&](const Vec3& v) {
      const Vec3 d = v - center;
      const Eigen::Vector4d local = to_box.col(0) * d[0] + to_box.col(1) * d[1] + to_box.col(2) * d[2];
      least = least.cwiseMin(local), most = most.cwiseMax(local);
    };
    if (m.end - m.begin <= kPolyhedron.max_visited_items)
      for_each_corner(m, extend);
    else
      for (const OrientedBox* child : {&boxes_[node.first], &boxes_[node.first + 1]})
        for (int k = 0; k < 8; ++k) {
          const Vec3 side(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
          extend(child->center.head<3>() +
                 child->to_box.topRows<3>().transpose() * side.cwiseProduct(child->half.head<3>()));
        }
    const Vec3 lower = least.head<3>(), upper = most.head<3>();
    const Vec3 half = 0.5 * (upper - lower);
    if (half.prod() >= extent.prod() && half.sum() >= extent.sum()) continue;
    // Slack for the rounding of the rotated coordinates.
    const double slack =
        8 * std::numeric_limits<double>::epsilon() * (extent.sum() + center.cwiseAbs().maxCoeff());
    set_box(R.transpose(), center + R * (0.5 * (lower + upper)), half + Vec3::Constant(slack));
  }
}

void Polyhedron::build_quads() {
  const std::vector<geometry::Bvh::Node>& nodes = tree_->nodes();
  quad_of_.assign(nodes.size(), kNone);
  std::vector<uint32_t> open;
  if (!nodes.empty() && !nodes[0].is_leaf()) open.push_back(0);
  while (!open.empty()) {
    const uint32_t top = open.back();
    open.pop_back();
    quad_of_[top] = static_cast<uint32_t>(quads_.size());
    BoxQuad& quad = quads_.emplace_back();
    quad.count = 0;
    for (const uint32_t child : {nodes[top].first, nodes[top].first + 1}) {
      if (nodes[child].is_leaf()) {
        quad.nodes[quad.count++] = child;
        continue;
      }
      for (const uint32_t below : {nodes[child].first, nodes[child].first + 1}) {
        quad.nodes[quad.count++] = below;
        if (!nodes[below].is_leaf()) open.push_back(below);
      }
    }
    for (int lane = 0; lane < 4; ++lane) {
      const OrientedBox& box = boxes_[quad.nodes[lane < quad.count ? lane : 0]];
      for (int i = 0; i < 3; ++i) {
        quad.center[i][lane] = box.center[i], quad.half[i][lane] = box.half[i];
        for (int k = 0; k < 3; ++k) quad.axes[k][i][lane] = box.to_box(k, i);
      }
    }
  }
}

void Polyhedron::build_rounds() {
  const std::vector<geometry::Bvh::Node>& nodes = tree_->nodes();
  if (convex_ || !has_faces() || primitives_.size() < kPolyhedron.min_round_surface) return;
  rounds_.resize(nodes.size());
  struct Range {
    uint32_t begin, end;  // items
  };
  std::vector<Range> ranges(nodes.size());
  for (size_t n = nodes.size(); n-- > 0;) {  // children come after their parents
    const geometry::Bvh::Node& node = nodes[n];
    if (node.is_leaf()) {
      ranges[n] = {node.first, node.first + node.count};
    } else {
      const Range &left = ranges[node.first], &right = ranges[node.first + 1];
      ranges[n] = {std::min(left.begin, right.begin), std::max(left.end, right.end)};
    }
    if (ranges[n].end - ranges[n].begin <= kPolyhedron.max_visited_items)
      rounds_[n] =
          fit_round(std::span(tree_->items()).subspan(ranges[n].begin, ranges[n].end - ranges[n].begin));
  }
}

// The sphere is that of least squares of |x - c|^2 - r^2 over the vertices x.
Polyhedron::Round Polyhedron::fit_round(std::span<const uint32_t> items) const {
  Round round;
  const auto for_each_corner = [&](auto&& visit) {
    for (const uint32_t i : items)
      for (const uint32_t corner : primitives_[i].corners) visit(vertices_[corner]);
  };
  const auto count = static_cast<double>(3 * items.size());
  Vec3 mean = Vec3::Zero(), cubic = Vec3::Zero();
  for_each_corner([&](const Vec3& x) { mean += x / count; });
  math::Mat3 spread = math::Mat3::Zero();
  for_each_corner([&](const Vec3& x) {
    const Vec3 d = x - mean;
    spread += d * d.transpose() / count, cubic += 0.5 / count * d.squaredNorm() * d;
  });
  const double size = (bounds_.upper - bounds_.lower).norm();
  const Vec3 to_center = spread.ldlt().solve(cubic);
  if (!(to_center.norm() < kPolyhedron.farthest_round * size)) return round;
  round.center = mean + to_center;
  round.axis = -to_center.normalized();
  double outer = 0, inner = std::numeric_limits<double>::infinity(), cosine = 1;
  for_each_corner([&](const Vec3& x) {
    const Vec3 d = x - round.center;
    const double length = d.norm();
    outer = std::max(outer, length), cosine = std::min(cosine, round.axis.dot(d) / length);
  });
  bool bulging = true, hollow = true;
  for (const uint32_t i : items) {
    const double height = normals_[i].dot(vertices_[primitives_[i].corners[0]] - round.center);
    inner = std::min(inner, std::abs(height));
    bulging = bulging && height > 0, hollow = hollow && height < 0;
  }
  const double rounding = 64 * std::numeric_limits<double>::epsilon(), slack = rounding * (size + outer);
  round.outer = outer + slack, round.inner = inner - slack;
  round.cosine = cosine - rounding;
  if (!(round.cosine > 0 && round.inner > 0) || !round.axis.allFinite()) return round;
  round.sine = math::sqrt(1 - round.cosine * round.cosine);
  round.bulging = bulging || sheet_, round.hollow = hollow || sheet_;
  return round;
}

void Polyhedron::build_edges() {
  struct Half {
    uint32_t a, b, primitive;
    int k;
  };
  std::vector<Half> sides;
  sides.reserve(3 * primitives_.size());
  for (uint32_t i = 0; i < primitives_.size(); ++i) {
    const Primitive& p = primitives_[i];
    const int count = p.count == 3 ? 3 : p.count - 1;
    for (int k = 0; k < count; ++k) {
      const uint32_t a = p.corners[k], b = p.corners[(k + 1) % p.count];
      sides.push_back({std::min(a, b), std::max(a, b), i, k});
    }
  }
  // Group the sides of each edge: bucket sort by the lower vertex, then sort each small bucket.
  std::vector<uint32_t> start(vertices_.size() + 1, 0);
  for (const Half& side : sides) ++start[side.a + 1];
  for (size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
  std::vector<uint32_t> order(sides.size()), next(start.begin(), start.end() - 1);
  for (uint32_t i = 0; i < sides.size(); ++i) order[next[sides[i].a]++] = i;
  edges_.reserve(sides.size() / 2 + 1);
  for (size_t v = 0; v + 1 < start.size(); ++v) {
    std::sort(order.begin() + start[v], order.begin() + start[v + 1],
              [&](uint32_t i, uint32_t j) { return std::pair(sides[i].b, i) < std::pair(sides[j].b, j); });
    for (uint32_t at = start[v]; at < start[v + 1]; ++at) {
      const Half& side = sides[order[at]];
      Primitive& p = primitives_[side.primitive];
      if (at == start[v] || edges_.back().b != side.b) {
        edges_.push_back({side.a, side.b});
        p.owned_edges |= static_cast<uint8_t>(1 << side.k);
      }
      Edge& edge = edges_.back();
      p.edges[side.k] = static_cast<uint32_t>(edges_.size() - 1);
      if (!has_faces()) continue;
      if (edge.faces[0] == kNone)
        edge.faces[0] = side.primitive;
      else if (edge.faces[1] == kNone)
        edge.faces[1] = side.primitive;
      else
        edge.shared_by_many = true;
    }
  }
}

void Polyhedron::classify_edges() {
  convex_ = true;
  sheet_ = false;
  for (Edge& edge : edges_) {
    const Vec3 across = vertices_[edge.b] - vertices_[edge.a], along = across.normalized();
    edge.length_squared = across.squaredNorm();
    for (int k = 0; k < 2 && edge.faces[k] != kNone; ++k) {
      const Vec3 n = normals_[edge.faces[k]];
      const Primitive& p = primitives_[edge.faces[k]];
      // Corners are counter-clockwise, so the inside of the face is to the left of its edge.
      bool forward = false;
      for (int c = 0; c < 3; ++c)
        if (p.corners[c] == edge.a && p.corners[(c + 1) % 3] == edge.b) forward = true;
      edge.into[k] = n.cross(forward ? along : Vec3(-along));
    }
    if (!has_faces()) continue;
    if (edge.shared_by_many || edge.faces[1] == kNone) {
      sheet_ = true;
      continue;
    }
    const double sine = normals_[edge.faces[0]].dot(edge.into[1]);
    // Two faces back to back form a blade. It is sharp, although the faces are nearly coplanar.
    const bool blade =
        std::abs(sine) <= kPolyhedron.flat_edge && normals_[edge.faces[0]].dot(normals_[edge.faces[1]]) < 0;
    edge.sharp = sine < -kPolyhedron.flat_edge || blade;
    if (sine > kPolyhedron.flat_edge) convex_ = false;
  }
  if (sheet_) {
    convex_ = false;  // and from behind, concave edges are sharp
    for (Edge& edge : edges_)
      if (edge.faces[1] != kNone && !edge.shared_by_many)
        edge.sharp = edge.sharp || normals_[edge.faces[0]].dot(edge.into[1]) > kPolyhedron.flat_edge;
  }
}

void Polyhedron::check_convex() {
  if (!convex_ || !has_faces()) return;
  // The surface is locally convex everywhere. If some vertex is above some face, there are several
  // components.
  Bounds box{vertices_[0], vertices_[0]};
  for (const Vec3& v : vertices_) box.lower = box.lower.cwiseMin(v), box.upper = box.upper.cwiseMax(v);
  const double slack = kPolyhedron.flat_edge * (box.upper - box.lower).norm();
  convex_ = primitives_.size() <= kPolyhedron.max_convex_faces;
  for (size_t f = 0; f < primitives_.size() && convex_; ++f)
    for (const Vec3& v : vertices_)
      if (normals_[f].dot(v - vertices_[primitives_[f].corners[0]]) > slack) {
        convex_ = false;
        break;
      }
}

// m: rounding of the height of a vertex over a plane.
double Polyhedron::plane_rounding() const {
  double size = 0;
  for (const Vec3& v : vertices_) size = std::max(size, v.cwiseAbs().maxCoeff());
  return kDistance.round_off * std::numeric_limits<double>::epsilon() * size;
}

bool Polyhedron::is_flat(const Edge& edge) const {
  return edge.faces[1] != kNone && !edge.shared_by_many &&
         normals_[edge.faces[0]].dot(normals_[edge.faces[1]]) >= 0 &&
         std::abs(normals_[edge.faces[0]].dot(edge.into[1])) <= kPolyhedron.flat_edge;
}

// Triangles connected by flat edges form one face if all their corners lie in the plane of the largest one,
// to rounding. Returns those connected with `first`, and marks them.
std::vector<uint32_t> Polyhedron::find_flat_face(uint32_t first, std::vector<uint32_t>& face_of) const {
  std::vector<uint32_t> joined = {first};
  face_of[first] = first;
  for (size_t i = 0; i < joined.size(); ++i)
    for (const uint32_t e : primitives_[joined[i]].edges)
      for (const uint32_t f : edges_[e].faces)
        if (is_flat(edges_[e]) && face_of[f] == kNone) joined.push_back(f), face_of[f] = first;
  return joined;
}

// Puts the largest triangle first. True if all corners lie in its plane.
bool Polyhedron::make_flat(std::vector<uint32_t>& joined) const {
  const auto area = [&](uint32_t f) {
    const auto& c = primitives_[f].corners;
    return (vertices_[c[1]] - vertices_[c[0]]).cross(vertices_[c[2]] - vertices_[c[0]]).norm();
  };
  const auto largest = std::max_element(joined.begin(), joined.end(),
                                        [&](uint32_t f, uint32_t g) { return area(f) < area(g); });
  std::iter_swap(joined.begin(), largest);
  const Vec3 &n = normals_[joined[0]], &corner = vertices_[primitives_[joined[0]].corners[0]];
  return std::all_of(joined.begin(), joined.end(), [&](uint32_t f) {
    return std::all_of(primitives_[f].corners, primitives_[f].corners + 3,
                       [&](uint32_t v) { return std::abs(n.dot(vertices_[v] - corner)) <= rounding_; });
  });
}

// The sides of a flat face in order, counter-clockwise. Empty if it has a hole or touches itself.
std::vector<uint32_t> Polyhedron::find_outline(const std::vector<uint32_t>& joined,
                                               const std::vector<uint32_t>& face_of,
                                               std::vector<uint32_t>& next) const {
  size_t sides = 0;
  uint32_t begin = kNone;
  bool simple = true;
  for (const uint32_t f : joined)
    for (int k = 0; k < 3; ++k) {
      const Edge& edge = edges_[primitives_[f].edges[k]];
      const uint32_t beyond = edge.faces[edge.faces[0] == f ? 1 : 0];
      if (beyond != kNone && face_of[beyond] == face_of[f]) continue;
      begin = primitives_[f].corners[k];
      simple = simple && next[begin] == kNone;
      next[begin] = primitives_[f].corners[(k + 1) % 3];
      ++sides;
    }
  std::vector<uint32_t> outline;
  for (uint32_t v = begin; v != kNone && next[v] != kNone;) {
    outline.push_back(v);
    v = std::exchange(next[v], kNone);
  }
  if (simple && outline.size() == sides) return outline;
  for (const uint32_t f : joined)
    for (const uint32_t v : primitives_[f].corners) next[v] = kNone;
  return {};
}

bool Polyhedron::is_straight(uint32_t from, uint32_t v, uint32_t to) const {
  const Vec3 &p = vertices_[from], along = vertices_[to] - p;
  return (vertices_[v] - p).cross(along).norm() <= rounding_ * along.norm();
}

void Polyhedron::keep_vertices(const FlatFace& flat, std::vector<char>& is_corner) const {
  for (const uint32_t f : flat.joined)
    for (const uint32_t v : primitives_[f].corners) is_corner[v] = 1;
}

// Finds all flat faces, and marks the vertices that are not inside of one or on a straight edge.
std::vector<Polyhedron::FlatFace> Polyhedron::find_flat_faces(std::vector<char>& is_corner) const {
  std::vector<FlatFace> flats;
  std::vector<uint32_t> face_of(primitives_.size(), kNone), next(vertices_.size(), kNone);
  std::vector<int> faces_at(vertices_.size(), 0);
  is_corner.assign(vertices_.size(), 0);
  for (const Edge& edge : edges_)
    if (edge.shared_by_many) is_corner[edge.a] = is_corner[edge.b] = 1;
  for (uint32_t first = 0; first < primitives_.size(); ++first) {
    if (face_of[first] != kNone) continue;
    FlatFace& flat = flats.emplace_back();
    flat.joined = find_flat_face(first, face_of);
    if (make_flat(flat.joined)) flat.outline = find_outline(flat.joined, face_of, next);
    const std::vector<uint32_t>& outline = flat.outline;
    const size_t n = outline.size();
    if (n == 0) keep_vertices(flat, is_corner);
    for (size_t i = 0; i < n; ++i)
      if (++faces_at[outline[i]] > 2 ||
          !is_straight(outline[(i + n - 1) % n], outline[i], outline[(i + 1) % n]))
        is_corner[outline[i]] = 1;
  }
  // A row of vertices may be straight everywhere, and yet bend as a whole.
  for (FlatFace& flat : flats) {
    std::vector<uint32_t>& outline = flat.outline;
    const auto first = std::find_if(outline.begin(), outline.end(), [&](uint32_t v) { return is_corner[v]; });
    std::rotate(outline.begin(), first, outline.end());
    for (size_t begin = 0, end = 1; begin < outline.size(); begin = end++) {
      while (end < outline.size() && !is_corner[outline[end]]) ++end;
      for (size_t i = begin + 1; i < end; ++i)
        if (!is_straight(outline[begin], outline[i], outline[end % outline.size()]))
          keep_vertices(flat, is_corner);
    }
  }
  return flats;
}

// Divides the polygon of the corners of a flat face as a fan from one of them. False if there is no such fan,
// or if the face has no other vertices.
bool Polyhedron::divide_face(const FlatFace& flat, const std::vector<char>& is_corner,
                             std::vector<geometry::Triangle>& triangles) const {
  std::vector<uint32_t> corners;
  std::copy_if(flat.outline.begin(), flat.outline.end(), std::back_inserter(corners),
               [&](uint32_t v) { return is_corner[v]; });
  const size_t n = corners.size(), begin = triangles.size();
  if (n < 3 || n >= flat.joined.size() + 2) return false;
  const auto has_area = [&](const geometry::Triangle& t) {
    const Vec3 u = vertices_[t[1]] - vertices_[t[0]], v = vertices_[t[2]] - vertices_[t[0]];
    return u.cross(v).dot(normals_[flat.joined[0]]) > rounding_ * (u.norm() + v.norm());
  };
  for (size_t i = 0; i < n; ++i) {
    // From a corner that is beside others on one line, the fan has a triangle without area.
    if (is_straight(corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n])) continue;
    bool good = true;
    for (size_t k = 1; k + 1 < n && good; ++k) {
      triangles.push_back({corners[i], corners[(i + k) % n], corners[(i + k + 1) % n]});
      good = has_area(triangles.back());
    }
    if (good) return true;
    triangles.resize(begin);
  }
  return false;
}

// Leaves out vertices inside flat faces and on straight edges: they touch only where others do. False if
// there are none. Faces that are no simple polygons remain as they are.
bool Polyhedron::merge_flat_faces() {
  std::vector<char> is_corner;
  const std::vector<FlatFace> flats = find_flat_faces(is_corner);
  geometry::TriangleMesh merged;
  // A face that keeps its triangles keeps all vertices, which may change the faces beside it.
  for (bool changed = true; changed;) {
    changed = false;
    merged.triangles.clear();
    for (const FlatFace& flat : flats) {
      if (divide_face(flat, is_corner, merged.triangles)) continue;
      for (const uint32_t f : flat.joined) {
        const uint32_t* c = primitives_[f].corners;
        merged.triangles.push_back({c[0], c[1], c[2]});
        for (int k = 0; k < 3; ++k) changed = changed || !is_corner[c[k]];
      }
      keep_vertices(flat, is_corner);
    }
  }
  if (merged.triangles.size() == primitives_.size()) return false;
  merged.vertices = std::move(vertices_);
  add_triangles(merged);
  merge_error_ = 2 * rounding_;  // off the plane, and off the straight edge
  return true;
}

void Polyhedron::build_faces() {
  face_triangle_.assign(primitives_.size(), kNone);
  if (!has_faces()) return;
  for (uint32_t first = 0; first < primitives_.size(); ++first) {
    if (face_triangle_[first] != kNone) continue;
    std::vector<uint32_t> joined = find_flat_face(first, face_triangle_);
    if (make_flat(joined)) {
      add_face(joined);
      continue;
    }
    for (const uint32_t f : joined) face_triangle_[f] = f;
    for (const uint32_t& f : joined) add_face({&f, 1});
  }
}

// Adds a face. The first triangle represents it.
void Polyhedron::add_face(std::span<const uint32_t> triangles) {
  for (const uint32_t f : triangles) face_triangle_[f] = triangles[0];
  const Vec3 &n = normals_[triangles[0]], &corner = vertices_[primitives_[triangles[0]].corners[0]];
  Face face{triangles[0], static_cast<uint32_t>(sides_.size()), 0};
  for (const uint32_t f : triangles) {
    const Primitive& p = primitives_[f];
    for (int k = 0; k < 3; ++k) {
      const Edge& edge = edges_[p.edges[k]];
      const uint32_t beyond = edge.faces[edge.faces[0] == f ? 1 : 0];
      if (face_triangle_[beyond] == triangles[0]) continue;
      const Vec3 from = vertices_[p.corners[k]] - corner,
                 along = vertices_[p.corners[(k + 1) % 3]] - vertices_[p.corners[k]];
      const Vec3 inward = n.cross(along).normalized();
      const double rounding = 8 * std::numeric_limits<double>::epsilon() * from.norm();
      sides_.push_back({inward, inward.dot(from) - kPolyhedron.border * along.norm() - rounding});
    }
  }
  face.end = static_cast<uint32_t>(sides_.size());
  faces_.push_back(face);
}

uint32_t Polyhedron::find_edge(uint32_t v, uint32_t w) const {
  const auto key = std::minmax(v, w);
  const auto found = std::lower_bound(edges_.begin(), edges_.end(), key, [](const Edge& e, const auto& k) {
    return e.a != k.first ? e.a < k.first : e.b < k.second;
  });
  return found != edges_.end() && found->a == key.first && found->b == key.second
             ? static_cast<uint32_t>(found - edges_.begin())
             : kNone;
}

uint32_t Polyhedron::find_support(const Vec3& d) const {
  uint32_t best = 0;
  double most = vertices_[0].dot(d);
  const auto test = [&](uint32_t v) {
    const double reach = vertices_[v].dot(d);
    if (reach > most || (reach == most && v < best)) most = reach, best = v;
  };
  if (!has_many_vertices()) {
    for (uint32_t v = 1; v < vertices_.size(); ++v) test(v);
    return best;
  }
  struct Open {
    uint32_t node;
    double bound;
  };
  Open open[geometry::Bvh::kMaxDepth + 1];
  int count = 0;
  open[count++] = {0, std::numeric_limits<double>::infinity()};
  while (count > 0) {
    const Open at = open[--count];
    if (at.bound < most) continue;
    const geometry::Bvh::Node& node = tree_->nodes()[at.node];
    if (node.is_leaf()) {
      for (uint32_t i = node.first; i < node.first + node.count; ++i) {
        const Primitive& p = primitives_[tree_->items()[i]];
        for (int k = 0; k < p.count; ++k)
          if (p.owned_corners >> k & 1) test(p.corners[k]);
      }
      continue;
    }
    Open near = {node.first, bound_along(boxes_[node.first], d)},
         far = {node.first + 1, bound_along(boxes_[node.first + 1], d)};
    if (far.bound > near.bound) std::swap(near, far);
    open[count++] = far;
    open[count++] = near;
  }
  return best;
}

void Polyhedron::build_neighbours() {
  first_neighbour_.assign(vertices_.size() + 1, 0);
  for (const Edge& edge : edges_) ++first_neighbour_[edge.a + 1], ++first_neighbour_[edge.b + 1];
  for (size_t v = 1; v < first_neighbour_.size(); ++v) first_neighbour_[v] += first_neighbour_[v - 1];
  neighbours_.resize(2 * edges_.size());
  std::vector<uint32_t> next(first_neighbour_.begin(), first_neighbour_.end() - 1);
  for (const Edge& edge : edges_) neighbours_[next[edge.a]++] = edge.b, neighbours_[next[edge.b]++] = edge.a;
}

}  // namespace tumble::collision
