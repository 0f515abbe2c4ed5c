// Triangle meshes. With A and B closed,
//   depth = largest distance from the other's surface of points on edges of either mesh inside the other. (1)
// If an edge of A passes through the two faces at an edge of B, and that edge through the two faces at the
// first, two wedges cross. They separate only along the common perpendicular:
//   depth >= distance of the two edges.                                                                   (2)
// Against a sheet, which has no inside,
//   depth = largest, over the edges that pass through it, of the smaller distance of their ends from it.  (3)
// Edges that meet no triangle of the other mesh are inside or outside as a whole, together with everything
// connected to them. Rays decide what is inside, in the frame of the entered body and with its coordinates:
// exactly for the tested points. Every depth has a witness point that is inside. Its error is at most the
// rounding of that point.
//
// Along an edge, (1) is searched with an upper bound. The distance from any one triangle g is a convex
// function, so
//   dist(x) <= max(dist(x0, g), dist(x1, g))  for x between x0 and x1,  g nearest to x0 or to x1.         (4)
// Points nearer to an outside point than its distance from the surface are outside. Along a plane the search
// ends at once. Along a curved surface of many triangles, where the true depth hardly changes, a bounded
// number of samples leaves an error of second order.
#include "tumble/collision/detail/overlap_mesh.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "tumble/collision/overlap_checker.h"
#include "tumble/collision/overlap_parameters.h"

namespace tumble::collision::checker {

double find_deepest(const Triangles& b, const Vec3& from, const Vec3& to, double known) {
  const double length = (to - from).norm(), tolerance = kOverlap.line_tolerance * (b.reach() + length);
  struct Sample {
    double at;  // m, along the segment
    Vec3 x;
    Triangles::Nearest nearest;
    bool inside;
    double begin() const {
      return inside ? at : at + nearest.distance;
    }  // start of the part that may be inside
    double end() const { return inside ? at : at - nearest.distance; }
  };
  const auto sample = [&](double at) {
    const Vec3 x = length > 0 ? Vec3(from + (at / length) * (to - from)) : from;
    const Sample found{at, x, b.nearest(x), b.contains(x)};
    if (found.inside) known = std::max(known, found.nearest.distance);
    return found;
  };
  struct Part {
    double upper;  // (4)
    Sample first, last;
    bool operator<(const Part& other) const {
      return upper != other.upper ? upper < other.upper : first.at > other.first.at;
    }
  };
  std::priority_queue<Part> open;
  const auto add = [&](const Sample& x0, const Sample& x1) {
    if (!(x1.end() - x0.begin() > tolerance)) return;
    const double upper = std::min(std::max(x0.nearest.distance, b.distance_to(x0.nearest.triangle, x1.x)),
                                  std::max(b.distance_to(x1.nearest.triangle, x0.x), x1.nearest.distance));
    if (upper > known + tolerance) open.push({upper, x0, x1});
  };
  const Sample first = sample(0);
  if (!(length > 0)) return known;
  add(first, sample(length));
  for (int samples = 0; !open.empty() && samples < kOverlap.max_samples; ++samples) {
    const Part part = open.top();
    open.pop();
    if (part.upper <= known + tolerance) break;
    const Sample middle = sample(0.5 * part.first.begin() + 0.5 * part.last.end());
    add(part.first, middle);
    add(middle, part.last);
  }
  return known;
}

namespace {

using EdgeTriangle = std::pair<uint32_t, uint32_t>;

struct Crossings {
  std::vector<EdgeTriangle> of_a, of_b;  // edges of a and triangles of b; edges of b and triangles of a
  bool any() const { return !of_a.empty() || !of_b.empty(); }
};

void add_crossings(const Triangles& a, uint32_t of_a, const Frame& X_BA, const Triangles& b, uint32_t of_b,
                   std::vector<EdgeTriangle>& found) {
  const geometry::TriangleCorners corners = b.corners(of_b);
  for (const uint32_t e : a.edges_of(of_a)) {
    if (e == kNone) continue;
    const Edge& edge = a.edges()[e];
    if (geometry::segment_touches(X_BA * a.points()[edge.ends[0]], X_BA * a.points()[edge.ends[1]], corners))
      found.emplace_back(e, of_b);
  }
}

void sort_unique(std::vector<EdgeTriangle>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Calls visit(x, y) for triangles x of a, transformed by X_BA, and y of b whose boxes overlap.
template <typename Visit>
void for_each_near_pair(const Triangles& a, const Triangles& b, const Frame& X_BA, double slack,
                        Visit&& visit) {
  const auto &nodes_a = a.tree().nodes(), &nodes_b = b.tree().nodes();
  const auto size = [](const geometry::Bounds& box) { return (box.upper - box.lower).sum(); };
  std::vector<std::pair<uint32_t, uint32_t>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    const geometry::Bvh::Node &x = nodes_a[i], &y = nodes_b[j];
    if (!geometry::overlap(grown(moved(x.box, X_BA), slack), y.box)) continue;
    if (x.is_leaf() && y.is_leaf()) {
      for (uint32_t k = x.first; k < x.first + x.count; ++k) {
        geometry::TriangleCorners corners = a.corners(a.tree().items()[k]);
        for (Vec3& corner : corners) corner = X_BA * corner;
        const geometry::Bounds box = grown(box_of(corners), slack);
        for (uint32_t l = y.first; l < y.first + y.count; ++l)
          if (geometry::overlap(box, box_of(b.corners(b.tree().items()[l]))))
            visit(a.tree().items()[k], b.tree().items()[l]);
      }
    } else if (y.is_leaf() || (!x.is_leaf() && size(x.box) > size(y.box))) {
      open.insert(open.end(), {{x.first, j}, {x.first + 1, j}});
    } else {
      open.insert(open.end(), {{i, y.first}, {i, y.first + 1}});
    }
  }
}

// Finds every edge of one mesh that meets a triangle of the other.
Crossings find_crossings(const Triangles& a, const Triangles& b, const Frame& X_AB, const Frame& X_BA) {
  const double slack = kOverlap.resolution * (a.reach() + b.reach() + X_AB.p.norm());
  Crossings found;
  for_each_near_pair(a, b, X_BA, slack, [&](uint32_t x, uint32_t y) {
    add_crossings(a, x, X_BA, b, y, found.of_a);
    add_crossings(b, y, X_AB, a, x, found.of_b);
  });
  sort_unique(found.of_a);
  sort_unique(found.of_b);
  return found;
}

// A part of an edge inside the other body, and the triangles where it enters and leaves.
struct Passage {
  uint32_t edge, in, out;
};

// The edges of `a` inside the body `b`, in the frame of b.
class Intrusion {
 public:
  Intrusion(const Triangles& a, const Frame& X_BA, const Triangles& b,
            const std::vector<EdgeTriangle>& crossings)
      : a_(a), X_BA_(X_BA), b_(b), crossings_(crossings) {}

