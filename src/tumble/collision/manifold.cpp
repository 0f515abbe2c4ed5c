#include "tumble/collision/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tumble/collision/detail/quad_gaps.h"
#include "tumble/collision/parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Mat3;
using math::Vec3;

namespace {

// Is no neighbour of vertex v below it by more than a slope, along n (in the frame of the shape)?
bool is_lowest(const Polyhedron& shape, uint32_t v, const Vec3& n, double slope) {
  const Vec3& x = shape.vertices()[v];
  for (const uint32_t w : shape.neighbours(v)) {
    const Vec3 d = shape.vertices()[w] - x;
    const double along = d.dot(n);
    if (along < 0 && along * along > slope * slope * d.squaredNorm()) return false;
  }
  return true;
}

// Does n lie in the normal cone of the edge?
bool edge_faces(const Polyhedron::Edge& edge, const Vec3& n, double slack) {
  return edge.shared_by_many || (edge.into[0].dot(n) <= slack && edge.into[1].dot(n) <= slack);
}

double vertex_slack(const Polyhedron& shape, const ManifoldParameters& par) {
  return shape.has_faces() ? par.cone_slack : par.slope;
}

int edges_of(const Polyhedron::Primitive& p) { return p.count == 3 ? 3 : p.count - 1; }

}  // namespace

// Finds contact candidates among given features. Works in the frame of a. R and p are the pose of b in it.
class FeatureScan {
 public:
  FeatureScan(const Polyhedron& a, const Polyhedron& b, const Mat3& R, const Vec3& p,
              const ContactRange& range, const ManifoldParameters& par, std::vector<Candidate>& out)
      : a_(a),
        b_(b),
        R_(R),
        p_(p),
        limit_(range.max_gap + a.radius() + b.radius()),
        deepest_(range.max_penetration),
        size_(p.norm() + (a.bounds().upper - a.bounds().lower).norm() +
              (b.bounds().upper - b.bounds().lower).norm()),
        par_(par),
        out_(out) {}

  const Polyhedron& a() const { return a_; }
  const Polyhedron& b() const { return b_; }
  const Mat3& R() const { return R_; }
  double limit() const { return limit_; }
  const ManifoldParameters& par() const { return par_; }
  // Features farther than this to one side of an edge are not near it. Includes tolerances at ends, and
  // rounding.
  double beside() const { return par_.beside_range * std::max(limit_, deepest_) + par_.beside_size * size_; }
  Vec3 to_a(const Vec3& x) const { return R_ * x + p_; }
  Vec3 to_b(const Vec3& x) const { return R_.transpose() * (x - p_); }

  // Vertex v of a, at x in the frame of b, over triangle f of b; or the other way round.
  void vertex_face(uint32_t v, const Vec3& x, uint32_t f, bool vertex_of_a) {
    const Polyhedron& F = vertex_of_a ? b_ : a_;
    const Polyhedron::Primitive& face = F.primitives()[f];
    const uint32_t whole = F.face_triangle(f);
    const Vec3& n = F.normal(whole);
    const Vec3 &t0 = F.vertices()[face.corners[0]], &t1 = F.vertices()[face.corners[1]],
               &t2 = F.vertices()[face.corners[2]];
    const double d = n.dot(x - F.vertices()[F.primitives()[whole].corners[0]]);
    const bool behind = F.is_sheet() && d < 0;
    if ((behind ? -d : d) > limit_ || (!behind && d < -deepest_)) return;
    const auto outside = [&](const Vec3& from, const Vec3& to) {
      const Vec3 side = to - from;
      return n.dot(side.cross(x - from)) < -kPolyhedron.border * side.squaredNorm();
    };
    if (outside(t0, t1) || outside(t1, t2) || outside(t2, t0)) return;
    add_vertex_face(v, x, whole, behind ? Vec3(-n) : n, behind ? -d : d, vertex_of_a);
  }

  // The same for a face of a convex polyhedron. True if the vertex lies over the face and near it, candidate
  // or not.
  bool vertex_face(uint32_t v, const Vec3& x, const Polyhedron::Face& face, bool vertex_of_a) {
    const Polyhedron& F = vertex_of_a ? b_ : a_;
    const Vec3& n = F.normal(face.triangle);
    const Vec3 r = x - F.vertices()[F.primitives()[face.triangle].corners[0]];
    const double d = n.dot(r);
    if (d > limit_ || d < -deepest_) return false;
    for (const Polyhedron::Side& side : F.sides(face))
      if (side.inward.dot(r) < side.least) return false;
    add_vertex_face(v, x, face.triangle, n, d, vertex_of_a);
    return true;
  }

