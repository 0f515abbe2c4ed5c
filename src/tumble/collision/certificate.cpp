#include "tumble/collision/certificate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tumble/collision/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Mat3;
using math::Quat;
using math::Vec3;

namespace {

constexpr int kMostEvaluations = 64;
constexpr int kHalvings = 40;  // of the step: at any speed, times shorter than that lead nowhere
// Nearer than this part above what is kept is too near: the search for the time of approach ends.
constexpr double kTooNear = 1e-3;
// Vertices are as far as the farthest one within this part of the size.
constexpr double kLevel = 1e-6;
// Edges that cross at less than this (sine) have no plane between them worth its digits.
constexpr double kCrossingEdges = 0.01;
// A cylinder is touched on its side where the normal is across its axis but for this (cosine).
constexpr double kOnSide = 1e-6;
// A capsule whose axis turns by less than this part of its spin rolls.
constexpr double kRolling = 0.01;

// One of the two sets at a time of the step: points or a smooth solid, and how its body moves.
struct Mover {
  ConvexSet set;         // where it stands now
  double radius;         // of material around it
  Vec3 center, v, spin;  // of the body, now
  double deviation;
  bool is_plane = false;
  // A solid of revolution whose axis passes the centre of mass is not moved by turning about its axis. While it is taken to turn by w,
  // the spin without that part p along the axis, it leaves its true place by no more than wobble t^2: the axes' difference d
  // obeys d' = spin x d + p axis x axis', so |d| <= |p| |w| t^2/2.
  bool round = false;
  Vec3 w = Vec3::Zero();
  double wobble = 0;

  void update_turning() {
    w = spin, wobble = 0;
    if (!round) return;
    const Vec3 axis = set.R.col(1);
    const double along = axis.dot(spin);
    const Vec3 across = spin - along * axis;
    // Two points know nothing of bending, so a long way round costs them less than the wobble.
    if (set.kind == ConvexSet::Kind::points && across.norm() > kRolling * std::abs(along)) return;
    w = across;
    const double reach = set.kind == ConvexSet::Kind::points
                             ? set.points[1].norm()
                             : math::sqrt(math::square(set.radius) + math::square(set.half_length));
    wobble = 0.5 * std::abs(along) * across.norm() * ((set.p - center).norm() + reach);
  }

  Mover at(double t) const {
    Mover later = *this;
    later.center = center + t * v;
    if (!spin.isZero(0)) {
      const Mat3 turn = Quat::from_rotation_vector(t * spin).to_matrix();
      later.set.R = turn * set.R;
      later.set.p = later.center + turn * (set.p - center);
      later.update_turning();
    } else {
      later.set.p = set.p + t * v;
    }
    return later;
  }
};

// Derivatives of a point fixed in a body: velocity and the next three, without the body's own velocity.
struct Swing {
  Vec3 d1, d2, d3;
  double arm;
  Swing(const Vec3& w, const Vec3& r) : d1(w.cross(r)), d2(w.cross(d1)), d3(w.cross(d2)), arm(r.norm()) {}
};

// A normal that turns with time: n(t) and three derivatives now, |n^(k)| <= scale rate^k, and |n(t)| <= 1 + s1 t + s2 t^2/2 + s3 t^3/6 + s4 t^4/24.
struct TurningNormal {
  Vec3 n0, n1, n2, n3;
  double rate, scale = 1, s1 = 0, s2 = 0, s3 = 0, s4 = 0;

  // Fixed in a body that turns by w.
  static TurningNormal carried(const Vec3& n, const Vec3& w) {
    const Vec3 n1 = w.cross(n), n2 = w.cross(n1);
    return {n, n1, n2, w.cross(n2), w.norm()};
  }
  // Across two directions, each fixed in a body, and unit now: the normal of two edges that turn against each other.
  static TurningNormal across(const Vec3& a, const Vec3& wa, const Vec3& b, const Vec3& wb) {
    const Swing x(wa, a), y(wb, b);
    const Vec3 n0 = a.cross(b), n1 = x.d1.cross(b) + a.cross(y.d1),
               n2 = x.d2.cross(b) + 2 * x.d1.cross(y.d1) + a.cross(y.d2),
               n3 = x.d3.cross(b) + 3 * x.d2.cross(y.d1) + 3 * x.d1.cross(y.d2) + a.cross(y.d3);
    const double scale = 1 / n0.norm(), va = wa.norm(), vb = wb.norm(), size = scale * x.arm * y.arm;
    // With q = n0 + n1 t + n2 t^2/2, |q| <= (1 + |q|^2)/2; what is left of n(t) is its third derivative, where those of a direction are no
    // more than |w x a| |w|^(k - 1): what spins about its own axis hardly turns it.
    const double ta = x.d1.norm(), tb = y.d1.norm(),
                 third = scale *
                         (ta * va * va * y.arm + 3 * ta * va * tb + 3 * ta * tb * vb + x.arm * tb * vb * vb),
                 scale2 = scale * scale;
    return {scale * n0,
            scale * n1,
            scale * n2,
            scale * n3,
            va + vb,
            size,
            scale2 * n0.dot(n1),
            scale2 * (n1.squaredNorm() + n0.dot(n2)),
            3 * scale2 * n1.dot(n2) + third,
            3 * scale2 * n2.squaredNorm()};
  }
  TurningNormal operator-() const { return {-n0, -n1, -n2, -n3, rate, scale, s1, s2, s3, s4}; }
};

// How long one set stays above a plane through a point of the other.
class CarriedPlane {
 public:
  CarriedPlane(const Mover& carrier, const Mover& other, const Vec3& n, const Vec3& through)
      : CarriedPlane(carrier, other, TurningNormal::carried(n, carrier.w), through) {}
  CarriedPlane(const Mover& carrier, const Mover& other, const TurningNormal& n, const Vec3& through)
      : other_(other),
        through_(through),
        swing_(carrier.w, through - carrier.center),
        v_(other.v - carrier.v),
        wc_(carrier.w.norm()),
        wo_(other.w.norm()),
        wobble_(carrier.wobble + other.wobble),
        n_(n) {}

