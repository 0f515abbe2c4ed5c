#include "tumble/collision/manifold.h"

#include <algorithm>
#include <cmath>

#include "tumble/collision/patch.h"
#include "tumble/collision/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Mat3;
using math::Vec3;

namespace {

enum class Feature : uint64_t { vertex = 0, edge = 1, face = 2, surface = 3 };

FeatureKey key_of(Feature a, uint32_t i, Feature b, uint32_t j) {
  return {static_cast<uint64_t>(a) << 62 | static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(b) << 30 |
          j};
}

// Rounding of a unit normal between nearest points: what counts as inside a cone of normals.
constexpr double kConeSlack = 1e-6;

// One of the two polyhedra where it stands.
struct Side {
  const Polyhedron& shape;
  Mat3 R;
  Vec3 p;

  Vec3 vertex(uint32_t i) const { return R * shape.vertices()[i] + p; }
  Vec3 normal(uint32_t f) const { return R * shape.normal(f); }
  // No neighbour of vertex v, at x, lies below it by more than a slope, seen along n.
  bool is_lowest(uint32_t v, const Vec3& n, double slope) const {
    const Vec3 local = R.transpose() * n;
    const Vec3& x = shape.vertices()[v];
    for (const uint32_t w : shape.neighbours(v)) {
      const Vec3 d = shape.vertices()[w] - x;
      const double along = d.dot(local);
      if (along < 0 && along * along > slope * slope * d.squaredNorm()) return false;
    }
    return true;
  }
  // n lies among the outward normals of the edge.
  bool edge_faces(uint32_t e, const Vec3& n, double slack) const {
    const Polyhedron::Edge& edge = shape.edges()[e];
    const Vec3 local = R.transpose() * n;
    return edge.shared_by_many || (edge.into[0].dot(local) <= slack && edge.into[1].dot(local) <= slack);
  }
  double vertex_slack() const { return shape.has_faces() ? kConeSlack : kSlope; }
};

// Finds the candidates among features that are handed to it.
class Scan {
 public:
  Scan(const Side& a, const Side& b, const Shell& shell, std::vector<Candidate>& out)
      : a_(a),
        b_(b),
        limit_(shell.thickness + a.shape.radius() + b.shape.radius()),
        deepest_(shell.deepest),
        out_(out) {}

  double limit() const { return limit_; }

  void vertex_face(uint32_t v, uint32_t f, bool vertex_of_a) {
    const Side &P = vertex_of_a ? a_ : b_, &F = vertex_of_a ? b_ : a_;
    const Polyhedron::Primitive& face = F.shape.primitives()[f];
    // In the frame of the face.
    const Vec3 x = F.R.transpose() * (P.vertex(v) - F.p);
    const Vec3* t[3];
    for (int k = 0; k < 3; ++k) t[k] = &F.shape.vertices()[face.corners[k]];
    Vec3 n = F.shape.normal(f);
    double d = n.dot(x - *t[0]);
    const bool behind = F.shape.is_sheet() && d < 0;
    if ((behind ? -d : d) > limit_ || (!behind && d < -deepest_)) return;
    for (int k = 0; k < 3; ++k) {
      const Vec3 side = *t[(k + 1) % 3] - *t[k];
      if (n.dot(side.cross(x - *t[k])) < -kBorder * side.squaredNorm()) return;
    }
    if (behind) n = -n, d = -d;
    const Vec3 world = F.R * n;
    if (!P.is_lowest(v, world, kSlope)) return;
    const Vec3 on_p = P.vertex(v), on_f = on_p - d * world;
    vertex_of_a ? add(on_p, on_f, world, d, 0, key_of(Feature::vertex, v, Feature::face, f))
                : add(on_f, on_p, -world, d, 0, key_of(Feature::face, f, Feature::vertex, v));
  }

  void edge_edge(uint32_t e, uint32_t k) {
    const Polyhedron::Edge &ea = a_.shape.edges()[e], &eb = b_.shape.edges()[k];
    const Vec3 p = a_.vertex(ea.a), u = a_.vertex(ea.b) - p, q = b_.vertex(eb.a), w = b_.vertex(eb.b) - q;
    const Vec3 cross = u.cross(w), r = q - p;
    const double cc = cross.squaredNorm();
    if (!(cc > kParallelEdges * kParallelEdges * u.squaredNorm() * w.squaredNorm())) return;
    const double across = r.dot(cross);
    const double reach = std::max(limit_, deepest_);
    if (across * across > reach * reach * cc) return;
    const double s = r.cross(w).dot(cross) / cc, t = r.cross(u).dot(cross) / cc;
    if (s < -kBorder || s > 1 + kBorder || t < -kBorder || t > 1 + kBorder) return;
    Vec3 n = cross / math::sqrt(cc);
    double d = -across / math::sqrt(cc);  // from b to a along n
    if (d < 0) n = -n, d = -d;
    const auto fits = [&](const Vec3& m) {
      return a_.edge_faces(e, -m, kSlope) && b_.edge_faces(k, m, kSlope);
    };
    if (!fits(n)) {
      // Crossed by no more than bodies that start touching may be?
      if (d > deepest_ || !fits(-n)) return;
      n = -n, d = -d;
    }
    if (d > limit_) return;
    add(p + s * u, q + t * w, n, d, 0, key_of(Feature::edge, e, Feature::edge, k));
  }