  // q and q_end are the ends of edge k of b in the frame of a.
  void edge_edge(uint32_t e, uint32_t k, const Vec3& q, const Vec3& q_end) {
    const Polyhedron::Edge &ea = a_.edges()[e], &eb = b_.edges()[k];
    const Vec3 &p = a_.vertices()[ea.a], u = a_.vertices()[ea.b] - p, w = q_end - q;
    const Vec3 cross = u.cross(w), r = q - p;
    const double cc = cross.squaredNorm(), across = r.dot(cross), reach = std::max(limit_, deepest_);
    if (across * across > reach * reach * cc) return;
    if (!(cc > par_.parallel_edges * par_.parallel_edges * u.squaredNorm() * w.squaredNorm())) return;
    const double s = r.cross(w).dot(cross), t = r.cross(u).dot(cross), border = kPolyhedron.border * cc;
    if (s < -border || s > cc + border || t < -border || t > cc + border) return;
    const double length = math::sqrt(cc);
    Vec3 n = cross / length;
    double d = -across / length;  // from b to a along n
    if (d < 0) n = -n, d = -d;
    const auto fits = [&](const Vec3& m) {
      return edge_faces(ea, -m, par_.slope) && edge_faces(eb, R_.transpose() * m, par_.slope);
    };
    if (!fits(n)) {
      // Has the pair crossed by no more than the allowed penetration?
      if (d > deepest_ || !fits(-n)) return;
      n = -n, d = -d;
    }
    if (d > limit_) return;
    add(p + s / cc * u, q + t / cc * w, n, d, 0, make_key(Feature::edge, e, Feature::edge, k));
  }

  // Vertex v at x and the ends of edge e, all in the frame of a.
  void vertex_edge(uint32_t v, const Vec3& x, uint32_t e, const Vec3& q, const Vec3& q_end,
                   bool vertex_of_a) {
    const Vec3 w = q_end - q, r = x - q;
    const double along = r.dot(w), length = w.squaredNorm();
    if (!(along > 0 && along < length)) return;
    if (r.squaredNorm() * length - along * along > par_.beside_range * limit_ * limit_ * length) return;
    const Vec3 foot = q + along / length * w;
    Vec3 n = x - foot;
    const double dd = n.squaredNorm();
    if (!(dd > 0) || dd > limit_ * limit_) return;
    const double d = math::sqrt(dd);
    n /= d;
    const Polyhedron &P = vertex_of_a ? a_ : b_, &E = vertex_of_a ? b_ : a_;
    const Vec3 other = R_.transpose() * n;  // in the frame of b
    if (!edge_faces(E.edges()[e], vertex_of_a ? other : n, par_.cone_slack) ||
        !is_lowest(P, v, vertex_of_a ? n : other, vertex_slack(P, par_)))
      return;
    vertex_of_a ? add(x, foot, n, d, 1, make_key(Feature::vertex, v, Feature::edge, e))
                : add(foot, x, -n, d, 1, make_key(Feature::edge, e, Feature::vertex, v));
  }

  // Both are in the frame of a.
  void vertex_vertex(uint32_t v, const Vec3& x, uint32_t w, const Vec3& y) {
    Vec3 n = x - y;
    const double dd = n.squaredNorm();
    if (!(dd > 0) || dd > limit_ * limit_) return;
    const double d = math::sqrt(dd);
    n /= d;
    if (!is_lowest(a_, v, n, vertex_slack(a_, par_)) ||
        !is_lowest(b_, w, -(R_.transpose() * n), vertex_slack(b_, par_)))
      return;
    add(x, y, n, d, 2, make_key(Feature::vertex, v, Feature::vertex, w));
  }

  // All pairs of features of the primitives of two leaves.
  void leaves(uint32_t node_a, uint32_t node_b) {
    const Leaf &a = load(node_a, true), &b = load(node_b, false);
    const double reach = std::max(limit_, deepest_);
    for (uint32_t i = 0; i < a.count; ++i)
      for (uint32_t j = 0; j < b.count; ++j) {
        const Piece &x = a.pieces[i], &y = b.pieces[j];
        if (((x.lower - y.upper).cwiseMax(y.lower - x.upper).array() > reach).any()) continue;
        if (!are_apart(x, y, reach) && !are_apart(y, x, reach)) pieces(x, y);
      }
  }

