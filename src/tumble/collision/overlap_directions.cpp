// Let D be the Minkowski difference of two convex sets and h(n) its support function, the largest n.p over
// the points p = a - b of D. h(n) is how far b must move along n to leave a. So
//   depth = min h(n) over unit vectors n,   and any n with h(n) <= 0 shows that they are apart.           (1)
// h is the largest of linear functions. Each point q of D bounds it from below, h(n) >= n.q for all n. On a
// spherical triangle with corners c_i, n = sum m_i c_i / |sum m_i c_i| with m_i >= 0, sum m_i = 1, and so
//   h(n) >= min c_i.q                    if that is not negative,                                         (2)
//   h(n) >= min c_i.q / d  otherwise,    d <= distance of the flat triangle from the origin.
// The search subdivides triangles of directions, the one with the lowest bound first, until the bound has
// reached the best value found. q is the point of the triangle of the three points p(c_i) nearest to the ray
// through the middle. Then the error of (2) is of second order in the size of the triangle, at a face of D
// and where D is smooth. Unlike a walk on D, this needs no surface of D and cannot end in a local minimum.
#include "tumble/collision/detail/overlap_directions.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include "tumble/collision/overlap_checker.h"
#include "tumble/collision/overlap_parameters.h"

namespace tumble::collision::checker {

namespace {

struct Sample {
  Vec3 n;  // unit
  Vec3 p;  // support point of D along n
};

struct Cell {
  std::array<Sample, 3> corners;
  double lower;  // bound (2)
  int number;    // breaks ties by age, so that the search is deterministic
};
struct LaterCell {
  bool operator()(const Cell& x, const Cell& y) const {
    return x.lower != y.lower ? x.lower > y.lower : x.number > y.number;
  }
};

double lower_bound_of(const std::array<Sample, 3>& c) {
  const Vec3 middle = (c[0].n + c[1].n + c[2].n).normalized();
  const auto across = [&middle](const Vec3& p) { return Vec3(p - p.dot(middle) * middle); };
  const Vec3 weights = nearest_weights(Vec3::Zero(), across(c[0].p), across(c[1].p), across(c[2].p));
  const Vec3 q = weights[0] * c[0].p + weights[1] * c[1].p + weights[2] * c[2].p;
  const double least = std::min({c[0].n.dot(q), c[1].n.dot(q), c[2].n.dot(q)});
  if (least >= 0) return least;
  return least / std::min({c[0].n.dot(middle), c[1].n.dot(middle), c[2].n.dot(middle)});
}

class Search {
 public:
  Search(const Convex& a, const Convex& b, const Frame& X_AB)
      : a_(a), b_(b), X_AB_(X_AB), margin_(a.margin + b.margin) {}

  LeastTranslation run() {
    const double tolerance = kOverlap.direction_tolerance * (a_.reach + b_.reach);
    try_axes();
    if (best_ > 0) start();
    int divisions = 0;
    while (best_ > 0 && best_ - lower() > tolerance && ++divisions < kOverlap.max_subdivisions) divide();
    if (best_ <= 0) return {};
    return {best_, std::max(0.0, best_ - lower())};
  }

 private:
  double lower() const { return open_.empty() ? best_ : open_.top().lower + margin_; }

  Sample sample(const Vec3& n) {
    Sample s{n, a_.support(n) - X_AB_ * b_.support(-(X_AB_.R.transpose() * n))};
    best_ = std::min(best_, n.dot(s.p) + margin_);
    return s;
  }
  void try_line(const Vec3& direction) {
    const double length = direction.norm();
    if (!(length > 0)) return;
    sample(direction / length);
    sample(-direction / length);
  }

  // Likely directions: between the centres, along axes, along cross products of axes.
  void try_axes() {
    try_line(X_AB_.p);
    for (int i = 0; i < 3 && best_ > 0; ++i) {
      try_line(Vec3::Unit(i));
      try_line(X_AB_.R.col(i));
      for (int j = 0; j < 3; ++j) try_line(Vec3::Unit(i).cross(Vec3(X_AB_.R.col(j))));
    }
  }

  void start() {
    std::array<Sample, 6> ends;
    for (int i = 0; i < 3; ++i) {
      ends[static_cast<size_t>(i)] = sample(Vec3::Unit(i));
      ends[static_cast<size_t>(i) + 3] = sample(-Vec3::Unit(i));
    }
    for (size_t octant = 0; octant < 8; ++octant)
      add({ends[octant & 1 ? 3 : 0], ends[octant & 2 ? 4 : 1], ends[octant & 4 ? 5 : 2]});
  }

  void add(const std::array<Sample, 3>& corners) {
    // The plane through the three points: if it is a face of D, its normal may be the minimum.
    const Vec3 normal = (corners[1].p - corners[0].p).cross(corners[2].p - corners[0].p);
    if (const double length = normal.norm(); length > 0)
      sample(normal.dot(corners[0].n) < 0 ? Vec3(-normal / length) : Vec3(normal / length));
    const double lower = lower_bound_of(corners);
    if (lower + margin_ < best_) open_.push({corners, lower, number_++});
  }

  void divide() {
    const Cell cell = open_.top();
    open_.pop();
    const auto& [a, b, c] = cell.corners;
    const Sample ab = sample((a.n + b.n).normalized()), bc = sample((b.n + c.n).normalized()),
                 ca = sample((c.n + a.n).normalized());
    add({a, ab, ca});
    add({ab, b, bc});
    add({ca, bc, c});
    add({ab, bc, ca});
  }

  const Convex &a_, &b_;
  const Frame& X_AB_;
  double margin_;
  double best_ = std::numeric_limits<double>::infinity();
  int number_ = 0;
  std::priority_queue<Cell, std::vector<Cell>, LaterCell> open_;
};

}  // namespace

LeastTranslation find_least_translation(const Convex& a, const Convex& b, const Frame& X_AB) {
  return Search(a, b, X_AB).run();
}

}  // namespace tumble::collision::checker
