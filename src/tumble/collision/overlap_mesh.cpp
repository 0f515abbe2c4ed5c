// Bodies of triangles. With A and B closed,
//   depth = largest distance, of the points of edges of either that are inside the other, from the other's surface,   (1)
// and where an edge of A passes through the two faces at an edge of B, and that one through the two faces at the
// first, also the distance of the two edges: the only way apart for two wedges is along the common perpendicular.   (2)
// Against a sheet, which has no inside,
//   depth = largest, of the edges that pass through it, of the lesser distance of their two ends from it.             (3)
// Edges that meet no triangle of the other, and all they hang together with, are inside or outside as a whole. Inside
// is told by rays, in the frame of the body that is entered and with its numbers as they are: exactly for the points
// asked about. Every depth is witnessed by a point that is inside; rounding can make it wrong by no more than it
// moves that point.
//
// Along an edge (1) is searched with an upper bound: the distance from any one triangle g is a convex function, so
//   dist(x) <= max(dist(x0, g), dist(x1, g))  for x between x0 and x1,  g nearest to x0 or to x1,                     (4)
// and all that is nearer to a point outside than the surface is outside.
#include "tumble/collision/detail/overlap_mesh.h"

#include <algorithm>
#include <cmath>

#include "tumble/collision/overlap_checker.h"