 private:
  // A primitive in the frame of a.
  struct Piece {
    uint32_t number;
    const Polyhedron::Primitive* primitive;
    Vec3 corners[3], normal, lower, upper;
  };
  struct Leaf {
    uint32_t node = Polyhedron::kNone, count = 0;
    Piece pieces[geometry::Bvh::kLeafItems];
  };
  // A leaf meets several leaves of the other shape in turn.
  const Leaf& load(uint32_t node, bool of_a) {
    Leaf& leaf = leaves_[of_a ? 0 : 1][node % kLoadedLeaves];
    if (leaf.node == node) return leaf;
    const geometry::Bvh& tree = (of_a ? a_ : b_).tree();
    leaf.node = node, leaf.count = tree.nodes()[node].count;
    for (uint32_t i = 0; i < leaf.count; ++i)
      leaf.pieces[i] = piece(tree.items()[tree.nodes()[node].first + i], of_a);
    return leaf;
  }
  Piece piece(uint32_t number, bool of_a) const {
    const Polyhedron& shape = of_a ? a_ : b_;
    Piece result;
    result.number = number;
    result.primitive = &shape.primitives()[number];
    for (int k = 0; k < result.primitive->count; ++k) {
      const Vec3& own = shape.vertices()[result.primitive->corners[k]];
      const Vec3 x = of_a ? own : to_a(own);
      result.corners[k] = x;
      result.lower = k == 0 ? x : Vec3(result.lower.cwiseMin(x));
      result.upper = k == 0 ? x : Vec3(result.upper.cwiseMax(x));
    }
    if (shape.has_faces()) result.normal = of_a ? shape.normal(number) : Vec3(R_ * shape.normal(number));
    return result;
  }
  // Does x lie on one side of the plane of the face, farther than `reach`?
  static bool are_apart(const Piece& x, const Piece& face, double reach) {
    if (face.primitive->count < 3) return false;
    bool above = true, below = true;
    for (int k = 0; k < x.primitive->count; ++k) {
      const double h = face.normal.dot(x.corners[k] - face.corners[0]);
      above = above && h > reach, below = below && h < -reach;
    }
    return above || below;
  }
  void pieces(const Piece& of_a, const Piece& of_b) {
    const Polyhedron::Primitive &p = *of_a.primitive, &q = *of_b.primitive;
    const Vec3 *x = of_a.corners, *y = of_b.corners;
    const auto end = [](const Polyhedron::Primitive& f, int k) { return (k + 1) % f.count; };
    for (int k = 0; k < p.count; ++k) {
      if (!(p.owned_corners >> k & 1)) continue;
      if (q.count == 3) vertex_face(p.corners[k], to_b(x[k]), of_b.number, true);
      for (int l = 0; l < edges_of(q); ++l)
        if ((q.owned_edges >> l & 1) && b_.edges()[q.edges[l]].sharp)
          vertex_edge(p.corners[k], x[k], q.edges[l], y[l], y[end(q, l)], true);
      for (int l = 0; l < q.count; ++l)
        if (q.owned_corners >> l & 1) vertex_vertex(p.corners[k], x[k], q.corners[l], y[l]);
    }
    for (int l = 0; l < q.count; ++l) {
      if (!(q.owned_corners >> l & 1)) continue;
      if (p.count == 3) vertex_face(q.corners[l], y[l], of_a.number, false);
      for (int k = 0; k < edges_of(p); ++k)
        if ((p.owned_edges >> k & 1) && a_.edges()[p.edges[k]].sharp)
          vertex_edge(q.corners[l], y[l], p.edges[k], x[k], x[end(p, k)], false);
    }
    for (int l = 0; l < edges_of(q); ++l) {
      if (!(q.owned_edges >> l & 1) || !b_.edges()[q.edges[l]].sharp) continue;
      const Polyhedron::Edge& edge = b_.edges()[q.edges[l]];
      const bool forward = edge.a == q.corners[l];
      for (int k = 0; k < edges_of(p); ++k)
        if ((p.owned_edges >> k & 1) && a_.edges()[p.edges[k]].sharp)
          edge_edge(p.edges[k], q.edges[l], forward ? y[l] : y[end(q, l)], forward ? y[end(q, l)] : y[l]);
    }
  }
  // Vertex v at x, as above, at height d over the face f with the normal n.
  void add_vertex_face(uint32_t v, const Vec3& x, uint32_t f, const Vec3& n, double d, bool vertex_of_a) {
    if (vertex_of_a) {
      const Vec3 rotated = R_ * n;
      if (is_lowest(a_, v, rotated, par_.slope))
        add(a_.vertices()[v], to_a(x - d * n), rotated, d, 0, make_key(Feature::vertex, v, Feature::face, f));
    } else if (is_lowest(b_, v, R_.transpose() * n, par_.slope)) {
      add(x - d * n, x, -n, d, 0, make_key(Feature::face, f, Feature::vertex, v));
    }
  }
  // Adds a candidate from points of the cores and their distance. The candidate has the gap of the surfaces.
  void add(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double d, int rank, FeatureKey key) {
    const double ra = a_.radius(), rb = b_.radius();
    out_.push_back({{0.5 * (on_a - ra * n + on_b + rb * n), n, d - ra - rb, key}, rank});
  }

