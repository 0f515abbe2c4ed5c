#include "tumble/collision/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/detail/carried_plane.h"
#include "tumble/collision/detail/quad_gaps.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using detail::CarriedPlane;
using detail::MovingSet;
using detail::QuadGaps;
using detail::RotatingNormal;
using math::Mat3;
using math::Quat;
using math::Vec3;

namespace {

// The two points of a set that are farthest in direction d.
struct FarthestPair {
  int first = 0, second = 1;
  FarthestPair(const ConvexSet& set, const Vec3& d) {
    const Vec3 local = set.R.transpose() * d;
    double most = -std::numeric_limits<double>::infinity(), next = most;
    if (set.searched) {
      first = static_cast<int>(set.searched->find_support(local));
      set.searched->visit_vertices(
          [&](const Polyhedron::OrientedBox& box) { return set.searched->bound_along(box, local) < next; },
          [&](uint32_t v) {
            const int i = static_cast<int>(v);
            const double reach = set.points[i].dot(local);
            if (i != first && (reach > next || (reach == next && i < second))) next = reach, second = i;
          });
      return;
    }
    for (int i = 0; i < set.count; ++i) {
      const double reach = set.points[i].dot(local);
      if (reach > most)
        next = most, second = first, most = reach, first = i;
      else if (reach > next)
        next = reach, second = i;
    }
  }
};

// The edge of a set at its support point in direction d. Polyhedron: the edge between its two farthest
// points. Cylinder or cone: the line of its side if that is touched, else the tangent of its rim.
struct NearEdge {
  int first = -1, second = -1;  // indices of points
  Vec3 point, direction;        // direction zero: there is no edge
  bool of_cone = false;         // line on the side of a cone: the touched line changes as the cone rotates
  NearEdge(const ConvexSet& set, const Vec3& d, double on_side)
      : point(set.support(d)), direction(Vec3::Zero()) {
    if (set.kind != ConvexSet::Kind::points) {
      const Vec3 axis = set.R.col(1);
      const bool cylinder = set.kind == ConvexSet::Kind::cylinder;
      const Vec3 rim = axis.cross(d), away = (d - axis.dot(d) * axis).normalized();
      const Vec3 line = (2 * set.half_length * axis - (cylinder ? 0 : set.radius) * away).normalized();
      const bool side = std::abs(line.dot(d)) < on_side;
      of_cone = side && !cylinder;
      if (side || rim.norm() > on_side) direction = side ? line : Vec3(rim.normalized());
    } else if (set.count > 1) {
      const FarthestPair far(set, d);
      first = far.first, second = far.second;
      const auto at = [&](int i) { return Vec3(set.R * set.points[i] + set.p); };
      point = at(first);
      direction = (at(second) - point).normalized();
    }
  }
};

// Time for which a plane between two crossing edges separates the sets. The plane is spanned by both edges
// and rotates with them. The other points of the sets are well away from it. `slack` is the gap in excess of
// the clearance.
double time_between_edges(MovingSet a, MovingSet b, const Vec3& normal, double level, double slack,
                          double rounding, double T) {
  const CertificateParameters& par = *a.par;
  const NearEdge on_a(a.set, -normal, par.on_side), on_b(b.set, normal, par.on_side);
  if (on_a.direction.isZero(0) || on_b.direction.isZero(0)) return 0;
  // Use the true angular velocities: a round set rolls about an axis that hardly rotates.
  a.w = a.spin, b.w = b.spin, a.wobble = b.wobble = 0;
  Vec3 u = on_a.direction;
  const double sine = u.cross(on_b.direction).dot(normal);
  if (!(std::abs(sine) > par.crossing_edges)) return 0;
  if (sine < 0) u = -u;
  // For a cone, choose the rotation about its axis such that the line is the one that is touched.
  const auto follow_line = [&](MovingSet& m) {
    const Vec3 n1 = RotatingNormal::across(u, a.w, on_b.direction, b.w).n1, axis = m.set.R.col(1),
               along_rim = axis.cross(normal), spin = m.spin - axis.dot(m.spin) * axis;
    m.set_rolling(-(n1.dot(along_rim) + normal.dot(spin.cross(along_rim))) /
                  normal.dot(axis.cross(along_rim)));
  };
  if (on_a.of_cone && a.is_round) follow_line(a);
  if (on_b.of_cone && b.is_round) follow_line(b);
  const RotatingNormal n = RotatingNormal::across(u, a.w, on_b.direction, b.w);
  // All points of a's edge are as high as its first point, and b's edge lies in the plane. Both hold up to
  // rounding, which a small angle between the edges magnifies. Round sets share the slack.
  const double magnified = rounding * n.scale;
  const bool points = b.set.kind == ConvexSet::Kind::points;
  const double share = points ? 0 : 0.5 * slack;
  const CarriedPlane over_b(b, a, n, on_b.point), under_a(b, b, -n, on_b.point);
  if (a.set.kind == ConvexSet::Kind::points)
    T = over_b.time_above_except(on_a.second, on_a.second, level + share + magnified, T);
  else
    T = over_b.time_above(level + share + magnified, T);
  return points ? under_a.time_above_except(on_b.first, on_b.second, magnified, T)
                : under_a.time_above(magnified - share, T);
}

Separation distance_of(const MovingSet& a, const MovingSet& b, const Vec3& guess) {
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
    // Certain lower bound: the distance of the corners along the normal.
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int i = 0; i < a.set.count; ++i) low = std::min(low, s.normal.dot(x[i]));
    for (int i = 0; i < b.set.count; ++i) high = std::max(high, s.normal.dot(y[i]));
    s.lower_bound = std::max(0.0, std::min(s.distance, low - high));
    return s;
  }
  return compute_convex_distance(a.set, b.set, guess);
}