  void vertex_edge(uint32_t v, uint32_t e, bool vertex_of_a) {
    const Side &P = vertex_of_a ? a_ : b_, &E = vertex_of_a ? b_ : a_;
    const Polyhedron::Edge& edge = E.shape.edges()[e];
    const Vec3 x = P.vertex(v), q = E.vertex(edge.a), w = E.vertex(edge.b) - q;
    const double along = (x - q).dot(w), length = w.squaredNorm();
    if (!(along > 0 && along < length)) return;
    const Vec3 foot = q + along / length * w;
    Vec3 n = x - foot;
    const double d = n.norm();
    if (!(d > 0) || d > limit_) return;
    n /= d;
    if (!E.edge_faces(e, n, kConeSlack) || !P.is_lowest(v, n, P.vertex_slack())) return;
    vertex_of_a ? add(x, foot, n, d, 1, key_of(Feature::vertex, v, Feature::edge, e))
                : add(foot, x, -n, d, 1, key_of(Feature::edge, e, Feature::vertex, v));
  }

  void vertex_vertex(uint32_t v, uint32_t w) {
    const Vec3 x = a_.vertex(v), y = b_.vertex(w);
    Vec3 n = x - y;
    const double d = n.norm();
    if (!(d > 0) || d > limit_) return;
    n /= d;
    if (!a_.is_lowest(v, n, a_.vertex_slack()) || !b_.is_lowest(w, -n, b_.vertex_slack())) return;
    add(x, y, n, d, 2, key_of(Feature::vertex, v, Feature::vertex, w));
  }

  // All features that belong to two primitives.
  void primitives(uint32_t i, uint32_t j) {
    const Polyhedron::Primitive &p = a_.shape.primitives()[i], &q = b_.shape.primitives()[j];
    const auto edges_of = [](const Polyhedron::Primitive& x) { return x.count == 3 ? 3 : x.count - 1; };
    for (int k = 0; k < p.count; ++k) {
      if (!(p.owned_corners >> k & 1)) continue;
      if (q.count == 3) vertex_face(p.corners[k], j, true);
      for (int l = 0; l < edges_of(q); ++l)
        if ((q.owned_edges >> l & 1) && b_.shape.edges()[q.edges[l]].sharp)
          vertex_edge(p.corners[k], q.edges[l], true);
      for (int l = 0; l < q.count; ++l)
        if (q.owned_corners >> l & 1) vertex_vertex(p.corners[k], q.corners[l]);
    }
    for (int l = 0; l < q.count; ++l) {
      if (!(q.owned_corners >> l & 1)) continue;
      if (p.count == 3) vertex_face(q.corners[l], i, false);
      for (int k = 0; k < edges_of(p); ++k)
        if ((p.owned_edges >> k & 1) && a_.shape.edges()[p.edges[k]].sharp)
          vertex_edge(q.corners[l], p.edges[k], false);
    }
    for (int k = 0; k < edges_of(p); ++k) {
      if (!(p.owned_edges >> k & 1) || !a_.shape.edges()[p.edges[k]].sharp) continue;
      for (int l = 0; l < edges_of(q); ++l)
        if ((q.owned_edges >> l & 1) && b_.shape.edges()[q.edges[l]].sharp) edge_edge(p.edges[k], q.edges[l]);
    }
  }

 private:
  // Witnesses on the cores and their distance; what is kept speaks of the surfaces.
  void add(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double d, int rank, FeatureKey key) {
    const double ra = a_.shape.radius(), rb = b_.shape.radius();
    out_.push_back({{0.5 * (on_a - ra * n + on_b + rb * n), n, d - ra - rb, key}, rank});
  }