  const Polyhedron &a_, &b_;
  const Mat3 R_;
  const Vec3 p_;
  double limit_, deepest_, size_;
  const ManifoldParameters& par_;
  static constexpr uint32_t kLoadedLeaves = 16;
  Leaf leaves_[2][kLoadedLeaves];
  std::vector<Candidate>& out_;
};

// Computes the heights of all vertices. Returns the smallest.
double ManifoldBuilder::NearFeatures::compute_heights(const Polyhedron& shape, const Vec3& down) {
  const size_t count = shape.vertices().size();
  if (heights.size() < count) heights.resize(count), face_over.resize(count);
  double lowest = std::numeric_limits<double>::infinity();
  for (size_t v = 0; v < count; ++v) {
    heights[v] = shape.vertices()[v].dot(down);
    face_over[v] = nullptr;
    lowest = std::min(lowest, heights[v]);
  }
  return lowest;
}

// Collects the vertices, edges and faces up to height `most`. Edges and faces must be nearly perpendicular to
// `down`.
void ManifoldBuilder::NearFeatures::collect(const FeatureScan& scan, bool is_a, const Vec3& down,
                                            double most) {
  const Polyhedron& shape = is_a ? scan.a() : scan.b();
  const Vec3* vertices = shape.vertices().data();
  const Polyhedron::Edge* edges = shape.edges().data();
  const double* height = heights.data();
  const double level_edge = scan.par().level_edge, level_face = scan.par().level_face;
  corners.clear(), lines.clear(), faces.clear();
  const auto count = static_cast<uint32_t>(shape.vertices().size());
  for (uint32_t v = 0; v < count; ++v) {
    if (height[v] > most) continue;
    const Vec3& x = vertices[v];
    const Vec3 seen = is_a ? scan.to_b(x) : scan.to_a(x);
    corners.push_back({v, is_a ? x : seen, seen});
  }
  for (const uint32_t e : shape.sharp_edges()) {
    const Polyhedron::Edge& edge = edges[e];
    const double from = height[edge.a], to = height[edge.b], rise = to - from;
    if (std::min(from, to) > most || rise * rise > level_edge * level_edge * edge.length_squared) continue;
    const Vec3 &p = vertices[edge.a], &q = vertices[edge.b];
    // Choose the face that is more level.
    const Vec3& side_direction =
        std::abs(edge.into[0].dot(down)) < std::abs(edge.into[1].dot(down)) ? edge.into[0] : edge.into[1];
    if (is_a)
      lines.push_back({e, p, q, side_direction});
    else
      lines.push_back({e, scan.to_a(p), scan.to_a(q), scan.R() * side_direction});
  }
  for (const Polyhedron::Face& face : shape.faces())
    if (shape.normal(face.triangle).dot(down) < -level_face) faces.push_back(&face);
}

bool ManifoldBuilder::NearFeatures::is_within(const Polyhedron& shape, const Polyhedron& other,
                                              uint32_t edge) const {
  const Polyhedron::Face *f = face_over[shape.edges()[edge].a], *g = face_over[shape.edges()[edge].b];
  return f && g &&
         (f == g || other.normal(f->triangle).dot(other.normal(g->triangle)) >
                        1 - kPolyhedron.flat_edge * kPolyhedron.flat_edge);
}

// Scans two convex polyhedra. n is a direction from b to a in the frame of a. Only features near a plane
// perpendicular to n can be candidates, and only edges and faces that are nearly perpendicular to n. Returns
// the gap of the cores along n.
double ManifoldBuilder::scan_convex(FeatureScan& scan, const Vec3& n, double slack) {
  const Vec3 down[2] = {n, -(scan.R().transpose() * n)};  // in the frame of each: heights above the other
  const double lowest[2] = {features_[0].compute_heights(scan.a(), down[0]),
                            features_[1].compute_heights(scan.b(), down[1])};
  // Heights of b are measured downwards from the origin of a.
  const double shift = -n.dot(scan.to_a(Vec3::Zero())), apart = lowest[0] + lowest[1] + shift;
  if (apart > scan.limit()) return apart;
  for (int s = 0; s < 2; ++s)
    features_[s].collect(scan, s == 0, down[s], scan.limit() + slack - lowest[1 - s] - shift);
  const double beside = scan.beside();
  for (int s = 0; s < 2; ++s) {
    const bool of_a = s == 0;
    for (const NearFeatures::Corner& corner : features_[s].corners) {
      // Over a face of a convex shape, no edge or corner of that shape is nearer.
      for (const Polyhedron::Face* face : features_[1 - s].faces)
        if (scan.vertex_face(corner.vertex, corner.seen, *face, of_a))
          features_[s].face_over[corner.vertex] = face;
      if (features_[s].face_over[corner.vertex]) continue;
      for (const NearFeatures::Line& line : features_[1 - s].lines)
        if (std::abs(line.side_direction.dot(corner.at - line.from)) <= beside)
          scan.vertex_edge(corner.vertex, corner.at, line.edge, line.from, line.to, of_a);
      if (!of_a) continue;
      for (const NearFeatures::Corner& other : features_[1].corners)
        scan.vertex_vertex(corner.vertex, corner.at, other.vertex, other.at);
    }
  }
  // An edge with both ends over one face of a convex shape crosses none of its edges. Nor does one that stays
  // beside it.
  for (const NearFeatures::Line& lb : features_[1].lines) {
    if (features_[1].is_within(scan.b(), scan.a(), lb.edge)) continue;
    for (const NearFeatures::Line& la : features_[0].lines) {
      const double from = la.side_direction.dot(lb.from - la.from),
                   to = la.side_direction.dot(lb.to - la.from);
      if (std::min(from, to) > beside || std::max(from, to) < -beside) continue;
      if (!features_[0].is_within(scan.a(), scan.b(), la.edge))
        scan.edge_edge(la.edge, lb.edge, lb.from, lb.to);
    }
  }
  return apart;
}

