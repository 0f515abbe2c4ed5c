#include "tumble/collision/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Mat3;
using math::Vec3;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// `across`: a normal of the two features, of any length and sign. Zero if only the two points define the
// normal.
void keep_nearer(Separation& best, double squared, const Vec3& on_a, const Vec3& on_b, const Vec3& across) {
  if (!(squared < best.distance)) return;
  best.distance = squared;  // squared until the end
  best.on_a = on_a, best.on_b = on_b;
  best.normal = across;
}

void segment_to_segment(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s, Separation& best) {
  const Vec3 u = q - p, w = s - r, d = p - r;
  const double uu = u.squaredNorm(), ww = w.squaredNorm(), uw = u.dot(w), ud = u.dot(d), wd = w.dot(d);
  const double determinant = uu * ww - uw * uw;
  double x = 0;
  if (determinant > kDistance.oblique * uu * ww) {
    x = std::clamp((uw * wd - ud * ww) / determinant, 0.0, 1.0);
  } else if (ww > 0) {
    // Nearly parallel: use the components of u and d perpendicular to w. The determinant would lose digits.
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

// Distance of corners of one primitive from the interior of the triangle t. True if an edge of the primitive
// passes through t.
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

// Takes the root of the squared distance and sets the normal: from the two points, or from the features if
// the points are so near to each other that rounding would dominate.
void finish_separation(Separation& best) {
  best.distance = best.lower_bound = math::sqrt(best.distance);
  const Vec3 apart = best.on_a - best.on_b, across = best.normal;
  const double length = apart.norm(), norm = across.norm();
  const double size = best.on_a.cwiseAbs().cwiseMax(best.on_b.cwiseAbs()).maxCoeff();
  if (norm > 0 && length < kDistance.near_points * size)
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
    if (c.polyhedron().has_many_vertices()) set.searched = &c.polyhedron();
  } else {
    set.kind = c.kind() == Collider::Kind::cylinder ? ConvexSet::Kind::cylinder : ConvexSet::Kind::cone;
    set.radius = c.radius(), set.half_length = c.half_length();
  }
  return set;
}

double radius_of(const Placed& placed) {
  return placed.collider->kind() == Collider::Kind::polyhedron ? placed.collider->polyhedron().radius() : 0;
}

// Converts the separation of the cores to that of the surfaces.
void subtract_radii(double radius_a, double radius_b, Separation& s) {
  if (radius_a + radius_b == 0) return;
  // Move along the line of the two points. The normal with the best bound may differ from it by the square
  // root of the error of the bound.
  const Vec3 apart = s.on_a - s.on_b;
  const double length = apart.norm();
  const Vec3 along = length > 0 ? Vec3(apart / length) : s.normal;
  s.distance = std::max(0.0, s.distance - radius_a - radius_b);
  s.lower_bound = std::max(0.0, s.lower_bound - radius_a - radius_b);
  s.on_a -= radius_a * along;
  s.on_b += radius_b * along;
}

// A placed shape relative to another origin. With the origin at b, rounding is relative to the distance of
// the shapes.
Placed relative_to(const Placed& placed, const Vec3& by) {
  Placed result = placed;
  result.p -= by;
  return result;
}

// The point of a shape farthest in direction d, without the radius.
Vec3 farthest(const Placed& placed, const Vec3& d) { return convex_set(placed).support(d); }

Separation distance_to_plane(const Placed& a, const Placed& plane) {
  Separation s;
  s.normal = plane.R * plane.collider->normal();
  const Vec3 lowest = farthest(a, -s.normal);
  s.distance = s.normal.dot(lowest - plane.p);
  s.on_a = lowest, s.on_b = lowest - s.distance * s.normal;
  s.lower_bound = s.distance;
  subtract_radii(radius_of(a), 0, s);
  s.distance = std::max(0.0, s.distance), s.lower_bound = std::max(0.0, s.lower_bound);
  return s;
}

Separation flipped(Separation s) {
  std::swap(s.on_a, s.on_b);
  s.normal = -s.normal;
  return s;
}

// Distance of two polyhedra, at least one of them not convex: branch and bound over both hierarchies.
class TreeSearch {
 public:
  TreeSearch(const Placed& a, const Placed& b, PairMemory& memory)
      : a_(a.collider->polyhedron()),
        b_(b.collider->polyhedron()),
        shapes_{a.collider->shared_polyhedron(), b.collider->shared_polyhedron()},
        R_(a.R.transpose() * b.R),
        p_(a.R.transpose() * (b.p - a.p)),
        memory_(memory),
        p4_(padded(p_)) {
    R4_ << R_, Eigen::RowVector3d::Zero();
    R4_transposed_ << R_.transpose(), Eigen::RowVector3d::Zero();
    normal_b_ = padded(R_.transpose().col(1));
  }

  // The result is in the frame of a.
  Separation run() {
    best_.distance = kInfinity;
    if (memory_.primitives[0] < a_.primitives().size() && memory_.primitives[1] < b_.primitives().size())
      test_primitives(memory_.primitives[0], memory_.primitives[1]);
    Front& front = memory_.front;
    update_front(front);
    size_t count = 0;
    for (const Front::Entry entry : front.entries)
      if (entry.bound - front.travel > best_root_)
        front.entries[count++] = entry;
      else
        descend(entry.a, entry.b);
    front.entries.resize(count);
    front.entries.insert(front.entries.end(), new_entries_.begin(), new_entries_.end());
    if (front.max_entries == 0) front.max_entries = 2 * front.entries.size() + 64;
    finish_separation(best_);
    return best_;
  }

 private:
  struct Open {
    uint32_t a, b;
    double bound;
  };
  static double reach(const Polyhedron& shape) {
    return math::sqrt(
        shape.bounds().lower.cwiseAbs().cwiseMax(shape.bounds().upper.cwiseAbs()).squaredNorm());
  }
  // Bound on how far points of the smaller shape have moved relative to the other.
  double travel_since(const Front& front) const {
    const auto extent = [](const Polyhedron& shape) {
      return (shape.bounds().upper - shape.bounds().lower).norm();
    };
    const bool b_moves = extent(b_) < extent(a_);
    const geometry::Bounds& box = b_moves ? b_.bounds() : a_.bounds();
    const Mat3 rotation = b_moves ? Mat3(R_ - front.R) : Mat3((R_ - front.R).transpose());
    const Vec3 shift =
        b_moves ? Vec3(p_ - front.p) : Vec3(front.R.transpose() * front.p - R_.transpose() * p_);
    // The spectral norm of a difference of two rotations is 1/sqrt(2) of its Frobenius norm.
    return (rotation * (0.5 * (box.lower + box.upper)) + shift).norm() +
           math::sqrt(0.5) * rotation.norm() * 0.5 * extent(b_moves ? b_ : a_);
  }
  // Restarts at the roots for another pair of shapes, for too many entries, or if the travel is so long that
  // its rounding matters.
  void update_front(Front& front) {
    const double size = p_.norm() + reach(a_) + reach(b_);
    const bool known = front.shapes[0] == shapes_[0] && front.shapes[1] == shapes_[1];
    if (known)
      front.travel += (1 + kDistance.travel_round_off) * travel_since(front) +
                      kDistance.travel_roundings * std::numeric_limits<double>::epsilon() * size;
    front.R = R_, front.p = p_;
    if (known && front.entries.size() <= front.max_entries && front.travel < kDistance.max_travel * size)
      return;
    front.shapes[0] = shapes_[0], front.shapes[1] = shapes_[1];
    front.entries.assign({{0, 0, 0}});
    front.max_entries = 0, front.travel = 0;
  }
  void descend(uint32_t node_a, uint32_t node_b) {
    open_.assign({{node_a, node_b, bound(node_a, node_b)}});
    while (!open_.empty()) {
      const Open at = open_.back();
      open_.pop_back();
      const geometry::Bvh::Node &a = a_.tree().nodes()[at.a], &b = b_.tree().nodes()[at.b];
      const bool near = at.bound < best_.distance, leaves = a.is_leaf() && b.is_leaf();
      if (!near || leaves) {
        if (near) test_leaves(a, b);
        new_entries_.push_back({at.a, at.b, math::sqrt(at.bound) + memory_.front.travel});
        continue;
      }
      const bool split_a = b.is_leaf() || (!a.is_leaf() && (a.box.upper - a.box.lower).sum() >
                                                               (b.box.upper - b.box.lower).sum());
      Open first = split_a ? Open{a.first, at.b, 0} : Open{at.a, b.first, 0};
      Open second = split_a ? Open{a.first + 1, at.b, 0} : Open{at.a, b.first + 1, 0};
      first.bound = bound(first.a, first.b), second.bound = bound(second.a, second.b);
      if (second.bound < first.bound) std::swap(first, second);
      open_.push_back(second);
      open_.push_back(first);
    }
  }
  using Vec4 = Eigen::Vector4d;
  static Vec4 padded(const Vec3& v) { return {v.x(), v.y(), v.z(), 0}; }
  static Vec4 times(const Eigen::Matrix<double, 4, 3>& M, const Vec4& v) {
    return M.col(0) * v[0] + M.col(1) * v[1] + M.col(2) * v[2];
  }
  // Lower bound on the squared distance of two boxes, from the separating axes of both.
  double bound(uint32_t node_a, uint32_t node_b) const {
    const Polyhedron::OrientedBox &a = a_.box(node_a), &b = b_.box(node_b);
    // First test: distance along the normal of the best separation so far.
    const Vec4 d = times(R4_, b.center) + p4_ - a.center;
    const double along = -(normal_a_.dot(d) + (times(a.to_box, normal_a_).cwiseAbs().cwiseProduct(a.half) +
                                               times(b.to_box, normal_b_).cwiseAbs().cwiseProduct(b.half))
                                                  .sum());
    if (along > best_root_) return along * along;
    const Vec4 in_a = times(a.to_box, d), in_b = times(b.to_box, times(R4_transposed_, d));
    Vec4 reach_a = a.half, reach_b = b.half;  // plus the extent of the other box along each axis
    for (int k = 0; k < 3; ++k) {
      // Axis k of the box of a in the frame of b, and the other way round.
      const Vec4 axis(a.to_box(k, 0), a.to_box(k, 1), a.to_box(k, 2), 0);
      const Vec4 rotation = times(b.to_box, times(R4_transposed_, axis)).cwiseAbs();
      reach_b += rotation * a.half[k];
      reach_a[k] += rotation.dot(b.half);
    }
    const double seen_by_a = (in_a.cwiseAbs() - reach_a).cwiseMax(0.0).squaredNorm();
    const double seen_by_b = (in_b.cwiseAbs() - reach_b).cwiseMax(0.0).squaredNorm();
    return std::max(seen_by_a, seen_by_b);
  }
  // The extent of a primitive of a against the normal, and of a primitive of b along it.
  double lowest(uint32_t primitive) const {
    const Polyhedron::Primitive& p = a_.primitives()[primitive];
    double low = kInfinity;
    for (int k = 0; k < p.count; ++k) low = std::min(low, best_.normal.dot(a_.vertices()[p.corners[k]]));
    return low;
  }
  double highest(uint32_t primitive) const {
    const Polyhedron::Primitive& p = b_.primitives()[primitive];
    double high = -kInfinity;
    for (int k = 0; k < p.count; ++k)
      high = std::max(high, normal_b_.head<3>().dot(b_.vertices()[p.corners[k]]));
    return high + best_.normal.dot(p_);
  }
  void test_leaves(const geometry::Bvh::Node& a, const geometry::Bvh::Node& b) {
    const uint32_t *in_a = a_.tree().items().data() + a.first, *in_b = b_.tree().items().data() + b.first;
    double low[geometry::Bvh::kLeafItems], high[geometry::Bvh::kLeafItems];
    for (uint32_t i = 0; i < a.count; ++i) low[i] = lowest(in_a[i]);
    for (uint32_t j = 0; j < b.count; ++j) high[j] = highest(in_b[j]);
    for (uint32_t i = 0; i < a.count; ++i)
      for (uint32_t j = 0; j < b.count; ++j)
        if (!(low[i] - high[j] > best_root_)) test_primitives(in_a[i], in_b[j]);
  }
  // Do all points lie on one side of the plane of a triangle and farther from it than the best distance?
  bool are_beyond(const Vec3* points, int count, const Vec3& corner, const Vec3& normal) const {
    double low = kInfinity, high = -kInfinity;
    for (int k = 0; k < count; ++k) {
      const double height = normal.dot(points[k] - corner);
      low = std::min(low, height), high = std::max(high, height);
    }
    return low > best_root_ || high < -best_root_;
  }
  void test_primitives(uint32_t primitive_a, uint32_t primitive_b) {
    const Polyhedron::Primitive &a = a_.primitives()[primitive_a], &b = b_.primitives()[primitive_b];
    Vec3 x[3], y[3];
    for (int k = 0; k < a.count; ++k) x[k] = a_.vertices()[a.corners[k]];
    for (int k = 0; k < b.count; ++k) y[k] = R_ * b_.vertices()[b.corners[k]] + p_;
    if (a.count == 3 && are_beyond(y, b.count, x[0], a_.normal(primitive_a))) return;
    if (b.count == 3 && are_beyond(x, a.count, y[0], R_ * b_.normal(primitive_b))) return;
    Separation s = compute_primitive_distance(x, a.count, y, b.count);
    if (!(s.distance < best_root_)) return;
    best_root_ = s.distance;
    s.distance *= s.distance;
    best_ = s;
    normal_a_ = padded(s.normal), normal_b_ = padded(R_.transpose() * s.normal);
    memory_.primitives[0] = primitive_a, memory_.primitives[1] = primitive_b;
  }

  const Polyhedron &a_, &b_;
  const std::shared_ptr<const Polyhedron> shapes_[2];
  Mat3 R_;
  Vec3 p_;
  PairMemory& memory_;
  std::vector<Open> open_;
  std::vector<Front::Entry> new_entries_;
  Separation best_;  // its distance is squared until the end
  double best_root_ = kInfinity;
  Vec4 normal_a_ = Vec4::UnitY(), normal_b_ = Vec4::UnitY();  // best normal in the frames of a and b
  Eigen::Matrix<double, 4, 3> R4_, R4_transposed_;
  Vec4 p4_;
};

Placed in_frame_of(const Placed& mesh, const Placed& other) {
  Placed local = other;
  local.R = mesh.R.transpose() * other.R;
  local.p = mesh.R.transpose() * (other.p - mesh.p);
  return local;
}

// The result is in the frame of the polyhedron.
Separation distance_to_primitive(const Polyhedron& polyhedron, uint32_t primitive, const ConvexSet& set) {
  Vec3 corners[3];
  const Polyhedron::Primitive& p = polyhedron.primitives()[primitive];
  for (int k = 0; k < p.count; ++k) corners[k] = polyhedron.vertices()[p.corners[k]];
  ConvexSet triangle;
  triangle.points = corners, triangle.count = p.count;
  return compute_convex_distance(triangle, set, corners[0] - set.p);
}

// A polyhedron that is not convex against a cylinder or cone.
Separation distance_to_smooth(const Placed& mesh, const Placed& smooth, PairMemory& memory) {
  const Polyhedron& polyhedron = mesh.collider->polyhedron();
  const Placed local = in_frame_of(mesh, smooth);
  const ConvexSet set = convex_set(local);
  const geometry::Bounds round = compute_bounds(local);
  Separation best;
  best.distance = kInfinity;
  const auto test_primitives = [&](uint32_t primitive) {
    const Separation s = distance_to_primitive(polyhedron, primitive, set);
    if (!(s.distance < best.distance)) return;
    best = s;
    memory.primitives[0] = primitive;
  };
  if (memory.primitives[0] < polyhedron.primitives().size()) test_primitives(memory.primitives[0]);
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
      for (uint32_t i = node.first; i < node.first + node.count; ++i)
        test_primitives(polyhedron.tree().items()[i]);
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

// Both are given with the origin at b.
Separation distance_near_origin(const Placed& a, const Placed& b, PairMemory& memory) {
  using Kind = Collider::Kind;
  const Kind ka = a.collider->kind(), kb = b.collider->kind();
  if (kb == Kind::plane) return distance_to_plane(a, b);
  if (ka == Kind::plane) return flipped(distance_to_plane(b, a));
  if (a.collider->is_convex() && b.collider->is_convex()) {
    const Vec3 guess = memory.normal.isZero(0) ? Vec3(a.p - b.p) : memory.normal;
    Separation s =
        compute_convex_distance(convex_set(a), convex_set(b), guess.isZero(0) ? Vec3::UnitY() : guess);
    subtract_radii(radius_of(a), radius_of(b), s);
    return s;
  }
  if (ka == Kind::polyhedron && kb == Kind::polyhedron) {
    Separation s = TreeSearch(a, b, memory).run();
    s.normal = a.R * s.normal, s.on_a = a.R * s.on_a + a.p, s.on_b = a.R * s.on_b + a.p;
    subtract_radii(radius_of(a), radius_of(b), s);
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
  finish_separation(best);
  return best;
}

namespace {

// The size of all quantities that enter a distance.
double size_of(const Placed& a, const Placed& b) {
  double size = (a.p - b.p).cwiseAbs().maxCoeff();
  for (const Placed* placed : {&a, &b})
    if (placed->collider->kind() != Collider::Kind::plane) size += placed->collider->reach();
  return size;
}

}  // namespace

bool is_measurable(const Placed& a, const Placed& b) {
  const double size = size_of(a, b);
  return size > kDistance.min_size && size < kDistance.max_size;
}

double compute_distance_rounding(const Placed& a, const Placed& b) {
  double error = kDistance.round_off * std::numeric_limits<double>::epsilon() * size_of(a, b);
  for (const Placed* placed : {&a, &b})
    if (placed->collider->kind() == Collider::Kind::polyhedron)
      error += placed->collider->polyhedron().merge_error();
  return error;
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
  const Placed near_a = relative_to(a, origin), near_b = relative_to(b, origin);
  Separation s = distance_near_origin(near_a, near_b, memory);
  if (!(s.distance > 0)) {
    // Shapes that intersect have no nearest points. The result must not depend on the cache then.
    memory = {};
    s = distance_near_origin(near_a, near_b, memory);
  }
  memory.normal = s.normal;
  s.lower_bound = std::max(0.0, s.lower_bound - compute_distance_rounding(near_a, near_b));
  s.on_a += origin, s.on_b += origin;
  return s;
}

std::vector<NearPrimitive> find_near_primitives(const Placed& mesh, const Placed& solid, double reach) {
  const Polyhedron& polyhedron = mesh.collider->polyhedron();
  const Placed local = in_frame_of(mesh, solid);
  const ConvexSet set = convex_set(local);
  geometry::Bounds box = compute_bounds(local);
  box.lower.array() -= reach, box.upper.array() += reach;
  std::vector<NearPrimitive> near;
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    const geometry::Bvh::Node& node = polyhedron.tree().nodes()[open.back()];
    open.pop_back();
    if ((node.box.lower.array() > box.upper.array()).any() ||
        (node.box.upper.array() < box.lower.array()).any())
      continue;
    if (!node.is_leaf()) {
      open.push_back(node.first + 1);
      open.push_back(node.first);
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
      const uint32_t primitive = polyhedron.tree().items()[i];
      const Separation s = distance_to_primitive(polyhedron, primitive, set);
      if (s.distance > 0 && s.distance <= reach) near.push_back({primitive, s});
    }
  }
  return near;
}

Separation compute_distance(const Placed& a, const Placed& b) {
  PairMemory memory;
  return compute_distance(a, b, memory);
}

double compute_gap_along(const Placed& a, const Placed& b, const Vec3& normal) {
  if (a.collider->is_empty() || b.collider->is_empty()) return kInfinity;
  if (!is_measurable(a, b)) return 0;
  const Vec3 origin = b.p;
  const Placed near_a = relative_to(a, origin), near_b = relative_to(b, origin);
  const auto reach = [&](const Placed& placed, const Vec3& d) {
    if (placed.collider->kind() == Collider::Kind::plane)
      return d.dot(placed.R * placed.collider->normal()) > 1 - kDistance.along_plane ? d.dot(placed.p)
                                                                                     : kInfinity;
    return d.dot(farthest(placed, d)) + radius_of(placed);
  };
  return -reach(near_a, -normal) - reach(near_b, normal) - compute_distance_rounding(near_a, near_b);
}

}  // namespace tumble::collision