namespace tumble::collision::overlap {

double find_deepest(const Triangles& b, const Vec3& from, const Vec3& to, double known) {
  const double length = (to - from).norm(), tolerance = kLineTolerance * (b.reach() + length);
  constexpr int kMostLooks = 10000;  // hundreds are many
  struct Look {
    double at;  // m, along the segment
    Vec3 x;
    Triangles::Nearest nearest;
    bool inside;
  };
  const auto look = [&](double at, double guess) {
    const Vec3 x = length > 0 ? Vec3(from + (at / length) * (to - from)) : from;
    const Triangles::Nearest nearest = b.nearest(x, guess);
    const bool inside = b.contains(x);
    if (inside) known = std::max(known, nearest.distance);
    return Look{at, x, nearest, inside};
  };
  std::vector<std::pair<Look, Look>> open;
  // What is nearer to an end outside than any surface is outside too.
  const auto add = [&](const Look& x0, const Look& x1) {
    const double begin = x0.inside ? x0.at : x0.at + x0.nearest.distance,
                 end = x1.inside ? x1.at : x1.at - x1.nearest.distance;
    if (end - begin > tolerance || (x0.inside && x1.inside && x1.at > x0.at)) open.emplace_back(x0, x1);
  };
  const Look first = look(0, 0);
  if (!(length > 0)) return known;
  add(first, look(length, first.nearest.distance + length));
  for (int looks = 0; !open.empty() && looks < kMostLooks; ++looks) {
    const auto [x0, x1] = open.back();
    open.pop_back();
    const uint32_t g0 = x0.nearest.triangle, g1 = x1.nearest.triangle;
    if (x1.at - x0.at <= tolerance) continue;
    const double upper = std::min(std::max(x0.nearest.distance, b.distance_to(g0, x1.x)),
                                  std::max(b.distance_to(g1, x0.x), x1.nearest.distance));
    if (upper <= known + tolerance) continue;
    const double begin = x0.inside ? x0.at : x0.at + x0.nearest.distance,
                 end = x1.inside ? x1.at : x1.at - x1.nearest.distance;
    const double at = 0.5 * begin + 0.5 * end;
    const Look middle =
        look(at, std::min(x0.nearest.distance + at - x0.at, x1.nearest.distance + x1.at - at));
    add(x0, middle);
    add(middle, x1);
  }
  return known;
}

namespace {

using EdgeMeetsTriangle = std::pair<uint32_t, uint32_t>;

struct Crossings {
  std::vector<EdgeMeetsTriangle> of_a, of_b;  // edges of a and triangles of b; edges of b and triangles of a
  bool any() const { return !of_a.empty() || !of_b.empty(); }
};

std::vector<uint32_t> find_near(const Triangles& t, const geometry::Bounds& box) {
  std::vector<uint32_t> found;
  t.tree().for_each_overlap(box, [&found](uint32_t i) {
    found.push_back(i);
    return true;
  });
  return found;
}

void add_meetings(const Triangles& a, uint32_t of_a, const Frame& X_BA, const Triangles& b, uint32_t of_b,
                  std::vector<EdgeMeetsTriangle>& found) {
  const geometry::TriangleCorners corners = b.corners(of_b);
  for (const uint32_t e : a.edges_of(of_a)) {
    if (e == kNone) continue;
    const Edge& edge = a.edges()[e];
    if (geometry::segment_touches(X_BA * a.points()[edge.ends[0]], X_BA * a.points()[edge.ends[1]], corners))
      found.emplace_back(e, of_b);
  }
}

void sort_once(std::vector<EdgeMeetsTriangle>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Every edge of one that meets a triangle of the other.
Crossings find_crossings(const Triangles& a, const Triangles& b, const Frame& X_AB, const Frame& X_BA) {
  const double slack = kResolution * (a.reach() + b.reach() + X_AB.p.norm());
  const std::vector<uint32_t> near_a = find_near(a, grown(moved(b.box(), X_AB), slack)),
                              near_b = find_near(b, grown(moved(a.box(), X_BA), slack));
  Crossings found;
  const auto add = [&](uint32_t of_a, uint32_t of_b) {
    add_meetings(a, of_a, X_BA, b, of_b, found.of_a);
    add_meetings(b, of_b, X_AB, a, of_a, found.of_b);
  };
  // Each triangle of the side with fewer, against the tree of the other.
  const bool from_a = near_a.size() <= near_b.size();
  const Triangles &from = from_a ? a : b, &to = from_a ? b : a;
  const Frame& X = from_a ? X_BA : X_AB;
  for (const uint32_t t : from_a ? near_a : near_b) {
    geometry::TriangleCorners c = from.corners(t);
    for (Vec3& corner : c) corner = X * corner;
    const geometry::Bounds box{c[0].cwiseMin(c[1]).cwiseMin(c[2]), c[0].cwiseMax(c[1]).cwiseMax(c[2])};
    to.tree().for_each_overlap(grown(box, slack), [&](uint32_t other) {
      from_a ? add(t, other) : add(other, t);
      return true;
    });
  }
  sort_once(found.of_a);
  sort_once(found.of_b);
  return found;
}

// A part of an edge inside the other body, and the triangles through which it comes in and goes out.
struct Passage {
  uint32_t edge, in, out;
};

// The edges of `a` against the body `b`, in its frame.
class Intrusion {
 public:
  Intrusion(const Triangles& a, const Frame& X_BA, const Triangles& b,
            const std::vector<EdgeMeetsTriangle>& meetings)
      : a_(a), X_BA_(X_BA), b_(b), meetings_(meetings) {}

  double measure() {
    if (!b_.closed()) return measure_through();
    visited_.assign(a_.points().size(), 0);
    std::vector<uint8_t> shell_meets(a_.shell_vertices().size(), 0);
    for (size_t i = 0, end = 0; i < meetings_.size(); i = end) {
      while (end < meetings_.size() && meetings_[end].first == meetings_[i].first) ++end;
      shell_meets[a_.shell_of(a_.edges()[meetings_[i].first].ends[0])] = 1;
      add_edge(i, end);
    }
    for (size_t s = 0; s < shell_meets.size(); ++s)
      if (!shell_meets[s] && b_.contains(at(a_.shell_vertices()[s]))) enter(a_.shell_vertices()[s]);
    follow();
    return depth_;
  }
  const std::vector<Passage>& passages() const { return passages_; }

 private:
  Vec3 at(uint32_t vertex) const { return X_BA_ * a_.points()[vertex]; }
  bool meets(uint32_t edge) const {
    const auto first = std::lower_bound(meetings_.begin(), meetings_.end(), EdgeMeetsTriangle(edge, 0));
    return first != meetings_.end() && first->first == edge;
  }
  void enter(uint32_t vertex) {
    if (visited_[vertex]) return;
    visited_[vertex] = 1;
    open_.push_back(vertex);
  }

  // An edge that meets triangles, meetings_[begin] .. meetings_[end - 1].
  void add_edge(size_t begin, size_t end) {
    const uint32_t e = meetings_[begin].first;
    const Edge& edge = a_.edges()[e];
    const Vec3 p = at(edge.ends[0]), q = at(edge.ends[1]);
    depth_ = find_deepest(b_, p, q, depth_);
    for (const uint32_t v : edge.ends)
      if (!visited_[v] && b_.contains(at(v))) enter(v);
    std::vector<std::pair<double, uint32_t>> cuts;
    for (size_t i = begin; i < end; ++i) {
      const uint32_t t = meetings_[i].second;
      const geometry::TriangleCorners c = b_.corners(t);
      const Vec3 n = (c[1] - c[0]).cross(c[2] - c[0]);
      const double from = n.dot(p - c[0]), to = n.dot(q - c[0]), cut = from / (from - to);
      if (cut >= 0 && cut <= 1) cuts.emplace_back(cut, t);
    }
    std::sort(cuts.begin(), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      const double s = cuts[i].first, t = cuts[i + 1].first;
      if (!(t > s)) continue;
      const Vec3 x0 = p + s * (q - p), x1 = p + t * (q - p);
      if (b_.contains(0.5 * x0 + 0.5 * x1)) passages_.push_back({e, cuts[i].second, cuts[i + 1].second});
    }
  }

  // From the vertices inside along all edges that meet nothing: they are inside too.
  void follow() {
    while (!open_.empty()) {
      const uint32_t v = open_.back();
      open_.pop_back();
      for (const uint32_t e : a_.edges_at(v)) {
        if (meets(e)) continue;
        const auto& [from, to] = a_.edges()[e].ends;
        if (visited_[from] && visited_[to] && v == to) continue;
        depth_ = find_deepest(b_, at(from), at(to), depth_);
        enter(from);
        enter(to);
      }
    }
  }

  // (3)
  double measure_through() {
    for (size_t i = 0; i < meetings_.size(); ++i) {
      if (i > 0 && meetings_[i].first == meetings_[i - 1].first) continue;
      const Edge& edge = a_.edges()[meetings_[i].first];
      const double first = b_.nearest(at(edge.ends[0])).distance;
      if (first <= depth_) continue;
      depth_ = std::max(depth_, std::min(first, b_.nearest(at(edge.ends[1])).distance));
    }
    return depth_;
  }

  const Triangles& a_;
  const Frame& X_BA_;
  const Triangles& b_;
  const std::vector<EdgeMeetsTriangle>& meetings_;
  double depth_ = 0;
  std::vector<uint8_t> visited_;  // vertices known to be inside
  std::vector<uint32_t> open_;
  std::vector<Passage> passages_;
};

// The passage goes through the planes of the two faces at the edge.
bool passes_faces_of(const Passage& passage, const Triangles& of, const Edge& edge) {
  if (edge.sides[1] == kNone) return false;
  const auto same_plane = [&](uint32_t s, uint32_t t) {
    const Vec3 n = of.normal(s);
    const double far = std::abs(n.dot(of.corners(t)[0] - of.corners(s)[0]));
    return n.dot(of.normal(t)) > 1 - kSamePlane && far < kSamePlane * of.reach();
  };
  const auto& [s, t] = edge.sides;
  if (same_plane(s, t)) return false;  // no edge at all
  return (same_plane(s, passage.in) && same_plane(t, passage.out)) ||
         (same_plane(t, passage.in) && same_plane(s, passage.out));
}

// (2)
double measure_wedges(const Triangles& a, const std::vector<Passage>& of_a, const Triangles& b,
                      const std::vector<Passage>& of_b, const Frame& X_AB) {
  double depth = 0;
  for (const Passage& x : of_a)
    for (const Passage& y : of_b) {
      const Edge &e = a.edges()[x.edge], &f = b.edges()[y.edge];
      if (!passes_faces_of(x, b, f) || !passes_faces_of(y, a, e)) continue;
      const Vec3 p = a.points()[e.ends[0]], q = X_AB * b.points()[f.ends[0]];
      const Vec3 n = (a.points()[e.ends[1]] - p).cross(X_AB * b.points()[f.ends[1]] - q);
      if (const double length = n.norm(); length > 0)
        depth = std::max(depth, std::abs(n.dot(q - p)) / length);
    }
  return depth;
}

bool any_shell_inside(const Triangles& a, const Frame& X_BA, const Triangles& b) {
  const auto& shells = a.shell_vertices();
  return b.closed() && std::any_of(shells.begin(), shells.end(),
                                   [&](uint32_t v) { return b.contains(X_BA * a.points()[v]); });
}

}  // namespace

double measure_triangles(const Triangles& a, const Triangles& b, const Frame& X_AB) {
  const Frame X_BA = X_AB.inverse();
  const Crossings found = find_crossings(a, b, X_AB, X_BA);
  if (!found.any() && !any_shell_inside(a, X_BA, b) && !any_shell_inside(b, X_AB, a)) return 0;
  Intrusion of_a(a, X_BA, b, found.of_a), of_b(b, X_AB, a, found.of_b);
  const double depth = std::max(of_a.measure(), of_b.measure());
  return std::max(depth, measure_wedges(a, of_a.passages(), b, of_b.passages(), X_AB));
}

bool triangles_overlap(const Triangles& a, const Triangles& b, const Frame& X_AB) {
  const Frame X_BA = X_AB.inverse();
  return find_crossings(a, b, X_AB, X_BA).any() || any_shell_inside(a, X_BA, b) ||
         any_shell_inside(b, X_AB, a);
}

}  // namespace tumble::collision::overlap