// Certifies two convex sets from time `from` on. `a` and `b` have their poses at time 0.
Verdict certify_sets(const MovingSet& a, const MovingSet& b, double from, double h, double clearance,
                     double rounding, Vec3 guess) {
  Verdict verdict;
  const CertificateParameters& par = *a.par;
  const double radii = a.radius + b.radius, deduct = a.deviation + b.deviation + rounding;
  double t = from;
  for (;;) {
    const MovingSet x = a.at(t), y = b.at(t);
    const Separation s = distance_of(x, y, guess);
    guess = s.normal;
    ++verdict.evaluations;
    const double gap = s.lower_bound - radii - deduct;
    verdict.time = t;
    verdict.approach = {0.5 * (s.on_a - x.radius * s.normal + s.on_b + y.radius * s.normal),
                        s.normal,
                        s.distance - radii,
                        {}};
    if (!(gap > clearance * (1 + par.too_near)) || verdict.evaluations >= par.max_evaluations) {
      verdict.safe = false;
      return verdict;
    }
    // The plane may pass anywhere between the sets. It passes through the nearest point of its carrier. The
    // level covers what the lower bound lacks.
    const double level = clearance + radii + deduct + (s.distance - s.lower_bound);
    double longest = CarriedPlane(y, x, s.normal, s.on_b).time_above(level, h - t);
    if (longest < h - t && !b.is_plane)
      longest = std::max(longest, CarriedPlane(x, y, -s.normal, s.on_a).time_above(level, h - t));
    if (longest < h - t && !b.is_plane)
      longest =
          std::max(longest, time_between_edges(x, y, s.normal, level, gap - clearance, rounding, h - t));
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

// The moving set of a collider, with the origin of the world at `origin`.
MovingSet moving_set_of(const Placed& placed, const Motion& motion, const Vec3& origin,
                        const CertificateParameters& par) {
  const Collider& c = *placed.collider;
  MovingSet m{{}, 0, motion.center - origin, motion.velocity, motion.angular_velocity, motion.deviation};
  m.par = &par;
  m.set.R = placed.R, m.set.p = placed.p - origin;
  if (c.kind() == Collider::Kind::plane) {
    // Rotate the frame so that its Y axis is the normal.
    const Vec3 n = placed.R * c.normal();
    int axis = 0;
    n.cwiseAbs().minCoeff(&axis);
    const Vec3 x = n.cross(Vec3::Unit(axis)).normalized();
    m.set.R.col(0) = x, m.set.R.col(1) = n, m.set.R.col(2) = x.cross(n);
    m.is_plane = true;
  } else if (c.kind() == Collider::Kind::polyhedron) {
    m.set.points = c.polyhedron().vertices().data();
    m.set.count = static_cast<int>(c.polyhedron().vertices().size());
    if (c.polyhedron().has_many_vertices()) m.set.searched = &c.polyhedron();
    m.radius = c.polyhedron().radius();
  } else {
    m.set.kind = c.kind() == Collider::Kind::cylinder ? ConvexSet::Kind::cylinder : ConvexSet::Kind::cone;
    m.set.radius = c.radius(), m.set.half_length = c.half_length();
  }
  const Vec3 arm = m.set.p - m.center;
  const bool ball = c.kind() == Collider::Kind::polyhedron && m.set.count == 1;
  const bool solid = c.kind() == Collider::Kind::cylinder || c.kind() == Collider::Kind::cone ||
                     (c.kind() == Collider::Kind::polyhedron && m.set.count == 2);
  const double off = arm.cross(m.set.R.col(1)).norm();
  m.is_round = solid && off <= par.on_axis * (m.set.p.norm() + m.center.norm() + origin.norm());
  if (m.is_round) m.deviation += 2 * off;
  if (ball && arm.isZero(0)) m.spin.setZero();  // rotation does not change a ball
  m.update_angular_velocity();
  return m;
}

// A shape as a bounding volume hierarchy: that of a polyhedron, or a single box around any other shape.
struct Tree {
  const Polyhedron* shape;  // null: a single box
  geometry::Bounds box;
  bool is_leaf(uint32_t node) const { return !shape || shape->tree().nodes()[node].is_leaf(); }
  const geometry::Bounds& bounds(uint32_t node) const {
    return shape ? shape->tree().nodes()[node].box : box;
  }
  uint32_t first(uint32_t node) const { return shape->tree().nodes()[node].first; }
};

// Certificate for pairs where at least one shape is not convex. Rejects pairs of boxes by their speed or by a
// plane along one of them. The remaining pairs are certified primitive by primitive.
class TreeCertificate {
 public:
  TreeCertificate(const Placed& a, const Motion& ma, const Placed& b, const Motion& mb, const Vec3& origin,
                  double h, double clearance, double rounding, const CertificateParameters& par)
      : whole_{moving_set_of(a, ma, origin, par), moving_set_of(b, mb, origin, par)},
        clearance_(clearance),
        rounding_(rounding) {
    const Placed* placed[2] = {&a, &b};
    for (int s = 0; s < 2; ++s) {
      const Collider& c = *placed[s]->collider;
      trees_[s] = {c.kind() == Collider::Kind::polyhedron ? &c.polyhedron() : nullptr, c.bounds()};
      frames_[s] = {placed[s]->R, placed[s]->p - origin};
      spin_[s] = whole_[s].w.norm();
    }
    abs_R_AB_ = (frames_[0].R.transpose() * frames_[1].R).cwiseAbs();
    level_ = clearance + rounding + whole_[0].radius + whole_[1].radius + whole_[0].deviation +
             whole_[1].deviation;
    polyhedra_ = trees_[0].shape && trees_[1].shape;
    verdict_.time = h;
    if (!polyhedra_) return;
    const double reach[2] = {a.collider->reach(), b.collider->reach()};
    for (int s = 0; s < 2; ++s) path_deviation_[s] = bound_path_deviation(s, reach[1 - s]);
    center_deviation_ = bound_path_deviation(0, (2 + 2 * kPolyhedron.farthest_round) * reach[1]);
    const double angle = h * (spin_[0] + spin_[1]);
    if (angle < 1) angle_cosine_ = math::cos(angle), angle_sine_ = math::sin(angle);
    for (int one = 0; one < 2; ++one) {
      const MovingSet &x = whole_[one], &y = whole_[1 - one];
      const Frame &of_x = frames_[one], &of_y = frames_[1 - one];
      const Mat3 to_x = of_x.R.transpose();
      seen_from_[one] = {to_x * of_y.R, to_x * (of_y.p - of_x.p),
                         to_x * (y.v + y.w.cross(of_y.p - y.center) - x.v - x.w.cross(of_y.p - x.center)),
                         to_x * (y.w - x.w)};
    }
  }

  Verdict run(PairMemory& memory) {
    std::vector<geometry::Bvh::NodePair> open = {{0, 0}};
    while (!open.empty()) {
      const geometry::Bvh::NodePair pair = open.back();
      open.pop_back();
      const bool leaf_a = trees_[0].is_leaf(pair.a), leaf_b = trees_[1].is_leaf(pair.b);
      if (!polyhedra_ && gap_of_boxes(pair.a, pair.b) > level_ + path_of_boxes(pair.a, pair.b)) continue;
      if (leaf_a && leaf_b) {
        certify_leaves(pair.a, pair.b, memory);
        continue;
      }
      const int divided = leaf_b || (!leaf_a && size(0, pair.a) > size(1, pair.b)) ? 0 : 1;
      if (polyhedra_)
        divide(divided, pair, open);
      else if (divided == 0)
        for (const uint32_t k : {1u, 0u}) open.push_back({trees_[0].first(pair.a) + k, pair.b});
      else
        for (const uint32_t k : {1u, 0u}) open.push_back({pair.a, trees_[1].first(pair.b) + k});
    }
    return verdict_;
  }

 private:
  struct Frame {
    Mat3 R;
    Vec3 p;
  };
  // The primitives of a leaf in world coordinates.
  struct Leaf {
    struct Piece {
      Vec3 corners[3], speeds[3], normal;  // speeds: relative to the other body
      int count;
      double planarity_error;  // largest distance of a corner from the plane
      Vec3 lower, upper;
    };
    uint32_t node = Polyhedron::kNone;
    Piece pieces[geometry::Bvh::kLeafItems];
  };
  // As seen from a carrier with angular velocity w, a point of the other body with lever arm r has an
  // acceleration of at most w_o^2 r + w^2 d + 2 w v. Here d is its distance from the carrier's centre and v
  // its speed relative to the carrier. Over the step its path deviates from a straight line by at most half
  // of that times h^2.
  double bound_path_deviation(int carrier, double reach_of_other) const {
    const double h = verdict_.time;
    const MovingSet &c = whole_[carrier], &o = whole_[1 - carrier];
    const double w = spin_[carrier], w_o = spin_[1 - carrier], v = (c.v - o.v).norm(),
                 arm = (o.set.p - o.center).norm() + reach_of_other,
                 far = arm + (c.center - o.center).norm() + h * v;
    return 0.5 * h * h *
           (w_o * w_o * arm + w * w * far + 2 * w * (v + w_o * arm + w * far) + 2 * (c.wobble + o.wobble));
  }
  double size(int s, uint32_t node) const {
    return polyhedra_ ? 2 * trees_[s].shape->box(node).half.sum()
                      : (trees_[s].bounds(node).upper - trees_[s].bounds(node).lower).sum();
  }
  bool is_plane(int s) const { return whole_[s].is_plane; }
  Vec3 center(int s, uint32_t node) const {
    const geometry::Bounds& box = trees_[s].bounds(node);
    return frames_[s].R * (0.5 * (box.lower + box.upper)) + frames_[s].p;
  }
  Vec3 half(int s, uint32_t node) const {
    return 0.5 * (trees_[s].bounds(node).upper - trees_[s].bounds(node).lower);
  }

  // Bound on how far points of the two boxes approach each other, up to the time of the first violation found
  // so far. Later times do not matter.
  double path_of_boxes(uint32_t node_a, uint32_t node_b) const {
    const uint32_t nodes[2] = {node_a, node_b};
    Vec3 speed[2];
    double rotation_speed = 0, acceleration = 0;
    for (int s = 0; s < 2; ++s) {
      speed[s] = whole_[s].v;
      if (is_plane(s)) continue;
      const Vec3 arm = center(s, nodes[s]) - whole_[s].center;
      const double w = spin_[s], reach = half(s, nodes[s]).norm();
      speed[s] += whole_[s].w.cross(arm);
      rotation_speed += w * reach;
      acceleration += w * w * (arm.norm() + reach) + 2 * whole_[s].wobble;
    }
    const double h = verdict_.time;
    return h * ((speed[0] - speed[1]).norm() + rotation_speed) + 0.5 * h * h * acceleration;
  }
  // Distance of the boxes at the start.
  double gap_of_boxes(uint32_t node_a, uint32_t node_b) const {
    if (is_plane(0) || is_plane(1)) {
      const int p = is_plane(0) ? 0 : 1, o = 1 - p;
      const uint32_t node = p == 0 ? node_b : node_a;
      const Vec3 n = whole_[p].set.R.col(1);
      return n.dot(center(o, node) - whole_[p].set.p) -
             (frames_[o].R.transpose() * n).cwiseAbs().dot(half(o, node));
    }
    const Vec3 d = frames_[0].R.transpose() * (center(1, node_b) - center(0, node_a));
    return (d.cwiseAbs() - half(0, node_a) - abs_R_AB_ * half(1, node_b)).cwiseMax(0.0).norm();
  }

  // Adds the boxes below one of two nodes that may come near the other: no plane along a face of one of the
  // boxes, carried by its body, separates them up to the end.
  void divide(int divided, geometry::Bvh::NodePair pair, std::vector<geometry::Bvh::NodePair>& open) const {
    const int one = 1 - divided;
    const Polyhedron::OrientedBox& box = trees_[one].shape->box(one == 0 ? pair.a : pair.b);
    const Polyhedron::BoxQuad& quad = trees_[divided].shape->boxes_below(one == 0 ? pair.b : pair.a);
    const QuadGaps gaps(box, quad, seen_from_[one]);
    const detail::Lanes clearance =
        gaps.clearance(level_, verdict_.time, path_deviation_[one], path_deviation_[divided]);
    const detail::Lanes largest = gaps.largest();
    for (int lane = quad.count; lane-- > 0;) {
      if (clearance[lane] > 0) continue;
      const uint32_t node = quad.nodes[lane];
      const Polyhedron::OrientedBox& other = trees_[divided].shape->box(node);
      if (largest[lane] > level_ && (stays_above(one, one, gaps.face_of_one(lane), box, other) ||
                                     stays_above(divided, one, gaps.face_of_four(lane), other, box)))
        continue;
      const geometry::Bvh::NodePair below =
          one == 0 ? geometry::Bvh::NodePair{pair.a, node} : geometry::Bvh::NodePair{node, pair.b};
      if (!stay_nested(below)) open.push_back(below);
    }
  }
  // Does one of two round patches stay inside the other?
  bool stay_nested(geometry::Bvh::NodePair pair) const {
    const Polyhedron::Round *a = trees_[0].shape->round(pair.a), *b = trees_[1].shape->round(pair.b);
    return a && b && angle_cosine_ > 0 &&
           are_nested(*a, *b, seen_from_[0], verdict_.time, angle_cosine_, angle_sine_,
                      level_ + center_deviation_);
  }
  // The same to higher order, for a face of the carrier's box. Its normal is seen from body `one`.
  bool stays_above(int carrier, int one, const QuadGaps::Face& face, const Polyhedron::OrientedBox& own,
                   const Polyhedron::OrientedBox& other) const {
    if (!(face.gap > level_)) return false;
    const Frame& frame = frames_[carrier];
    const Vec3 n = frames_[one].R * face.normal,
               through = frame.R * own.center.head<3>() + frame.p + own.half[face.axis] * n;
    return CarriedPlane(whole_[carrier], whole_[1 - carrier], n, through)
        .stays_above(other, level_, verdict_.time);
  }

  Vec3 speed_at(int s, const Vec3& x) const { return whole_[s].v + whole_[s].w.cross(x - whole_[s].center); }
  // A leaf meets several leaves of the other shape in turn.
  const Leaf& load_leaf(int s, uint32_t node) {
    Leaf& leaf = leaves_[s][node % kLoadedLeaves];
    if (leaf.node == node) return leaf;
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
      piece.planarity_error = 0;
      for (int k = 1; k < p.count; ++k)
        piece.planarity_error =
            std::max(piece.planarity_error, std::abs(piece.normal.dot(piece.corners[k] - piece.corners[0])));
    }
    return leaf;
  }
  // Do the corners of `other` stay on their side of the plane of the carrier's triangle?
  bool stays_above_face(int carrier, const Leaf::Piece& face, const Leaf::Piece& other) const {
    if (face.count < 3) return false;
    // Heights at the start, and at the end if they continued with their initial rate.
    double low = std::numeric_limits<double>::infinity(), high = -low, then_low = low, then_high = high;
    for (int k = 0; k < other.count; ++k) {
      const double height = face.normal.dot(other.corners[k] - face.corners[0]),
                   then = height + verdict_.time * face.normal.dot(other.speeds[k]);
      low = std::min(low, height), high = std::max(high, height);
      then_low = std::min(then_low, then), then_high = std::max(then_high, then);
    }
    const double level = level_ + face.planarity_error;
    if (!(low > level || high < -level)) return false;
    if (std::min(low, then_low) > level + path_deviation_[carrier] ||
        std::max(high, then_high) < -level - path_deviation_[carrier])
      return true;
    const CarriedPlane plane(whole_[carrier], whole_[1 - carrier],
                             low > level ? face.normal : Vec3(-face.normal), face.corners[0]);
    for (int k = 0; k < other.count; ++k)
      if (!plane.stays_above(other.corners[k], level, verdict_.time)) return false;
    return true;
  }

  // Does x stay above a plane carried by b, perpendicular to the shortest line between x and y?
  bool stay_apart(const Leaf::Piece& x, const Leaf::Piece& y) {
    const Vec3 n = compute_primitive_distance(x.corners, x.count, y.corners, y.count).normal;
    verdict_.evaluations = std::max(verdict_.evaluations, 1);
    double base = -std::numeric_limits<double>::infinity(), least = -base;
    for (int k = 0; k < y.count; ++k) base = std::max(base, n.dot(y.corners[k]));
    for (int k = 0; k < x.count; ++k)
      least = std::min(least, n.dot(x.corners[k]) + std::min(0.0, verdict_.time * n.dot(x.speeds[k])));
    return least - base > level_ + path_deviation_[1];
  }

  // The primitive of a leaf, or the whole convex shape.
  MovingSet part(int s, uint32_t item, Vec3* corners) const {
    MovingSet m = whole_[s];
    if (!trees_[s].shape) return m;
    const uint32_t primitive = trees_[s].shape->tree().items()[item];
    const Polyhedron::Primitive& p = trees_[s].shape->primitives()[primitive];
    for (int k = 0; k < p.count; ++k) corners[k] = trees_[s].shape->vertices()[p.corners[k]];
    m.set.points = corners, m.set.count = p.count, m.set.searched = nullptr;
    return m;
  }
  std::pair<uint32_t, uint32_t> items(int s, uint32_t node) const {
    if (!trees_[s].shape) return {0, 1};
    const geometry::Bvh::Node& n = trees_[s].shape->tree().nodes()[node];
    return {n.first, n.first + n.count};
  }
  void certify_leaves(uint32_t node_a, uint32_t node_b, PairMemory& memory) {
    const auto [a_begin, a_end] = items(0, node_a);
    const auto [b_begin, b_end] = items(1, node_b);
    const Leaf *leaf_a = polyhedra_ ? &load_leaf(0, node_a) : nullptr,
               *leaf_b = polyhedra_ ? &load_leaf(1, node_b) : nullptr;
    const double reach = level_ + path_of_boxes(node_a, node_b);
    for (uint32_t i = a_begin; i < a_end; ++i)
      for (uint32_t j = b_begin; j < b_end; ++j) {
        if (polyhedra_) {
          const Leaf::Piece &x = leaf_a->pieces[i - a_begin], &y = leaf_b->pieces[j - b_begin];
          if (((x.lower - y.upper).cwiseMax(y.lower - x.upper).array() > reach).any() ||
              stays_above_face(1, y, x) || stays_above_face(0, x, y) || stay_apart(x, y))
            continue;
        }
        certify_primitives(i, j, memory);
      }
  }
  void certify_primitives(uint32_t i, uint32_t j, PairMemory& memory) {
    Vec3 x[3], y[3];
    const MovingSet a = part(0, i, x), b = part(1, j, y);
    Verdict v;
    if (a.is_plane) {
      v = certify_sets(b, a, 0, verdict_.time, clearance_, rounding_, Vec3::UnitY());
      v.approach.normal = -v.approach.normal;
    } else {
      v = certify_sets(a, b, 0, verdict_.time, clearance_, rounding_,
                       a.set.p - b.set.p + Vec3(0, kDistance.min_guess, 0));
    }
    const int most = std::max(verdict_.evaluations, v.evaluations);
    if (!v.safe && (verdict_.safe || v.time < verdict_.time)) {
      verdict_ = v;
      if (trees_[0].shape) memory.primitives[0] = trees_[0].shape->tree().items()[i];
      if (trees_[1].shape) memory.primitives[1] = trees_[1].shape->tree().items()[j];
    }
    verdict_.evaluations = most;
  }

  MovingSet whole_[2];
  Tree trees_[2];
  Frame frames_[2];
  Mat3 abs_R_AB_;  // |R_AB|, entry by entry
  double spin_[2];
  double path_deviation_[2] = {0,
                               0};  // m: largest deviation of paths from straight lines, seen from each body
  double center_deviation_ = 0;     // m: the same for centres of fitted spheres of b, seen from a
  double angle_cosine_ = -1, angle_sine_ = 0;  // of the angle by which b can turn, seen from a
  double clearance_, rounding_, level_;        // level: clearance with all radii, deviations and rounding
  bool polyhedra_;                             // both shapes are polyhedra
  RelativeMotion seen_from_[2];                // of the other body, from each; for polyhedra
  static constexpr uint32_t kLoadedLeaves = 16;
  Leaf leaves_[2][kLoadedLeaves];
  Verdict verdict_;
};

}  // namespace