  // The largest time up to `T` for which every point stays above `level`, which it does now.
  double time_above(double level, double T) const {
    if (other_.set.kind == ConvexSet::Kind::points) {
      for (int i = 0; i < other_.set.count && T > 0; ++i)
        T = time_of_point(other_.set.R * other_.set.points[i] + other_.set.p, level, T);
      return T;
    }
    return time_of_solid(level, T);
  }
  // The same without two points that are known to stay.
  double time_above_but(int first, int second, double level, double T) const {
    for (int i = 0; i < other_.set.count && T > 0; ++i)
      if (i != first && i != second)
        T = time_of_point(other_.set.R * other_.set.points[i] + other_.set.p, level, T);
    return T;
  }
  // Does a point of the other stay above `level` up to T?
  bool keeps_above(const Vec3& point, double level, double T) const {
    return above(expand(point, T), level, T);
  }

 private:
  struct Series {
    double f0, f1, f2, f3, M;
  };
  using Bernstein = std::array<double, 5>;
  Series expand(const Vec3& point, double T) const {
    const Swing s(other_.w, point - other_.center);
    const Vec3 D0 = point - through_, D1 = v_ + s.d1 - swing_.d1, D2 = s.d2 - swing_.d2,
               D3 = s.d3 - swing_.d3;
    Series f;
    f.f0 = n_.n0.dot(D0);
    f.f1 = n_.n1.dot(D0) + n_.n0.dot(D1);
    f.f2 = n_.n2.dot(D0) + 2 * n_.n1.dot(D1) + n_.n0.dot(D2) - 2 * wobble_;
    f.f3 = n_.n3.dot(D0) + 3 * n_.n2.dot(D1) + 3 * n_.n1.dot(D2) + n_.n0.dot(D3);
    const double wc2 = wc_ * wc_, wo2 = wo_ * wo_, r = n_.rate, r2 = r * r;
    const double m1 = v_.norm() + wo_ * s.arm + wc_ * swing_.arm, m0 = D0.norm() + T * m1,
                 m2 = wo2 * s.arm + wc2 * swing_.arm, m3 = wo2 * wo_ * s.arm + wc2 * wc_ * swing_.arm,
                 m4 = wo2 * wo2 * s.arm + wc2 * wc2 * swing_.arm;
    f.M = n_.scale * (r2 * r2 * m0 + 4 * r2 * r * m1 + 6 * r2 * m2 + 4 * r * m3 + m4);
    return f;
  }
  // Is the least Bernstein coefficient of (1) over [0, T] above the level?
  bool above(const Series& f, double level, double T) const {
    const Bernstein c = coefficients(f, level, T);
    return c[0] >= 0 && c[1] >= 0 && c[2] >= 0 && c[3] >= 0 && c[4] >= 0;
  }
  Bernstein coefficients(const Series& f, double level, double T) const {
    const double a0 = f.f0 - level, a1 = (f.f1 - n_.s1 * level) * T,
                 a2 = 0.5 * (f.f2 - n_.s2 * level) * T * T, a3 = (f.f3 - n_.s3 * level) * T * T * T / 6,
                 a4 = -(f.M + n_.s4 * level) * T * T * T * T / 24;
    return {a0, a0 + a1 / 4, a0 + a1 / 2 + a2 / 6, a0 + 3 * a1 / 4 + a2 / 2 + a3 / 4, a0 + a1 + a2 + a3 + a4};
  }
  template <typename Above>
  static double longest(double T, Above&& holds) {
    if (holds(T)) return T;
    double good = 0, bad = T;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (good + bad);
      (holds(middle) ? good : bad) = middle;
    }
    return good;
  }
  double time_of_point(const Vec3& point, double level, double T) const {
    const Series f = expand(point, T);
    return longest(T, [&](double t) { return above(f, level, t); });
  }
  // A cylinder or cone is above a plane across m by g(m), a concave function of the direction m, seen from the solid. Where
  // m(t) is a cubic curve with control points m_i, g(m(t)) >= sum B_i(t) g(m_i), a polynomial that joins that of the solid's
  // middle; what the direction is off the cubic is bounded by its fourth derivative.
  double time_of_solid(double level, double T) const {
    const Vec3& w = other_.w;
    const Vec3 &n0 = n_.n0, &n1 = n_.n1, &n2 = n_.n2, w0 = w.cross(n0), w1 = w.cross(n1), ww0 = w.cross(w0);
    const Vec3 m1 = n1 - w0, m2 = n2 - 2 * w1 + ww0,
               m3 = n_.n3 - 3 * w.cross(n2) + 3 * w.cross(w1) - w.cross(ww0);
    const double rate = n_.rate + wo_, fastest = n_.scale * rate * rate * rate * rate;
    ConvexSet solid = other_.set;
    const Vec3 middle = solid.p;
    solid.p = Vec3::Zero();
    const double size = math::sqrt(math::square(solid.radius) + math::square(solid.half_length));
    const Series f = expand(middle, T);
    return longest(T, [&](double t) {
      const auto height = [&](const Vec3& m) { return -solid.reach(-m); };
      const double g0 = height(n_.n0), g1 = height(n_.n0 + t / 3 * m1),
                   g2 = height(n_.n0 + 2 * t / 3 * m1 + t * t / 6 * m2),
                   g3 = height(n_.n0 + t * m1 + t * t / 2 * m2 + t * t * t / 6 * m3);
      const Bernstein c = coefficients(f, level, t);
      return c[0] + g0 >= 0 && c[1] + 0.25 * g0 + 0.75 * g1 >= 0 && c[2] + 0.5 * (g1 + g2) >= 0 &&
             c[3] + 0.75 * g2 + 0.25 * g3 >= 0 && c[4] + g3 - fastest * t * t * t * t / 24 * size >= 0;
    });
  }

