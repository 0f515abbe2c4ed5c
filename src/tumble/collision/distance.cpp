#include "tumble/collision/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Mat3;
using math::Vec3;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// `across`: the normal of the two features, up to length and sign; zero where only the two points tell it.
void keep_nearer(Separation& best, double squared, const Vec3& on_a, const Vec3& on_b, const Vec3& across) {
  if (!(squared < best.distance)) return;
  best.distance = squared;  // squared until the end
  best.on_a = on_a, best.on_b = on_b;
  best.normal = across;
}

// Squared sine of two segments above which their determinant has digits enough: a place on them is then exact to 1e-12 of how far
// they are apart.
constexpr double kOblique = 1e-4;

void segment_to_segment(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s, Separation& best) {
  const Vec3 u = q - p, w = s - r, d = p - r;
  const double uu = u.squaredNorm(), ww = w.squaredNorm(), uw = u.dot(w), ud = u.dot(d), wd = w.dot(d);
  const double determinant = uu * ww - uw * uw;
  double x = 0;
  if (determinant > kOblique * uu * ww) {
    x = std::clamp((uw * wd - ud * ww) / determinant, 0.0, 1.0);
  } else if (ww > 0) {
    // Nearly parallel: what is left of u and d across w is told without the digits that the determinant loses.
    Vec3 across = u - uw / ww * w;
    across -= across.dot(w) / ww * w;
    const double squared = across.squaredNorm();
    if (squared > 0) x = std::clamp(-across.dot(d - wd / ww * w) / squared, 0.0, 1.0);
  }
  double y = ww > 0 ? (uw * x + wd) / ww : 0;
  if (!(ww > 0) || y < 0 || y > 1) {
    y = std::clamp(y, 0.0, 1.0);
    x = uu > 0 ? std::clamp((uw * y - ud) / uu, 0.0, 1.0) : 0;
  }
  const Vec3 on_a = p + x * u, on_b = r + y * w;
  const bool inside = x > 0 && x < 1 && y > 0 && y < 1;
  keep_nearer(best, (on_a - on_b).squaredNorm(), on_a, on_b, inside ? u.cross(w) : Vec3(Vec3::Zero()));
}

// Corners of one primitive over the inside of the triangle t; true where an edge of the primitive goes through it.
bool corners_to_face(const Vec3* points, int count, const Vec3* t, bool points_are_a, Separation& best) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double nn = n.squaredNorm();
  if (!(nn > 0)) return false;
  double height[3];
  for (int i = 0; i < count; ++i) height[i] = n.dot(points[i] - t[0]);
  const auto inside = [&](const Vec3& x) {
    for (int k = 0; k < 3; ++k)
      if (n.dot((t[(k + 1) % 3] - t[k]).cross(x - t[k])) < 0) return false;
    return true;
  };
  for (int i = 0; i < count; ++i) {
    const double squared = height[i] * height[i] / nn;
    if (!(squared < best.distance) || !inside(points[i])) continue;
    const Vec3 foot = points[i] - height[i] / nn * n;
    points_are_a ? keep_nearer(best, squared, points[i], foot, n)
                 : keep_nearer(best, squared, foot, points[i], n);
  }
  for (int i = 0; i < (count == 3 ? 3 : count - 1); ++i) {
    const int j = (i + 1) % count;
    if ((height[i] > 0) == (height[j] > 0)) continue;
    const Vec3 x = points[i] + height[i] / (height[i] - height[j]) * (points[j] - points[i]);
    if (inside(x)) {
      best.distance = 0, best.on_a = best.on_b = x;
      return true;
    }
  }
  return false;
}

// The squared becomes the distance, and the normal follows: from the two points, or from the features if these are so near to each
// other that rounding has its say.
void finish_squared(Separation& best) {
  constexpr double kNear = 1e-6;  // in parts of the coordinates
  best.distance = best.lower_bound = math::sqrt(best.distance);
  const Vec3 apart = best.on_a - best.on_b, across = best.normal;
  const double length = apart.norm(), norm = across.norm();
  const double size = best.on_a.cwiseAbs().cwiseMax(best.on_b.cwiseAbs()).maxCoeff();
  if (norm > 0 && length < kNear * size)
    best.normal = (across.dot(apart) < 0 ? -1 : 1) / norm * across;
  else
    best.normal = length > 0 ? Vec3(apart / length) : Vec3(Vec3::UnitY());
}

ConvexSet convex_set(const Placed& placed) {
  const Collider& c = *placed.collider;
  ConvexSet set;
  set.R = placed.R, set.p = placed.p;
  if (c.kind() == Collider::Kind::polyhedron) {
    set.points = c.polyhedron().vertices().data();
    set.count = static_cast<int>(c.polyhedron().vertices().size());
  } else {
    set.kind = c.kind() == Collider::Kind::cylinder ? ConvexSet::Kind::cylinder : ConvexSet::Kind::cone;
    set.radius = c.radius(), set.half_length = c.half_length();
  }
  return set;
}