Placed placed_after(const Placed& start, const Motion& motion, double t) {
  Placed later = start;
  const Mat3 rotation = Quat::from_rotation_vector(t * motion.angular_velocity).to_matrix();
  later.R = rotation * start.R;
  later.p = motion.center + t * motion.velocity + rotation * (start.p - motion.center);
  return later;
}

namespace {

// Distance of a shape from the point it rotates about, 0 if it does not rotate.
double arm_of(const Placed& placed, const Motion& motion) {
  return motion.angular_velocity.isZero(0) ? 0 : (placed.p - motion.center).norm();
}

// Bound on the path length of the points of a shape.
double path_of(const Placed& placed, const Motion& motion, double h) {
  if (placed.collider->kind() == Collider::Kind::plane) return 0;
  const double arm = (placed.p - motion.center).norm() + placed.collider->reach();
  return h * (motion.velocity.norm() + motion.angular_velocity.norm() * arm);
}

// Boxes of triangles are rejected by a bound on their path length, so a long path is divided into pieces. No
// piece is longer than a part of the smaller shape.
Verdict certify_trees(const Placed& a, const Motion& motion_a, const Placed& b, const Motion& motion_b,
                      const Vec3& origin, double h, double clearance, double rounding,
                      const CertificateParameters& par, PairMemory& memory) {
  double size = std::numeric_limits<double>::infinity();
  for (const Placed* placed : {&a, &b})
    if (placed->collider->kind() != Collider::Kind::plane) size = std::min(size, placed->collider->reach());
  const double path = path_of(a, motion_a, h) + path_of(b, motion_b, h);
  const int pieces =
      size > 0 ? static_cast<int>(std::clamp(std::ceil(path / (par.piece * size)), 1.0, par.max_pieces)) : 1;
  Verdict whole;
  const auto time_of = [&](int k) { return h * (static_cast<double>(k) / pieces); };
  for (int k = 0; k < pieces; ++k) {
    const double start = time_of(k), length = time_of(k + 1) - start;
    const auto later = [&](Motion motion) {
      motion.center += start * motion.velocity;
      return motion;
    };
    const Verdict piece =
        TreeCertificate(placed_after(a, motion_a, start), later(motion_a), placed_after(b, motion_b, start),
                        later(motion_b), origin, length, clearance, rounding, par)
            .run(memory);
    const int evaluations = std::max(whole.evaluations, piece.evaluations);
    whole = piece;
    whole.evaluations = evaluations;
    whole.time = piece.safe ? h : start + piece.time;
    if (!piece.safe) break;
  }
  return whole;
}

// The feature of a shape that is farthest in direction d, up to rounding: of the whole shape, or of one
// primitive.
std::pair<Feature, uint32_t> find_feature(const Placed& placed, const Vec3& d, uint32_t primitive,
                                          double level) {
  if (placed.collider->kind() != Collider::Kind::polyhedron) return {Feature::surface, 0};
  const Polyhedron& shape = placed.collider->polyhedron();
  const Vec3 local = placed.R.transpose() * d;
  const bool whole = shape.is_convex() || primitive >= shape.primitives().size();
  const double slack = level * placed.collider->reach();
  const auto reach = [&](uint32_t v) { return shape.vertices()[v].dot(local); };
  std::vector<uint32_t> candidates;
  if (whole) {
    const double least = reach(shape.find_support(local)) - slack;
    shape.visit_vertices(
        [&](const Polyhedron::OrientedBox& box) { return shape.bound_along(box, local) < least; },
        [&](uint32_t v) {
          if (reach(v) >= least) candidates.push_back(v);
        });
  } else {
    const Polyhedron::Primitive& p = shape.primitives()[primitive];
    double most = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < p.count; ++k) most = std::max(most, reach(p.corners[k]));
    for (int k = 0; k < p.count; ++k)
      if (reach(p.corners[k]) >= most - slack) candidates.push_back(p.corners[k]);
  }
  if (candidates.size() == 1) return {Feature::vertex, candidates[0]};
  if (candidates.size() == 2)
    if (const uint32_t e = shape.find_edge(candidates[0], candidates[1]); e != Polyhedron::kNone)
      return {Feature::edge, e};
  if (!whole || !shape.has_faces()) return {Feature::face, whole ? 0 : primitive};
  uint32_t face = Polyhedron::kNone;
  for (const uint32_t v : candidates)
    for (const uint32_t w : shape.neighbours(v))
      for (const uint32_t f : shape.edges()[shape.find_edge(v, w)].faces) {
        if (f == Polyhedron::kNone) continue;
        const double along = face == f || face == Polyhedron::kNone
                                 ? std::numeric_limits<double>::infinity()
                                 : shape.normal(f).dot(local) - shape.normal(face).dot(local);
        if (along > 0 || (along == 0 && f < face)) face = f;
      }
  return {Feature::face, shape.face_triangle(face)};
}

}  // namespace