  const Mover& other_;
  Vec3 through_;
  Swing swing_;
  Vec3 v_;
  double wc_, wo_, wobble_;
  TurningNormal n_;
};

// The two points of a set that reach farthest in direction d.
struct FarthestPair {
  int first = 0, second = 1;
  FarthestPair(const ConvexSet& set, const Vec3& d) {
    const Vec3 local = set.R.transpose() * d;
    double most = -std::numeric_limits<double>::infinity(), next = most;
    for (int i = 0; i < set.count; ++i) {
      const double reach = set.points[i].dot(local);
      if (reach > most)
        next = most, second = first, most = reach, first = i;
      else if (reach > next)
        next = reach, second = i;
    }
  }
};

// Where two sets are nearest, an edge of one that crosses the other: of points the two that reach farthest, of a solid its axis where it is touched
// on its side, else the tangent of its rim.
struct NearEdge {
  int first = -1, second = -1;  // of points
  Vec3 point, direction;        // zero: there is none
  NearEdge(const ConvexSet& set, const Vec3& d) : point(set.support(d)), direction(Vec3::Zero()) {
    if (set.kind != ConvexSet::Kind::points) {
      const Vec3 axis = set.R.col(1);
      const bool side = set.kind == ConvexSet::Kind::cylinder && std::abs(axis.dot(d)) < kOnSide;
      if (const Vec3 rim = axis.cross(d); side || rim.norm() > kOnSide)
        direction = side ? axis : Vec3(rim.normalized());
    } else if (set.count > 1) {
      const FarthestPair far(set, d);
      first = far.first, second = far.second;
      const auto at = [&](int i) { return Vec3(set.R * set.points[i] + set.p); };
      point = at(first);
      direction = (at(second) - point).normalized();
    }
  }
};

// Two edges that cross and turn against each other: the plane between them turns with both, and other points of the two are well
// away from it. `spare` is what they are farther apart than the level.
double time_between_edges(Mover a, Mover b, const Vec3& normal, double level, double spare, double rounding,
                          double T) {
  const NearEdge on_a(a.set, -normal), on_b(b.set, normal);
  if (on_a.direction.isZero(0) || on_b.direction.isZero(0)) return 0;
  // As they turn in truth: what is round rolls about an axis that hardly does.
  a.w = a.spin, b.w = b.spin, a.wobble = b.wobble = 0;
  Vec3 u = on_a.direction;
  const double sine = u.cross(on_b.direction).dot(normal);
  if (!(std::abs(sine) > kCrossingEdges)) return 0;
  if (sine < 0) u = -u;
  const TurningNormal n = TurningNormal::across(u, a.w, on_b.direction, b.w);
  // Of a's edge all points are as high as its first; b's edge lies in the plane. Both but for rounding, which a small angle between the two
  // magnifies. What is round shares what there is to spare.
  const double magnified = rounding * n.scale;
  const bool points = b.set.kind == ConvexSet::Kind::points;
  const double share = points ? 0 : 0.5 * spare;
  const CarriedPlane over_b(b, a, n, on_b.point), under_a(b, b, -n, on_b.point);
  if (a.set.kind == ConvexSet::Kind::points)
    T = over_b.time_above_but(on_a.second, on_a.second, level + share + magnified, T);
  else
    T = over_b.time_above(level + share + magnified, T);
  return points ? under_a.time_above_but(on_b.first, on_b.second, magnified, T)
                : under_a.time_above(magnified - share, T);
}