double radius_of(const Placed& placed) {
  return placed.collider->kind() == Collider::Kind::polyhedron ? placed.collider->polyhedron().radius() : 0;
}

// From the cores to the surfaces.
void take_radii_off(double radius_a, double radius_b, Separation& s) {
  if (radius_a + radius_b == 0) return;
  // Along the line of the two points: the normal, which has the best bound, may differ from it by the root of what that lacks.
  const Vec3 apart = s.on_a - s.on_b;
  const double length = apart.norm();
  const Vec3 along = length > 0 ? Vec3(apart / length) : s.normal;
  s.distance = std::max(0.0, s.distance - radius_a - radius_b);
  s.lower_bound = std::max(0.0, s.lower_bound - radius_a - radius_b);
  s.on_a -= radius_a * along;
  s.on_b += radius_b * along;
}

// The same two shapes with the origin at b, where rounding is that of their distance and not of the world's.
Placed moved(const Placed& placed, const Vec3& by) {
  Placed result = placed;
  result.p -= by;
  return result;
}

// The point of a convex or other shape reached farthest in direction d, without the radius.
Vec3 farthest(const Placed& placed, const Vec3& d) { return convex_set(placed).support(d); }

Separation distance_to_plane(const Placed& a, const Placed& plane) {
  Separation s;
  s.normal = plane.R * plane.collider->normal();
  const Vec3 lowest = farthest(a, -s.normal);
  s.distance = s.normal.dot(lowest - plane.p);
  s.on_a = lowest, s.on_b = lowest - s.distance * s.normal;
  s.lower_bound = s.distance;
  take_radii_off(radius_of(a), 0, s);
  s.distance = std::max(0.0, s.distance), s.lower_bound = std::max(0.0, s.lower_bound);
  return s;
}

Separation flipped(Separation s) {
  std::swap(s.on_a, s.on_b);
  s.normal = -s.normal;
  return s;
}

// Two polyhedra, at least one not convex: both trees together, the nearest boxes first.
class TreeSearch {
 public:
  TreeSearch(const Placed& a, const Placed& b, PairMemory& memory)
      : a_(a.collider->polyhedron()),
        b_(b.collider->polyhedron()),
        R_(a.R.transpose() * b.R),
        p_(a.R.transpose() * (b.p - a.p)),
        memory_(memory) {}

  // In the frame of a.
  Separation run() {
    best_.distance = kInfinity;
    if (memory_.primitives[0] < a_.primitives().size() && memory_.primitives[1] < b_.primitives().size())
      look_at(memory_.primitives[0], memory_.primitives[1]);
    std::vector<Entry> open = {{0, 0, bound(0, 0)}};
    while (!open.empty()) {
      const Entry entry = open.back();
      open.pop_back();
      if (!(entry.bound < best_.distance)) continue;
      const geometry::Bvh::Node &a = a_.tree().nodes()[entry.a], &b = b_.tree().nodes()[entry.b];
      if (a.is_leaf() && b.is_leaf()) {
        for (uint32_t i = a.first; i < a.first + a.count; ++i)
          for (uint32_t j = b.first; j < b.first + b.count; ++j)
            look_at(a_.tree().items()[i], b_.tree().items()[j]);
        continue;
      }
      const bool split_a = b.is_leaf() || (!a.is_leaf() && (a.box.upper - a.box.lower).sum() >
                                                               (b.box.upper - b.box.lower).sum());
      Entry near = split_a ? Entry{a.first, entry.b, 0} : Entry{entry.a, b.first, 0};
      Entry far = split_a ? Entry{a.first + 1, entry.b, 0} : Entry{entry.a, b.first + 1, 0};
      near.bound = bound(near.a, near.b), far.bound = bound(far.a, far.b);
      if (far.bound < near.bound) std::swap(near, far);
      if (far.bound < best_.distance) open.push_back(far);
      if (near.bound < best_.distance) open.push_back(near);
    }
    finish_squared(best_);
    return best_;
  }