// Scans all other polyhedra: pairs of primitives whose boxes are within the limit.
void ManifoldBuilder::scan_trees(FeatureScan& scan) {
  const Polyhedron &A = scan.a(), &B = scan.b();
  const geometry::Bvh &ta = A.tree(), &tb = B.tree();
  const RelativeMotion b_in_a = {scan.R(), scan.to_a(Vec3::Zero())},
                       a_in_b = {scan.R().transpose(), scan.to_b(Vec3::Zero())};
  const double near = scan.beside();
  const bool round = A.round(0) && B.round(0);
  open_.assign({{0, 0}});
  while (!open_.empty()) {
    const geometry::Bvh::NodePair pair = open_.back();
    open_.pop_back();
    const bool leaf_a = ta.nodes()[pair.a].is_leaf(), leaf_b = tb.nodes()[pair.b].is_leaf();
    if (leaf_a && leaf_b) {
      scan.leaves(pair.a, pair.b);
      continue;
    }
    const bool divide_a = leaf_b || (!leaf_a && A.box(pair.a).half.sum() > B.box(pair.b).half.sum());
    const Polyhedron::BoxQuad& quad = divide_a ? A.boxes_below(pair.a) : B.boxes_below(pair.b);
    // Is one of the axes of two boxes a direction in which nothing in them is near?
    const detail::Lanes gaps = divide_a ? detail::QuadGaps(B.box(pair.b), quad, a_in_b).largest()
                                        : detail::QuadGaps(A.box(pair.a), quad, b_in_a).largest();
    for (int lane = quad.count; lane-- > 0;) {
      if (gaps[lane] > near) continue;
      const geometry::Bvh::NodePair below = divide_a ? geometry::Bvh::NodePair{quad.nodes[lane], pair.b}
                                                     : geometry::Bvh::NodePair{pair.a, quad.nodes[lane]};
      if (round && are_nested(*A.round(below.a), *B.round(below.b), b_in_a, 0, 1, 0, near)) continue;
      open_.push_back(below);
    }
  }
}

// Fine surfaces that fit each other have very many features within the range. If the nearest part of the
// range has enough of them to carry, the others are left out: the certificate finds those that a drift
// reaches. Returns false if it has not.
bool ManifoldBuilder::scan_fine_surfaces(const Polyhedron& a, const Polyhedron& b, const Mat3& R,
                                         const Vec3& p, const ContactRange& range) {
  const ManifoldParameters& par = par_.manifold;
  if (std::min(a.primitives().size(), b.primitives().size()) < static_cast<size_t>(par.fine_surface))
    return false;
  const double touching = 2 * range.contact_offset;
  if (!(range.max_gap > touching) || range.max_penetration > 0) return false;
  ContactRange nearest = range;
  nearest.max_gap = touching + par.fine_range * (range.max_gap - touching);
  FeatureScan scan(a, b, R, p, nearest, par, candidates_);
  scan_trees(scan);
  if (candidates_.size() >= static_cast<size_t>(par.fine_candidates)) return true;
  candidates_.clear();
  return false;
}