Separation distance_of(const Mover& a, const Mover& b, const Vec3& guess) {
  if (b.is_plane) {
    Separation s;
    s.normal = b.set.R * Vec3::UnitY();
    s.on_a = a.set.support(-s.normal);
    s.distance = s.lower_bound = s.normal.dot(s.on_a - b.set.p);
    s.on_b = s.on_a - s.distance * s.normal;
    return s;
  }
  if (a.set.kind == ConvexSet::Kind::points && b.set.kind == ConvexSet::Kind::points && a.set.count <= 3 &&
      b.set.count <= 3) {
    Vec3 x[3], y[3];
    for (int i = 0; i < a.set.count; ++i) x[i] = a.set.R * a.set.points[i] + a.set.p;
    for (int i = 0; i < b.set.count; ++i) y[i] = b.set.R * b.set.points[i] + b.set.p;
    Separation s = compute_primitive_distance(x, a.set.count, y, b.set.count);
    // Certain: how far the corners are apart along the normal.
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int i = 0; i < a.set.count; ++i) low = std::min(low, s.normal.dot(x[i]));
    for (int i = 0; i < b.set.count; ++i) high = std::max(high, s.normal.dot(y[i]));
    s.lower_bound = std::max(0.0, std::min(s.distance, low - high));
    return s;
  }
  return compute_convex_distance(a.set, b.set, guess);
}

// Two convex sets from `from` on. `a` and `b` stand where they are at time 0.
Verdict certify_sets(const Mover& a, const Mover& b, double from, double h, double kept, double rounding,
                     Vec3 guess) {
  Verdict verdict;
  const double radii = a.radius + b.radius, deduct = a.deviation + b.deviation + rounding;
  double t = from;
  for (;;) {
    const Mover x = a.at(t), y = b.at(t);
    const Separation s = distance_of(x, y, guess);
    guess = s.normal;
    ++verdict.evaluations;
    const double gap = s.lower_bound - radii - deduct;
    verdict.time = t;
    verdict.approach = {0.5 * (s.on_a - x.radius * s.normal + s.on_b + y.radius * s.normal),
                        s.normal,
                        s.distance - radii,
                        {}};
    if (!(gap > kept * (1 + kTooNear)) || verdict.evaluations >= kMostEvaluations) {
      verdict.safe = false;
      return verdict;
    }
    // The plane may pass anywhere between: through the nearest point of the carrier, less what the bound lacks.
    const double level = kept + radii + deduct + (s.distance - s.lower_bound);
    double longest = CarriedPlane(y, x, s.normal, s.on_b).time_above(level, h - t);
    if (longest < h - t && !b.is_plane)
      longest = std::max(longest, CarriedPlane(x, y, -s.normal, s.on_a).time_above(level, h - t));
    if (longest < h - t && !b.is_plane)
      longest = std::max(longest, time_between_edges(x, y, s.normal, level, gap - kept, rounding, h - t));
    if (t + longest >= h) break;
    if (!(longest > 0)) {
      verdict.safe = false;
      return verdict;
    }
    t += longest;
  }
  verdict.time = h;
  return verdict;
}

// A collider with the origin of the world at `origin`.
Mover mover_of(const Placed& placed, const Motion& motion, const Vec3& origin) {
  const Collider& c = *placed.collider;
  Mover m{{}, 0, motion.center - origin, motion.velocity, motion.angular_velocity, motion.deviation};
  m.set.R = placed.R, m.set.p = placed.p - origin;
  if (c.kind() == Collider::Kind::plane) {
    // its normal along Y
    const Vec3 n = placed.R * c.normal();
    int axis = 0;
    n.cwiseAbs().minCoeff(&axis);
    const Vec3 x = n.cross(Vec3::Unit(axis)).normalized();
    m.set.R.col(0) = x, m.set.R.col(1) = n, m.set.R.col(2) = x.cross(n);
    m.is_plane = true;
  } else if (c.kind() == Collider::Kind::polyhedron) {
    m.set.points = c.polyhedron().vertices().data();
    m.set.count = static_cast<int>(c.polyhedron().vertices().size());
    m.radius = c.polyhedron().radius();
  } else {
    m.set.kind = c.kind() == Collider::Kind::cylinder ? ConvexSet::Kind::cylinder : ConvexSet::Kind::cone;
    m.set.radius = c.radius(), m.set.half_length = c.half_length();
  }
  const Vec3 arm = m.set.p - m.center;
  const bool ball = c.kind() == Collider::Kind::polyhedron && m.set.count == 1;
  const bool solid = c.kind() == Collider::Kind::cylinder || c.kind() == Collider::Kind::cone ||
                     (c.kind() == Collider::Kind::polyhedron && m.set.count == 2);
  m.round = solid && arm.cross(m.set.R.col(1)).isZero(0);
  if (ball && arm.isZero(0)) m.spin.setZero();  // a ball's turning moves nothing at all
  m.update_turning();
  return m;
}

// One shape as a tree of boxes: a polyhedron, or a single box round anything else.
struct Tree {
  const Polyhedron* shape;  // null: a single box
  geometry::Bounds box;
  bool is_leaf(uint32_t node) const { return !shape || shape->tree().nodes()[node].is_leaf(); }
  const geometry::Bounds& bounds(uint32_t node) const {
    return shape ? shape->tree().nodes()[node].box : box;
  }
  uint32_t first(uint32_t node) const { return shape->tree().nodes()[node].first; }
};