  double measure() {
    if (!b_.closed()) return measure_through();
    visited_.assign(a_.points().size(), 0);
    std::vector<uint8_t> shell_meets(a_.shell_vertices().size(), 0);
    for (size_t i = 0, end = 0; i < crossings_.size(); i = end) {
      while (end < crossings_.size() && crossings_[end].first == crossings_[i].first) ++end;
      shell_meets[a_.shell_of(a_.edges()[crossings_[i].first].ends[0])] = 1;
      add_edge(i, end);
    }
    for (size_t s = 0; s < shell_meets.size(); ++s)
      if (!shell_meets[s] && b_.contains(at(a_.shell_vertices()[s]))) enter(a_.shell_vertices()[s]);
    follow_edges();
    return depth_;
  }
  const std::vector<Passage>& passages() const { return passages_; }

 private:
  Vec3 at(uint32_t vertex) const { return X_BA_ * a_.points()[vertex]; }
  bool meets(uint32_t edge) const {
    const auto first = std::lower_bound(crossings_.begin(), crossings_.end(), EdgeTriangle(edge, 0));
    return first != crossings_.end() && first->first == edge;
  }
  void enter(uint32_t vertex) {
    if (visited_[vertex]) return;
    visited_[vertex] = 1;
    open_.push_back(vertex);
  }

  // Handles an edge that meets the triangles crossings_[begin] .. crossings_[end - 1].
  void add_edge(size_t begin, size_t end) {
    const uint32_t e = crossings_[begin].first;
    const Edge& edge = a_.edges()[e];
    const Vec3 p = at(edge.ends[0]), q = at(edge.ends[1]);
    depth_ = find_deepest(b_, p, q, depth_);
    for (const uint32_t v : edge.ends)
      if (!visited_[v] && b_.contains(at(v))) enter(v);
    std::vector<std::pair<double, uint32_t>> cuts;
    for (size_t i = begin; i < end; ++i) {
      const uint32_t t = crossings_[i].second;
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

  // Follows all edges that meet no triangle from the vertices inside: they are inside, too.
  void follow_edges() {
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
    for (size_t i = 0; i < crossings_.size(); ++i) {
      if (i > 0 && crossings_[i].first == crossings_[i - 1].first) continue;
      const Edge& edge = a_.edges()[crossings_[i].first];
      const double first = b_.nearest(at(edge.ends[0])).distance;
      if (first <= depth_) continue;
      depth_ = std::max(depth_, std::min(first, b_.nearest(at(edge.ends[1])).distance));
    }
    return depth_;
  }

  const Triangles& a_;
  const Frame& X_BA_;
  const Triangles& b_;
  const std::vector<EdgeTriangle>& crossings_;
  double depth_ = 0;
  std::vector<uint8_t> visited_;  // vertices known to be inside
  std::vector<uint32_t> open_;
  std::vector<Passage> passages_;
};

// Does the passage go through the planes of the two faces at the edge?
bool passes_faces_of(const Passage& passage, const Triangles& of, const Edge& edge) {
  if (edge.sides[1] == kNone) return false;
  const auto same_plane = [&](uint32_t s, uint32_t t) {
    const Vec3 n = of.normal(s);
    const double far = std::abs(n.dot(of.corners(t)[0] - of.corners(s)[0]));
    return n.dot(of.normal(t)) > 1 - kOverlap.same_plane && far < kOverlap.same_plane * of.reach();
  };
  const auto& [s, t] = edge.sides;
  if (same_plane(s, t)) return false;  // not an edge of the surface
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

}  // namespace tumble::collision::checker