namespace {

// One of the two polyhedra at its pose.
struct Side {
  const Polyhedron& shape;
  Mat3 R;
  Vec3 p;
};

// Vertices over a half-space.
void scan_plane(const Side& a, const Vec3& n, const Vec3& at, const ContactRange& range, bool plane_is_b,
                double slope, std::vector<Candidate>& out) {
  const double radius = a.shape.radius(), limit = range.max_gap + radius;
  const Vec3 local = a.R.transpose() * n;
  const double offset = n.dot(a.p - at);
  const auto add_vertex = [&](uint32_t v) {
    const double d = local.dot(a.shape.vertices()[v]) + offset;
    if (d > limit || d - radius < -range.max_penetration || !is_lowest(a.shape, v, local, slope)) return;
    const Vec3 middle = a.R * a.shape.vertices()[v] + a.p - 0.5 * (d + radius) * n;
    plane_is_b
        ? out.push_back({{middle, n, d - radius, make_key(Feature::vertex, v, Feature::surface, 0)}, 0})
        : out.push_back({{middle, -n, d - radius, make_key(Feature::surface, 0, Feature::vertex, v)}, 0});
  };
  a.shape.visit_vertices(
      [&](const Polyhedron::OrientedBox& box) { return offset - a.shape.bound_along(box, -local) > limit; },
      add_vertex);
}

// The polyhedron of a shape, relative to the origin of its frame. That of a cylinder or cone is rotated so
// that a corner lies in direction d, a unit vector.
Side side_of(const Placed& placed, const Vec3& d, double along_axis) {
  Side side{placed.collider->polyhedron(), placed.R, Vec3::Zero()};
  if (placed.collider->kind() == Collider::Kind::polyhedron) return side;
  const Vec3 local = placed.R.transpose() * d;
  const double across = math::sqrt(local.x() * local.x() + local.z() * local.z());
  if (!(across > along_axis)) return side;
  const double c = local.x() / across, s = local.z() / across;
  Mat3 rotation;
  rotation << c, 0, -s, 0, 1, 0, s, 0, c;
  side.R = placed.R * rotation;
  return side;
}

}  // namespace