// At least one of the two is not convex: whole boxes by their speed or by a plane along one of them, what is left by its primitives.
class TreeCertificate {
 public:
  TreeCertificate(const Placed& a, const Motion& ma, const Placed& b, const Motion& mb, const Vec3& origin,
                  double h, double kept, double rounding)
      : whole_{mover_of(a, ma, origin), mover_of(b, mb, origin)}, kept_(kept), rounding_(rounding) {
    const Placed* placed[2] = {&a, &b};
    for (int s = 0; s < 2; ++s) {
      const Collider& c = *placed[s]->collider;
      trees_[s] = {c.kind() == Collider::Kind::polyhedron ? &c.polyhedron() : nullptr, c.bounds()};
      frames_[s] = {placed[s]->R, placed[s]->p - origin};
      spin_[s] = whole_[s].w.norm();
    }
    absolute_turn_ = (frames_[0].R.transpose() * frames_[1].R).cwiseAbs();
    level_ =
        kept + rounding + whole_[0].radius + whole_[1].radius + whole_[0].deviation + whole_[1].deviation;
    polyhedra_ = trees_[0].shape && trees_[1].shape;
    verdict_.time = h;
    if (polyhedra_) measure_bending(a.collider->reach(), b.collider->reach());
  }

  Verdict run(PairMemory& memory) {
    std::vector<geometry::Bvh::NodePair> open = {{0, 0}};
    while (!open.empty()) {
      const geometry::Bvh::NodePair pair = open.back();
      open.pop_back();
      const double reach = level_ + path_of_boxes(pair.a, pair.b);
      if (gap_of_boxes(pair.a, pair.b) > reach) continue;
      if (polyhedra_ && (keeps_above_box(0, pair.a, pair.b) || keeps_above_box(1, pair.b, pair.a))) continue;
      const bool leaf_a = trees_[0].is_leaf(pair.a), leaf_b = trees_[1].is_leaf(pair.b);
      if (leaf_a && leaf_b) {
        look_at_leaves(pair.a, pair.b, reach, memory);
      } else if (leaf_b || (!leaf_a && size(0, pair.a) > size(1, pair.b))) {
        open.push_back({trees_[0].first(pair.a) + 1, pair.b});
        open.push_back({trees_[0].first(pair.a), pair.b});
      } else {
        open.push_back({pair.a, trees_[1].first(pair.b) + 1});
        open.push_back({pair.a, trees_[1].first(pair.b)});
      }
    }
    return verdict_;
  }

 private:
  struct Frame {
    Mat3 R;
    Vec3 p;
  };
  // Primitives of a leaf in the world.
  struct Leaf {
    struct Piece {
      Vec3 corners[3], speeds[3], normal;  // speeds: as seen from the other body
      int count;
      double bulge;  // how far corners are off the plane
      Vec3 lower, upper;
    };
    uint32_t node = Polyhedron::kNone;
    Piece pieces[geometry::Bvh::kLeafItems];
  };
  // Seen from a carrier that turns by w, a point of the other with the arm r is accelerated by no more than
  // w_o^2 r + w^2 d + 2 w v, d its distance from the carrier's centre and v its speed seen so; that bends its path over the step by
  // half of it times h^2.
  void measure_bending(double reach_a, double reach_b) {
    const double h = verdict_.time, reach[2] = {reach_a, reach_b};
    for (int carrier = 0; carrier < 2; ++carrier) {
      const Mover &c = whole_[carrier], &o = whole_[1 - carrier];
      const double w = spin_[carrier], w_o = spin_[1 - carrier], v = (c.v - o.v).norm(),
                   arm = (o.set.p - o.center).norm() + reach[1 - carrier],
                   far = arm + (c.center - o.center).norm() + h * v;
      bend_[carrier] =
          0.5 * h * h *
          (w_o * w_o * arm + w * w * far + 2 * w * (v + w_o * arm + w * far) + 2 * (c.wobble + o.wobble));
    }
  }
  double size(int s, uint32_t node) const {
    return (trees_[s].bounds(node).upper - trees_[s].bounds(node).lower).sum();
  }
  bool is_plane(int s) const { return whole_[s].is_plane; }
  Vec3 center(int s, uint32_t node) const {
    const geometry::Bounds& box = trees_[s].bounds(node);
    return frames_[s].R * (0.5 * (box.lower + box.upper)) + frames_[s].p;
  }
  Vec3 half(int s, uint32_t node) const {
    return 0.5 * (trees_[s].bounds(node).upper - trees_[s].bounds(node).lower);
  }

  // How far points of the two boxes come towards each other at most, up to the first approach known so far: after it nothing is
  // of interest.
  double path_of_boxes(uint32_t node_a, uint32_t node_b) const {
    const uint32_t nodes[2] = {node_a, node_b};
    Vec3 speed[2];
    double turning = 0, bending = 0;
    for (int s = 0; s < 2; ++s) {
      speed[s] = whole_[s].v;
      if (is_plane(s)) continue;
      const Vec3 arm = center(s, nodes[s]) - whole_[s].center;
      const double w = spin_[s], reach = half(s, nodes[s]).norm();
      speed[s] += whole_[s].w.cross(arm);
      turning += w * reach;
      bending += w * w * (arm.norm() + reach) + 2 * whole_[s].wobble;
    }
    const double h = verdict_.time;
    return h * ((speed[0] - speed[1]).norm() + turning) + 0.5 * h * h * bending;
  }
  // At the start.
  double gap_of_boxes(uint32_t node_a, uint32_t node_b) const {
    if (is_plane(0) || is_plane(1)) {
      const int p = is_plane(0) ? 0 : 1, o = 1 - p;
      const uint32_t node = p == 0 ? node_b : node_a;
      const Vec3 n = whole_[p].set.R.col(1);
      return n.dot(center(o, node) - whole_[p].set.p) -
             (frames_[o].R.transpose() * n).cwiseAbs().dot(half(o, node));
    }
    const Vec3 d = frames_[0].R.transpose() * (center(1, node_b) - center(0, node_a));
    return (d.cwiseAbs() - half(0, node_a) - absolute_turn_ * half(1, node_b)).cwiseMax(0.0).norm();
  }