  const Side &a_, &b_;
  double limit_, deepest_;
  std::vector<Candidate>& out_;
};

// Two convex polyhedra that a plane across n separates, or nearly: only features near that plane can be candidates.
void scan_convex(const Side& a, const Side& b, const Vec3& n, Scan& scan, double slack) {
  struct Near {
    std::vector<uint32_t> vertices, edges, faces;
    std::vector<double> heights;
  } near[2];
  const Side* sides[2] = {&a, &b};
  double lowest[2];
  for (int s = 0; s < 2; ++s) {
    const Vec3 local = (s == 0 ? 1.0 : -1.0) * (sides[s]->R.transpose() * n);
    const double offset = (s == 0 ? 1.0 : -1.0) * sides[s]->p.dot(n);
    near[s].heights.reserve(sides[s]->shape.vertices().size());
    lowest[s] = std::numeric_limits<double>::infinity();
    for (const Vec3& v : sides[s]->shape.vertices()) {
      near[s].heights.push_back(v.dot(local) + offset);
      lowest[s] = std::min(lowest[s], near[s].heights.back());
    }
  }
  // A feature of a is near if it comes within the limit of the top of b, and the other way round.
  for (int s = 0; s < 2; ++s) {
    const double most = scan.limit() + slack - lowest[1 - s];
    const Polyhedron& shape = sides[s]->shape;
    const std::vector<double>& h = near[s].heights;
    for (uint32_t v = 0; v < h.size(); ++v)
      if (h[v] <= most) near[s].vertices.push_back(v);
    for (uint32_t e = 0; e < shape.edges().size(); ++e)
      if (shape.edges()[e].sharp && std::min(h[shape.edges()[e].a], h[shape.edges()[e].b]) <= most)
        near[s].edges.push_back(e);
    if (!shape.has_faces()) continue;
    for (uint32_t f = 0; f < shape.primitives().size(); ++f) {
      const Polyhedron::Primitive& p = shape.primitives()[f];
      if (std::min({h[p.corners[0]], h[p.corners[1]], h[p.corners[2]]}) <= most) near[s].faces.push_back(f);
    }
  }
  for (const uint32_t v : near[0].vertices) {
    for (const uint32_t f : near[1].faces) scan.vertex_face(v, f, true);
    for (const uint32_t e : near[1].edges) scan.vertex_edge(v, e, true);
    for (const uint32_t w : near[1].vertices) scan.vertex_vertex(v, w);
  }
  for (const uint32_t w : near[1].vertices) {
    for (const uint32_t f : near[0].faces) scan.vertex_face(w, f, false);
    for (const uint32_t e : near[0].edges) scan.vertex_edge(w, e, false);
  }
  for (const uint32_t e : near[0].edges)
    for (const uint32_t k : near[1].edges) scan.edge_edge(e, k);
}

// Everything else: pairs of primitives whose boxes come within the limit.
void scan_trees(const Side& a, const Side& b, Scan& scan) {
  const Mat3 R = a.R.transpose() * b.R, absolute = R.cwiseAbs();
  const Vec3 p = a.R.transpose() * (b.p - a.p);
  const double limit = scan.limit();
  const auto apart = [&](const geometry::Bounds& x, const geometry::Bounds& y) {
    const Vec3 center = R * (0.5 * (y.lower + y.upper)) + p - 0.5 * (x.lower + x.upper);
    const Vec3 half = absolute * (0.5 * (y.upper - y.lower)) + 0.5 * (x.upper - x.lower);
    return ((center.cwiseAbs() - half).array() > limit).any();
  };
  const std::vector<geometry::Bvh::Node>&na = a.shape.tree().nodes(), &nb = b.shape.tree().nodes();
  std::vector<geometry::Bvh::NodePair> open = {{0, 0}};
  while (!open.empty()) {
    const geometry::Bvh::NodePair pair = open.back();
    open.pop_back();
    const geometry::Bvh::Node &x = na[pair.a], &y = nb[pair.b];
    if (apart(x.box, y.box)) continue;
    if (x.is_leaf() && y.is_leaf()) {
      for (uint32_t i = x.first; i < x.first + x.count; ++i)
        for (uint32_t j = y.first; j < y.first + y.count; ++j)
          scan.primitives(a.shape.tree().items()[i], b.shape.tree().items()[j]);
    } else if (y.is_leaf() ||
               (!x.is_leaf() && (x.box.upper - x.box.lower).sum() > (y.box.upper - y.box.lower).sum())) {
      open.push_back({x.first + 1, pair.b});
      open.push_back({x.first, pair.b});
    } else {
      open.push_back({pair.a, y.first + 1});
      open.push_back({pair.a, y.first});
    }
  }
}

// Vertices over a half-space.
void scan_plane(const Side& a, const Vec3& n, const Vec3& at, const Shell& shell, bool plane_is_b,
                std::vector<Candidate>& out) {
  const double radius = a.shape.radius(), limit = shell.thickness + radius;
  const Vec3 local = a.R.transpose() * n;
  const double offset = n.dot(a.p - at);
  const auto look_at = [&](uint32_t v) {
    const double d = local.dot(a.shape.vertices()[v]) + offset;
    if (d > limit || d - radius < -shell.deepest || !a.is_lowest(v, n, kSlope)) return;
    const Vec3 middle = a.vertex(v) - 0.5 * (d + radius) * n;
    plane_is_b
        ? out.push_back({{middle, n, d - radius, key_of(Feature::vertex, v, Feature::surface, 0)}, 0})
        : out.push_back({{middle, -n, d - radius, key_of(Feature::surface, 0, Feature::vertex, v)}, 0});
  };
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    const geometry::Bvh::Node& node = a.shape.tree().nodes()[open.back()];
    open.pop_back();
    const Vec3 center = 0.5 * (node.box.lower + node.box.upper),
               half = 0.5 * (node.box.upper - node.box.lower);
    if (local.dot(center) + offset - local.cwiseAbs().dot(half) > limit) continue;
    if (!node.is_leaf()) {
      open.push_back(node.first + 1);
      open.push_back(node.first);
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Polyhedron::Primitive& p = a.shape.primitives()[a.shape.tree().items()[i]];
      for (int k = 0; k < p.count; ++k)
        if (p.owned_corners >> k & 1) look_at(p.corners[k]);
    }
  }
}