 private:
  struct Entry {
    uint32_t a, b;
    double bound;
  };
  // Squared distance of two boxes, no more than the true one: as seen by each.
  double bound(uint32_t node_a, uint32_t node_b) const {
    const Polyhedron::TurnedBox &a = a_.box(node_a), &b = b_.box(node_b);
    const Vec3 d = R_ * b.center + p_ - a.center;
    const double along = -best_.normal.dot(d) - (a.R.transpose() * best_.normal).cwiseAbs().dot(a.half) -
                         (b.R.transpose() * (R_.transpose() * best_.normal)).cwiseAbs().dot(b.half);
    if (along > best_root_) return kInfinity;
    const Mat3 turn = a.R.transpose() * (R_ * b.R), absolute = turn.cwiseAbs();
    const Vec3 in_a = a.R.transpose() * d;
    const double seen_by_a = (in_a.cwiseAbs() - a.half - absolute * b.half).cwiseMax(0.0).squaredNorm();
    const Vec3 in_b = turn.transpose() * in_a;
    const double seen_by_b =
        (in_b.cwiseAbs() - b.half - absolute.transpose() * a.half).cwiseMax(0.0).squaredNorm();
    return std::max(seen_by_a, seen_by_b);
  }
  void look_at(uint32_t primitive_a, uint32_t primitive_b) {
    const Polyhedron::Ball &ball_a = a_.ball(primitive_a), &ball_b = b_.ball(primitive_b);
    const double reach = best_root_ + ball_a.radius + ball_b.radius;
    if ((R_ * ball_b.center + p_ - ball_a.center).squaredNorm() > reach * reach) return;
    const Polyhedron::Primitive &a = a_.primitives()[primitive_a], &b = b_.primitives()[primitive_b];
    Vec3 x[3], y[3];
    for (int k = 0; k < a.count; ++k) x[k] = a_.vertices()[a.corners[k]];
    for (int k = 0; k < b.count; ++k) y[k] = R_ * b_.vertices()[b.corners[k]] + p_;
    // What is farther along the shortest direction so far is farther.
    double low = kInfinity, high = -kInfinity;
    for (int k = 0; k < a.count; ++k) low = std::min(low, best_.normal.dot(x[k]));
    for (int k = 0; k < b.count; ++k) high = std::max(high, best_.normal.dot(y[k]));
    if (low - high > best_root_) return;
    Separation s = compute_primitive_distance(x, a.count, y, b.count);
    if (!(s.distance < best_root_)) return;
    best_root_ = s.distance;
    s.distance *= s.distance;
    best_ = s;
    memory_.primitives[0] = primitive_a, memory_.primitives[1] = primitive_b;
  }

  const Polyhedron &a_, &b_;
  Mat3 R_;
  Vec3 p_;
  PairMemory& memory_;
  Separation best_;  // its distance squared until the end
  double best_root_ = kInfinity;
};

// A polyhedron that is not convex against a cylinder or cone.
Separation distance_to_smooth(const Placed& mesh, const Placed& smooth, PairMemory& memory) {
  const Polyhedron& polyhedron = mesh.collider->polyhedron();
  Placed local = smooth;  // in the frame of the mesh
  local.R = mesh.R.transpose() * smooth.R;
  local.p = mesh.R.transpose() * (smooth.p - mesh.p);
  const ConvexSet set = convex_set(local);
  const geometry::Bounds round = compute_bounds(local);
  Separation best;
  best.distance = kInfinity;
  const auto look_at = [&](uint32_t primitive) {
    Vec3 corners[3];
    const Polyhedron::Primitive& p = polyhedron.primitives()[primitive];
    for (int k = 0; k < p.count; ++k) corners[k] = polyhedron.vertices()[p.corners[k]];
    ConvexSet triangle;
    triangle.points = corners, triangle.count = p.count;
    const Separation s = compute_convex_distance(triangle, set, corners[0] - set.p);
    if (!(s.distance < best.distance)) return;
    best = s;
    memory.primitives[0] = primitive;
  };
  if (memory.primitives[0] < polyhedron.primitives().size()) look_at(memory.primitives[0]);
  const auto bound = [&](uint32_t node) {
    const geometry::Bounds& box = polyhedron.tree().nodes()[node].box;
    return (box.lower - round.upper).cwiseMax(round.lower - box.upper).cwiseMax(0.0).norm();
  };
  std::vector<std::pair<uint32_t, double>> open = {{0, bound(0)}};
  while (!open.empty()) {
    const auto [at, least] = open.back();
    open.pop_back();
    if (!(least < best.distance)) continue;
    const geometry::Bvh::Node& node = polyhedron.tree().nodes()[at];
    if (node.is_leaf()) {
      for (uint32_t i = node.first; i < node.first + node.count; ++i) look_at(polyhedron.tree().items()[i]);
      continue;
    }
    std::pair<uint32_t, double> near{node.first, bound(node.first)},
        far{node.first + 1, bound(node.first + 1)};
    if (far.second < near.second) std::swap(near, far);
    open.push_back(far);
    open.push_back(near);
  }
  best.normal = mesh.R * best.normal;
  best.on_a = mesh.R * best.on_a + mesh.p, best.on_b = mesh.R * best.on_b + mesh.p;
  return best;
}