  // Does the box of the other's node stay above the plane of the largest side of the carrier's?
  bool keeps_above_box(int carrier, uint32_t carrier_node, uint32_t other_node) const {
    const int other = 1 - carrier;
    const Polyhedron::TurnedBox &own = trees_[carrier].shape->box(carrier_node),
                                &box = trees_[other].shape->box(other_node);
    int thin = 0;
    own.half.head<3>().minCoeff(&thin);
    Vec3 n = frames_[carrier].R * own.to_box.row(thin).transpose();
    const Vec3 middle = frames_[carrier].R * own.center.head<3>() + frames_[carrier].p,
               far = frames_[other].R * box.center.head<3>() + frames_[other].p;
    if (n.dot(far - middle) < 0) n = -n;
    const Vec3 through = middle + own.half[thin] * n;
    const Vec3 across = box.to_box.topRows<3>() * (frames_[other].R.transpose() * n);
    if (!(n.dot(far - through) - across.cwiseAbs().dot(box.half.head<3>()) > level_)) return false;
    const CarriedPlane plane(whole_[carrier], whole_[other], n, through);
    const Mat3 axes = frames_[other].R * box.to_box.topRows<3>().transpose();
    for (int k = 0; k < 8; ++k) {
      const Vec3 sides(k & 1 ? box.half[0] : -box.half[0], k & 2 ? box.half[1] : -box.half[1],
                       k & 4 ? box.half[2] : -box.half[2]);
      if (!plane.keeps_above(far + axes * sides, level_, verdict_.time)) return false;
    }
    return true;
  }

  Vec3 speed_at(int s, const Vec3& x) const { return whole_[s].v + whole_[s].w.cross(x - whole_[s].center); }
  // Leaves that follow each other in the search often have one side in common.
  void load_leaf(int s, uint32_t node) {
    Leaf& leaf = leaves_[s];
    if (leaf.node == node) return;
    leaf.node = node;
    const Polyhedron& shape = *trees_[s].shape;
    const geometry::Bvh::Node& n = shape.tree().nodes()[node];
    for (uint32_t i = 0; i < n.count; ++i) {
      const uint32_t primitive = shape.tree().items()[n.first + i];
      const Polyhedron::Primitive& p = shape.primitives()[primitive];
      Leaf::Piece& piece = leaf.pieces[i];
      piece.count = p.count;
      for (int k = 0; k < p.count; ++k) {
        const Vec3 x = frames_[s].R * shape.vertices()[p.corners[k]] + frames_[s].p;
        piece.corners[k] = x;
        piece.speeds[k] = speed_at(s, x) - speed_at(1 - s, x);
        piece.lower = k == 0 ? x : Vec3(piece.lower.cwiseMin(x)),
        piece.upper = k == 0 ? x : Vec3(piece.upper.cwiseMax(x));
      }
      piece.normal = shape.has_faces() ? Vec3(frames_[s].R * shape.normal(primitive)) : Vec3(Vec3::Zero());
      piece.bulge = 0;
      for (int k = 1; k < p.count; ++k)
        piece.bulge = std::max(piece.bulge, std::abs(piece.normal.dot(piece.corners[k] - piece.corners[0])));
    }
  }
  // Does the one stay on its side of the plane of the carrier's triangle?
  bool keeps_above_face(int carrier, const Leaf::Piece& face, const Leaf::Piece& other) const {
    if (face.count < 3) return false;
    // Heights at the start, and when they would go on as they begin.
    double low = std::numeric_limits<double>::infinity(), high = -low, then_low = low, then_high = high;
    for (int k = 0; k < other.count; ++k) {
      const double height = face.normal.dot(other.corners[k] - face.corners[0]),
                   then = height + verdict_.time * face.normal.dot(other.speeds[k]);
      low = std::min(low, height), high = std::max(high, height);
      then_low = std::min(then_low, then), then_high = std::max(then_high, then);
    }
    const double level = level_ + face.bulge;
    if (!(low > level || high < -level)) return false;
    if (std::min(low, then_low) > level + bend_[carrier] ||
        std::max(high, then_high) < -level - bend_[carrier])
      return true;
    const CarriedPlane plane(whole_[carrier], whole_[1 - carrier],
                             low > level ? face.normal : Vec3(-face.normal), face.corners[0]);
    for (int k = 0; k < other.count; ++k)
      if (!plane.keeps_above(other.corners[k], level, verdict_.time)) return false;
    return true;
  }