// The polyhedron of a shape, with the origin of the world at `origin`; that of a cylinder or cone turned so that a corner
// lies in direction d.
Side side_of(const Placed& placed, const Vec3& origin, const Vec3& d) {
  Side side{placed.collider->polyhedron(), placed.R, placed.p - origin};
  if (placed.collider->kind() == Collider::Kind::polyhedron) return side;
  const Vec3 local = placed.R.transpose() * d;
  const double across = math::sqrt(local.x() * local.x() + local.z() * local.z());
  if (!(across > 0)) return side;
  const double c = local.x() / across, s = local.z() / across;
  Mat3 turn;
  turn << c, 0, -s, 0, 1, 0, s, 0, c;
  side.R = placed.R * turn;
  return side;
}

}  // namespace

void build_manifold(const Placed& a, const Placed& b, const Shell& shell, PairMemory& memory,
                    std::vector<Contact>& contacts) {
  using Kind = Collider::Kind;
  const Kind ka = a.collider->kind(), kb = b.collider->kind();
  const Vec3 origin = kb == Kind::plane ? a.p : b.p;
  const bool smooth = ka == Kind::cylinder || ka == Kind::cone || kb == Kind::cylinder || kb == Kind::cone;
  const bool convex = a.collider->is_convex() && b.collider->is_convex();
  std::vector<Candidate> candidates;

  // Convex pairs most often end here, by the direction that told them apart before.
  if (convex && !memory.normal.isZero(0) && compute_gap_along(a, b, memory.normal) > shell.thickness) return;
  Separation nearest;
  if (smooth || (convex && ka != Kind::plane && kb != Kind::plane)) {
    nearest = compute_distance(a, b, memory);
    if (nearest.lower_bound > shell.thickness) return;
  }
  if (kb == Kind::plane || ka == Kind::plane) {
    const Placed &other = kb == Kind::plane ? a : b, &plane = kb == Kind::plane ? b : a;
    const Vec3 n = plane.R * plane.collider->normal();
    const Side side = side_of(other, origin, -n);
    scan_plane(side, n, plane.p - origin, shell, kb == Kind::plane, candidates);
  } else {
    const Side sa = side_of(a, origin, -nearest.normal), sb = side_of(b, origin, nearest.normal);
    Scan scan(sa, sb, shell, candidates);
    if (convex)
      scan_convex(sa, sb, nearest.normal, scan, shell.thickness);
    else
      scan_trees(sa, sb, scan);
  }
  // Facets stand in for a smooth surface where it is nearest; elsewhere they may miss how near it comes.
  const bool missed = std::none_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.contact.gap <= nearest.distance + 0.25 * shell.kept;
  });
  if (smooth && missed && nearest.distance > 0 && nearest.distance <= shell.thickness)
    candidates.push_back({{0.5 * (nearest.on_a + nearest.on_b) - origin, nearest.normal, nearest.distance,
                           key_of(Feature::surface, 0, Feature::surface, 0)},
                          3});
  const size_t first = contacts.size();
  reduce_to_corners(candidates, shell, contacts);
  for (size_t i = first; i < contacts.size(); ++i) contacts[i].point += origin;
}

}  // namespace tumble::collision