// Both given with the origin at b.
Separation distance_near_origin(const Placed& a, const Placed& b, PairMemory& memory) {
  using Kind = Collider::Kind;
  const Kind ka = a.collider->kind(), kb = b.collider->kind();
  if (kb == Kind::plane) return distance_to_plane(a, b);
  if (ka == Kind::plane) return flipped(distance_to_plane(b, a));
  if (a.collider->is_convex() && b.collider->is_convex()) {
    const Vec3 guess = memory.normal.isZero(0) ? Vec3(a.p - b.p) : memory.normal;
    Separation s =
        compute_convex_distance(convex_set(a), convex_set(b), guess.isZero(0) ? Vec3::UnitY() : guess);
    take_radii_off(radius_of(a), radius_of(b), s);
    return s;
  }
  if (ka == Kind::polyhedron && kb == Kind::polyhedron) {
    Separation s = TreeSearch(a, b, memory).run();
    s.normal = a.R * s.normal, s.on_a = a.R * s.on_a + a.p, s.on_b = a.R * s.on_b + a.p;
    take_radii_off(radius_of(a), radius_of(b), s);
    return s;
  }
  if (kb != Kind::polyhedron) return distance_to_smooth(a, b, memory);
  std::swap(memory.primitives[0], memory.primitives[1]);
  const Separation s = flipped(distance_to_smooth(b, a, memory));
  std::swap(memory.primitives[0], memory.primitives[1]);
  return s;
}

}  // namespace

Separation compute_primitive_distance(const Vec3* a, int a_count, const Vec3* b, int b_count) {
  Separation best;
  best.distance = kInfinity;
  if (b_count == 3 && corners_to_face(a, a_count, b, true, best)) return best;
  if (a_count == 3 && corners_to_face(b, b_count, a, false, best)) return best;
  const int a_edges = a_count == 3 ? 3 : 1, b_edges = b_count == 3 ? 3 : 1;
  for (int i = 0; i < a_edges; ++i)
    for (int j = 0; j < b_edges; ++j)
      segment_to_segment(a[i], a[(i + 1) % a_count], b[j], b[(j + 1) % b_count], best);
  finish_squared(best);
  return best;
}

namespace {

// Of all that enters a distance.
double size_of(const Placed& a, const Placed& b) {
  double size = (a.p - b.p).cwiseAbs().maxCoeff();
  for (const Placed* placed : {&a, &b})
    if (placed->collider->kind() != Collider::Kind::plane) size += placed->collider->reach();
  return size;
}

}  // namespace

bool is_measurable(const Placed& a, const Placed& b) {
  const double size = size_of(a, b);
  return size > kLeastSize && size < kLargestSize;
}

double compute_distance_rounding(const Placed& a, const Placed& b) {
  return kDistanceRoundOff * std::numeric_limits<double>::epsilon() * size_of(a, b);
}

Separation compute_distance(const Placed& a, const Placed& b, PairMemory& memory) {
  if (a.collider->is_empty() || b.collider->is_empty()) {
    Separation none;
    none.distance = none.lower_bound = kInfinity;
    return none;
  }
  if (!is_measurable(a, b)) {
    Separation unknown;
    unknown.on_a = a.p, unknown.on_b = b.p;
    return unknown;
  }
  const Vec3 origin = b.p;
  const Placed near_a = moved(a, origin), near_b = moved(b, origin);
  Separation s = distance_near_origin(near_a, near_b, memory);
  if (!(s.distance > 0)) {
    // Shapes that meet have no nearest points, and what is said of them instead must not depend on the past.
    memory = {};
    s = distance_near_origin(near_a, near_b, memory);
  }
  memory.normal = s.normal;
  s.lower_bound = std::max(0.0, s.lower_bound - compute_distance_rounding(near_a, near_b));
  s.on_a += origin, s.on_b += origin;
  return s;
}

Separation compute_distance(const Placed& a, const Placed& b) {
  PairMemory memory;
  return compute_distance(a, b, memory);
}

double compute_gap_along(const Placed& a, const Placed& b, const Vec3& normal) {
  if (a.collider->is_empty() || b.collider->is_empty()) return kInfinity;
  if (!is_measurable(a, b)) return 0;
  const Vec3 origin = b.p;
  const Placed near_a = moved(a, origin), near_b = moved(b, origin);
  const auto reach = [&](const Placed& placed, const Vec3& d) {
    if (placed.collider->kind() == Collider::Kind::plane)
      return d.dot(placed.R * placed.collider->normal()) > 1 - 1e-12 ? d.dot(placed.p) : kInfinity;
    return d.dot(farthest(placed, d)) + radius_of(placed);
  };
  return -reach(near_a, -normal) - reach(near_b, normal) - compute_distance_rounding(near_a, near_b);
}

}  // namespace tumble::collision