  // Does the one stay above a plane across the shortest line between the two, carried by b?
  bool keep_apart(const Leaf::Piece& x, const Leaf::Piece& y) {
    const Vec3 n = compute_primitive_distance(x.corners, x.count, y.corners, y.count).normal;
    verdict_.evaluations = std::max(verdict_.evaluations, 1);
    double base = -std::numeric_limits<double>::infinity(), least = -base;
    for (int k = 0; k < y.count; ++k) base = std::max(base, n.dot(y.corners[k]));
    for (int k = 0; k < x.count; ++k)
      least = std::min(least, n.dot(x.corners[k]) + std::min(0.0, verdict_.time * n.dot(x.speeds[k])));
    return least - base > level_ + bend_[1];
  }

  // The primitive of a leaf, or the whole convex shape.
  Mover part(int s, uint32_t item, Vec3* corners) const {
    Mover m = whole_[s];
    if (!trees_[s].shape) return m;
    const uint32_t primitive = trees_[s].shape->tree().items()[item];
    const Polyhedron::Primitive& p = trees_[s].shape->primitives()[primitive];
    for (int k = 0; k < p.count; ++k) corners[k] = trees_[s].shape->vertices()[p.corners[k]];
    m.set.points = corners, m.set.count = p.count;
    return m;
  }
  std::pair<uint32_t, uint32_t> items(int s, uint32_t node) const {
    if (!trees_[s].shape) return {0, 1};
    const geometry::Bvh::Node& n = trees_[s].shape->tree().nodes()[node];
    return {n.first, n.first + n.count};
  }
  void look_at_leaves(uint32_t node_a, uint32_t node_b, double reach, PairMemory& memory) {
    const auto [a_begin, a_end] = items(0, node_a);
    const auto [b_begin, b_end] = items(1, node_b);
    if (polyhedra_) load_leaf(0, node_a), load_leaf(1, node_b);
    for (uint32_t i = a_begin; i < a_end; ++i)
      for (uint32_t j = b_begin; j < b_end; ++j) {
        if (polyhedra_) {
          const Leaf::Piece &x = leaves_[0].pieces[i - a_begin], &y = leaves_[1].pieces[j - b_begin];
          if (((x.lower - y.upper).cwiseMax(y.lower - x.upper).array() > reach).any() ||
              keeps_above_face(1, y, x) || keeps_above_face(0, x, y) || keep_apart(x, y))
            continue;
        }
        look_at(i, j, memory);
      }
  }
  void look_at(uint32_t i, uint32_t j, PairMemory& memory) {
    Vec3 x[3], y[3];
    const Mover a = part(0, i, x), b = part(1, j, y);
    Verdict v;
    if (a.is_plane) {
      v = certify_sets(b, a, 0, verdict_.time, kept_, rounding_, Vec3::UnitY());
      v.approach.normal = -v.approach.normal;
    } else {
      v = certify_sets(a, b, 0, verdict_.time, kept_, rounding_, a.set.p - b.set.p + Vec3(0, 1e-300, 0));
    }
    const int most = std::max(verdict_.evaluations, v.evaluations);
    if (!v.safe && (verdict_.safe || v.time < verdict_.time)) {
      verdict_ = v;
      if (trees_[0].shape) memory.primitives[0] = trees_[0].shape->tree().items()[i];
      if (trees_[1].shape) memory.primitives[1] = trees_[1].shape->tree().items()[j];
    }
    verdict_.evaluations = most;
  }

  Mover whole_[2];
  Tree trees_[2];
  Frame frames_[2];
  Mat3 absolute_turn_;                 // of b as seen by a
  double spin_[2], bend_[2] = {0, 0};  // how far paths seen from each bend away from straight ones
  double kept_, rounding_, level_;     // level: that keeps them apart, all taken together
  bool polyhedra_;                     // both
  Leaf leaves_[2];
  Verdict verdict_;
};

}  // namespace

Placed place_at(const Placed& start, const Motion& motion, double t) {
  Placed later = start;
  const Mat3 turn = Quat::from_rotation_vector(t * motion.angular_velocity).to_matrix();
  later.R = turn * start.R;
  later.p = motion.center + t * motion.velocity + turn * (start.p - motion.center);
  return later;
}