Verdict certify(const Placed& a, const Motion& motion_a, const Placed& b, const Motion& motion_b, double h,
                double clearance, PairMemory& memory, const CertificateParameters& par) {
  const Vec3 origin = b.p;
  // Poses at later times have the rounding of the path and of the lever arm.
  const double path = path_of(a, motion_a, h) + path_of(b, motion_b, h);
  const double rounding =
      compute_distance_rounding(a, b) + kDistance.round_off * std::numeric_limits<double>::epsilon() *
                                            (path + arm_of(a, motion_a) + arm_of(b, motion_b));
  Verdict verdict;
  verdict.time = h;
  if (a.collider->is_empty() || b.collider->is_empty()) return verdict;
  if (!is_measurable(a, b) || !(path < kDistance.max_size)) {
    verdict.safe = false, verdict.time = 0;
    verdict.approach = {a.p, Vec3::UnitY(), 0, {}};
    return verdict;
  }
  const bool plane_is_a = a.collider->kind() == Collider::Kind::plane,
             plane = plane_is_a || b.collider->kind() == Collider::Kind::plane;
  // A surface stays above a plane if its convex hull does.
  if (plane || (a.collider->is_convex() && b.collider->is_convex())) {
    const MovingSet x = moving_set_of(a, motion_a, origin, par), y = moving_set_of(b, motion_b, origin, par);
    Vec3 guess = memory.normal.isZero(0) ? Vec3(a.p - b.p) : memory.normal;
    if (guess.isZero(0)) guess = Vec3::UnitY();
    verdict = plane_is_a ? certify_sets(y, x, 0, h, clearance, rounding, guess)
                         : certify_sets(x, y, 0, h, clearance, rounding, guess);
    if (plane_is_a) verdict.approach.normal = -verdict.approach.normal;
    memory.normal = verdict.approach.normal;
  } else {
    verdict = certify_trees(a, motion_a, b, motion_b, origin, h, clearance, rounding, par, memory);
  }
  verdict.approach.point += origin;
  if (!verdict.safe) {
    const Vec3& n = verdict.approach.normal;
    const auto [kind_a, i] =
        find_feature(placed_after(a, motion_a, verdict.time), -n, memory.primitives[0], par.level);
    const auto [kind_b, j] =
        find_feature(placed_after(b, motion_b, verdict.time), n, memory.primitives[1], par.level);
    verdict.approach.key = make_key(kind_a, i, kind_b, j);
  }
  return verdict;
}

}  // namespace tumble::collision