namespace {

// The direction in which two features are separated, from b to a in the frame of a. Zero if there is none.
Vec3 direction_between(const FeatureScan& scan, FeatureKey key) {
  const Polyhedron &pa = scan.a(), &pb = scan.b();
  const auto kind_a = static_cast<Feature>(key.value >> 62),
             kind_b = static_cast<Feature>(key.value >> 30 & 3);
  const auto i = static_cast<uint32_t>(key.value >> 32 & 0x3fffffff),
             j = static_cast<uint32_t>(key.value & 0x3fffffff);
  const auto is_of = [](const Polyhedron& shape, Feature kind, uint32_t k) {
    return kind == Feature::vertex ? k < shape.vertices().size()
           : kind == Feature::edge ? k < shape.edges().size()
           : kind == Feature::face ? k < shape.primitives().size() && shape.has_faces()
                                   : false;
  };
  if (!is_of(pa, kind_a, i) || !is_of(pb, kind_b, j)) return Vec3::Zero();
  if (kind_a == Feature::face) return -pa.normal(i);
  if (kind_b == Feature::face) return scan.R() * pb.normal(j);
  const bool edge_a = kind_a == Feature::edge, edge_b = kind_b == Feature::edge;
  const Vec3 &p = pa.vertices()[edge_a ? pa.edges()[i].a : i],
             q = scan.to_a(pb.vertices()[edge_b ? pb.edges()[j].a : j]);
  const Vec3 u = edge_a ? Vec3(pa.vertices()[pa.edges()[i].b] - p) : Vec3(Vec3::Zero());
  const Vec3 w = edge_b ? Vec3(scan.to_a(pb.vertices()[pb.edges()[j].b]) - q) : Vec3(Vec3::Zero());
  Vec3 n = p - q;
  if (edge_a && edge_b) {
    const Vec3 across = u.cross(w);
    n = across.dot(n) < 0 ? Vec3(-across) : across;
  } else if (edge_a || edge_b) {
    const Vec3& along = edge_a ? u : w;
    n -= along.dot(n) / along.squaredNorm() * along;
  }
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

}  // namespace

namespace {

// The feature of a primitive that is nearest to a solid, if no neighbouring part of the mesh is nearer.
std::optional<std::pair<Feature, uint32_t>> find_nearest_feature(const Polyhedron& shape,
                                                                 const NearPrimitive& near,
                                                                 const ManifoldParameters& par) {
  const Polyhedron::Primitive& p = shape.primitives()[near.primitive];
  const std::pair face(Feature::face, near.primitive);
  const Vec3& away = near.separation.normal;
  const auto at = [&](int k) -> const Vec3& { return shape.vertices()[p.corners[k]]; };
  const Vec3 &n = shape.normal(near.primitive), &x = near.separation.on_a;
  if (std::abs(n.dot(away)) > 1 - par.bound_met) return face;
  const double area = n.dot((at(1) - at(0)).cross(at(2) - at(0)));
  int support[3], count = 0;
  for (int k = 0; k < 3; ++k) {
    const Vec3 &q = at((k + 1) % 3), &r = at((k + 2) % 3);
    if (n.dot((q - x).cross(r - x)) > par.no_weight * area) support[count++] = k;
  }
  if (count == 2) {
    const uint32_t e = p.edges[support[1] - support[0] == 1 ? support[0] : 2];
    const Polyhedron::Edge& edge = shape.edges()[e];
    if (edge.sharp && edge_faces(edge, -away, par.cone_slack)) return std::pair(Feature::edge, e);
  } else if (count == 1 && is_lowest(shape, p.corners[support[0]], away, par.cone_slack)) {
    return std::pair(Feature::vertex, p.corners[support[0]]);
  }
  return std::nullopt;
}

}  // namespace

// A mesh and a cylinder or cone. The mesh may touch it from several sides. Facets replace the round surface
// where a corner is rotated towards the near primitive. This is done for each direction in which a primitive
// is near.
void ManifoldBuilder::scan_round(const Placed& a, const Placed& b, const ContactRange& range) {
  const ManifoldParameters& par = par_.manifold;
  const double same_corner_cosine = math::cos(par_.patch.corner_angle);
  const bool mesh_is_a = a.collider->kind() == Collider::Kind::polyhedron;
  const Placed &mesh = mesh_is_a ? a : b, &solid = mesh_is_a ? b : a;
  const Mat3 rotation = a.R.transpose() * mesh.R;
  const Vec3 shift = a.R.transpose() * (mesh.p - a.p);
  std::vector<Candidate> nearest;  // one for each primitive, in the frame of a
  directions_.clear();
  for (const NearPrimitive& near : find_near_primitives(mesh, solid, range.max_gap)) {
    const auto feature = find_nearest_feature(mesh.collider->polyhedron(), near, par);
    if (!feature) continue;
    const Vec3 n = rotation * (mesh_is_a ? near.separation.normal : Vec3(-near.separation.normal)),
               x = rotation * (0.5 * (near.separation.on_a + near.separation.on_b)) + shift;
    nearest.push_back({{x, n, near.separation.distance,
                        mesh_is_a ? make_key(feature->first, feature->second, Feature::surface, 0)
                                  : make_key(Feature::surface, 0, feature->first, feature->second)},
                       3});
    if (std::none_of(directions_.begin(), directions_.end(),
                     [&](const Vec3& d) { return d.dot(n) > 1 - par.same_direction; }))
      directions_.push_back(n);
  }
  for (const Vec3& direction : directions_) {
    const size_t first = candidates_.size();
    const Vec3 n = a.R * direction;
    const Side sa = side_of(a, -n, par.along_axis), sb = side_of(b, n, par.along_axis);
    FeatureScan scan(sa.shape, sb.shape, sa.R.transpose() * sb.R, sa.R.transpose() * (b.p - a.p), range, par,
                     candidates_);
    scan_trees(scan);
    const Mat3 back = a.R.transpose() * sa.R;
    for (size_t i = first; i < candidates_.size(); ++i) {
      Contact& c = candidates_[i].contact;
      c.normal = back * c.normal, c.point = back * c.point;
    }
    // Keep each candidate only for the direction nearest to its normal.
    candidates_.erase(
        std::remove_if(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
                       [&](const Candidate& c) {
                         const double along = direction.dot(c.contact.normal);
                         return along < same_corner_cosine ||
                                std::any_of(directions_.begin(), directions_.end(),
                                            [&](const Vec3& d) { return d.dot(c.contact.normal) > along; });
                       }),
        candidates_.end());
  }
  for (const Candidate& c : nearest)
    if (std::none_of(candidates_.begin(), candidates_.end(), [&](const Candidate& known) {
          return known.contact.gap <= c.contact.gap + par.coincident * range.contact_offset &&
                 known.contact.normal.dot(c.contact.normal) > same_corner_cosine;
        }))
      candidates_.push_back(c);
}

bool ManifoldBuilder::scan_by_features(const Placed& a, const Placed& b, const ContactRange& range,
                                       const PairMemory& memory, bool& apart) {
  const Polyhedron &pa = a.collider->polyhedron(), &pb = b.collider->polyhedron();
  FeatureScan scan(pa, pb, a.R.transpose() * b.R, a.R.transpose() * (b.p - a.p), range, par_.manifold,
                   candidates_);
  const double bound_met = par_.manifold.bound_met;
  const Vec3 n = direction_between(scan, *memory.features);
  if (n.isZero(0)) return false;
  const double radii = pa.radius() + pb.radius(), gap = scan_convex(scan, n, range.max_gap) - radii;
  apart = gap > range.max_gap;
  if (apart) return true;
  if (!(gap > 0)) {  // they touch, so no direction is certain
    candidates_.clear();
    return false;
  }
  // If a pair of features is as near as the bound, it is nearest, and the direction was right.
  for (const Candidate& c : candidates_)
    if (c.contact.gap <= gap + bound_met * range.contact_offset && c.contact.normal.dot(n) > 1 - bound_met)
      return true;
  candidates_.clear();
  return false;
}

void ManifoldBuilder::build(const Placed& a, const Placed& b, const ContactRange& range, PairMemory& memory,
                            std::vector<Contact>& contacts) {
  if (a.collider->is_empty() || b.collider->is_empty() || !is_measurable(a, b)) return;
  using Kind = Collider::Kind;
  const ManifoldParameters& par = par_.manifold;
  const Kind ka = a.collider->kind(), kb = b.collider->kind();
  const bool plane = ka == Kind::plane || kb == Kind::plane;
  const bool smooth = ka == Kind::cylinder || ka == Kind::cone || kb == Kind::cylinder || kb == Kind::cone;
  const bool convex = a.collider->is_convex() && b.collider->is_convex();
  const size_t first = contacts.size();
  candidates_.clear();

  // Most pairs are handled by the face or the edges that separated them in the last step.
  bool apart = false;
  if (convex && !plane && !smooth && memory.features && scan_by_features(a, b, range, memory, apart)) {
    ++counters_.known;
    if (apart) return;
    return finish(a, range, memory, first, contacts);
  }
  ++counters_.searched;
  memory.features.reset();
  Separation nearest;
  if (smooth || (convex && !plane)) {
    nearest = compute_distance(a, b, memory);
    if (nearest.lower_bound > range.max_gap) return;
  }
  if (plane) {
    const Placed &other = kb == Kind::plane ? a : b, &ground = kb == Kind::plane ? b : a;
    const Vec3 n = ground.R * ground.collider->normal();
    const Side side = side_of(other, -n, par.along_axis);
    // In the frame of a, as all candidates.
    scan_plane(side, n, ground.p - other.p, range, kb == Kind::plane, par.slope, candidates_);
    for (Candidate& c : candidates_) {
      c.contact.normal = a.R.transpose() * c.contact.normal;
      c.contact.point = a.R.transpose() * (c.contact.point + (other.p - a.p));
    }
  } else if (smooth && !convex && nearest.distance > 0) {
    scan_round(a, b, range);
  } else {
    const Side sa = side_of(a, -nearest.normal, par.along_axis),
               sb = side_of(b, nearest.normal, par.along_axis);
    const Mat3 R = sa.R.transpose() * sb.R;
    FeatureScan scan(sa.shape, sb.shape, R, sa.R.transpose() * (b.p - a.p), range, par, candidates_);
    if (convex && nearest.distance > 0)  // else they touch, so no direction is certain
      scan_convex(scan, sa.R.transpose() * nearest.normal, range.max_gap);
    else if (!scan_fine_surfaces(sa.shape, sb.shape, R, sa.R.transpose() * (b.p - a.p), range))
      scan_trees(scan);
    if (ka == Kind::cylinder || ka == Kind::cone) {
      const Mat3 rotation = a.R.transpose() * sa.R;
      for (Candidate& c : candidates_)
        c.contact.normal = rotation * c.contact.normal, c.contact.point = rotation * c.contact.point;
    }
  }
  // Facets replace a smooth surface where it is nearest. Elsewhere they may miss the nearest point.
  const bool missed = std::none_of(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
    return c.contact.gap <= nearest.distance + par.coincident * range.contact_offset;
  });
  if (smooth && missed && nearest.distance > 0 && nearest.distance <= range.max_gap)
    candidates_.push_back(
        {{a.R.transpose() * (0.5 * (nearest.on_a + nearest.on_b) - a.p), a.R.transpose() * nearest.normal,
          nearest.distance, make_key(Feature::surface, 0, Feature::surface, 0)},
         3});
  finish(a, range, memory, first, contacts);
}

// Transforms the contacts to the world. Caches the features that separate the two shapes, a face if there is
// one.
void ManifoldBuilder::finish(const Placed& a, const ContactRange& range, PairMemory& memory, size_t first,
                             std::vector<Contact>& contacts) {
  reducer_.reduce(candidates_, range, contacts);
  if (contacts.size() > first) {
    const FeatureKey key = contacts[first].key;
    const bool face = static_cast<Feature>(key.value >> 62) == Feature::face ||
                      static_cast<Feature>(key.value >> 30 & 3) == Feature::face;
    if (face || !memory.features) memory.features = key;
  }
  for (size_t i = first; i < contacts.size(); ++i) {
    contacts[i].point = a.R * contacts[i].point + a.p;
    contacts[i].normal = a.R * contacts[i].normal;
  }
}

}  // namespace tumble::collision