namespace {

// How far from the point it turns about a shape is, if it turns.
double arm_of(const Placed& placed, const Motion& motion) {
  return motion.angular_velocity.isZero(0) ? 0 : (placed.p - motion.center).norm();
}

// How far the points of a shape get, at most.
double path_of(const Placed& placed, const Motion& motion, double h) {
  if (placed.collider->kind() == Collider::Kind::plane) return 0;
  const double arm = (placed.p - motion.center).norm() + placed.collider->reach();
  return h * (motion.velocity.norm() + motion.angular_velocity.norm() * arm);
}

// Where whole boxes of triangles are told apart by how far they get, a long way is looked at piece by piece: no piece longer than
// a part of the smaller shape.
Verdict certify_trees(const Placed& a, const Motion& motion_a, const Placed& b, const Motion& motion_b,
                      const Vec3& origin, double h, double kept, double rounding, PairMemory& memory) {
  constexpr double kPart = 0.25, kMostPieces = 256;
  double size = std::numeric_limits<double>::infinity();
  for (const Placed* placed : {&a, &b})
    if (placed->collider->kind() != Collider::Kind::plane) size = std::min(size, placed->collider->reach());
  const double path = path_of(a, motion_a, h) + path_of(b, motion_b, h);
  const double pieces = size > 0 ? std::clamp(std::ceil(path / (kPart * size)), 1.0, kMostPieces) : 1.0;
  Verdict whole;
  for (double k = 0; k < pieces; ++k) {
    const double start = h * (k / pieces), length = h * ((k + 1) / pieces) - start;
    const auto later = [&](Motion motion) {
      motion.center += start * motion.velocity;
      return motion;
    };
    const Verdict piece =
        TreeCertificate(place_at(a, motion_a, start), later(motion_a), place_at(b, motion_b, start),
                        later(motion_b), origin, length, kept, rounding)
            .run(memory);
    const int evaluations = std::max(whole.evaluations, piece.evaluations);
    whole = piece;
    whole.evaluations = evaluations;
    whole.time = piece.safe ? h : start + piece.time;
    if (!piece.safe) break;
  }
  return whole;
}

// What of a shape lies farthest in direction d, but for rounding: of the whole, or of one of its primitives.
std::pair<Feature, uint32_t> find_feature(const Placed& placed, const Vec3& d, uint32_t primitive) {
  if (placed.collider->kind() != Collider::Kind::polyhedron) return {Feature::surface, 0};
  const Polyhedron& shape = placed.collider->polyhedron();
  const Vec3 local = placed.R.transpose() * d;
  const bool whole = shape.is_convex() || primitive >= shape.primitives().size();
  std::vector<uint32_t> candidates;
  if (whole)
    for (uint32_t v = 0; v < shape.vertices().size(); ++v) candidates.push_back(v);
  else
    candidates.assign(shape.primitives()[primitive].corners,
                      shape.primitives()[primitive].corners + shape.primitives()[primitive].count);
  double most = -std::numeric_limits<double>::infinity();
  for (const uint32_t v : candidates) most = std::max(most, shape.vertices()[v].dot(local));
  std::erase_if(candidates, [&](uint32_t v) {
    return shape.vertices()[v].dot(local) < most - kLevel * placed.collider->reach();
  });
  if (candidates.size() == 1) return {Feature::vertex, candidates[0]};
  if (candidates.size() == 2)
    for (uint32_t e = 0; e < shape.edges().size(); ++e)
      if (shape.edges()[e].a == std::min(candidates[0], candidates[1]) &&
          shape.edges()[e].b == std::max(candidates[0], candidates[1]))
        return {Feature::edge, e};
  if (!whole || !shape.has_faces()) return {Feature::face, whole ? 0 : primitive};
  uint32_t face = 0;
  for (uint32_t f = 1; f < shape.primitives().size(); ++f)
    if (shape.normal(f).dot(local) > shape.normal(face).dot(local)) face = f;
  return {Feature::face, shape.face_triangle(face)};
}

}  // namespace

Verdict certify(const Placed& a, const Motion& motion_a, const Placed& b, const Motion& motion_b, double h,
                double kept, PairMemory& memory) {
  const Vec3 origin = b.p;
  // Places of a later time have the rounding of the way there and of the arm they turn on.
  const double path = path_of(a, motion_a, h) + path_of(b, motion_b, h);
  const double rounding =
      compute_distance_rounding(a, b) + kDistanceRoundOff * std::numeric_limits<double>::epsilon() *
                                            (path + arm_of(a, motion_a) + arm_of(b, motion_b));
  Verdict verdict;
  verdict.time = h;
  if (a.collider->is_empty() || b.collider->is_empty()) return verdict;
  if (!is_measurable(a, b) || !(path < kLargestSize)) {
    verdict.safe = false, verdict.time = 0;
    verdict.approach = {a.p, Vec3::UnitY(), 0, {}};
    return verdict;
  }
  const bool plane_is_a = a.collider->kind() == Collider::Kind::plane;
  if (a.collider->is_convex() && b.collider->is_convex()) {
    const Mover x = mover_of(a, motion_a, origin), y = mover_of(b, motion_b, origin);
    Vec3 guess = memory.normal.isZero(0) ? Vec3(a.p - b.p) : memory.normal;
    if (guess.isZero(0)) guess = Vec3::UnitY();
    verdict = plane_is_a ? certify_sets(y, x, 0, h, kept, rounding, guess)
                         : certify_sets(x, y, 0, h, kept, rounding, guess);
    if (plane_is_a) verdict.approach.normal = -verdict.approach.normal;
    memory.normal = verdict.approach.normal;
  } else {
    verdict = certify_trees(a, motion_a, b, motion_b, origin, h, kept, rounding, memory);
  }
  verdict.approach.point += origin;
  if (!verdict.safe) {
    const Vec3& n = verdict.approach.normal;
    const auto [kind_a, i] = find_feature(place_at(a, motion_a, verdict.time), -n, memory.primitives[0]);
    const auto [kind_b, j] = find_feature(place_at(b, motion_b, verdict.time), n, memory.primitives[1]);
    verdict.approach.key = make_key(kind_a, i, kind_b, j);
  }
  return verdict;
}

}  // namespace tumble::collision
