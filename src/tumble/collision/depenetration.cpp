#include "tumble/collision/depenetration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/gjk.h"
#include "tumble/collision/parameters.h"

namespace tumble::collision {

using math::Vec3;

namespace {

Placed translated(const Placed& placed, const Vec3& by) {
  Placed result = placed;
  result.p += by;
  return result;
}

// The direction from b to a along which two shapes overlap least, among those tried.
struct SeparatingDirection {
  const Placed &a, &b;
  Vec3 direction = Vec3::UnitY();
  double overlap = std::numeric_limits<double>::infinity();  // m

  bool try_direction(const Vec3& n) {
    const double here = -compute_gap_along(a, b, n);
    if (!(here < overlap)) return false;
    overlap = here, direction = n;
    return true;
  }
};

// Candidates for convex shapes: the face normals of a polyhedron, including that of a cylinder or cone.
void try_faces(const Placed& placed, bool is_a, SeparatingDirection& best) {
  const double sign = is_a ? -1 : 1;
  const Collider& collider = *placed.collider;
  for (size_t f = 0; collider.polyhedron().has_faces() && f < collider.polyhedron().primitives().size(); ++f)
    best.try_direction(sign * (placed.R * collider.polyhedron().normal(f)));
}

// Finds a direction in which a leaves b. Edges and curved surfaces have other directions than faces: move a
// out of b, then the nearest points give a better direction.
SeparatingDirection find_separating_direction(const Placed& a, const Placed& b, double contact_offset) {
  SeparatingDirection best{a, b};
  best.try_direction(compute_distance(a, b).normal);
  if (const Vec3 line = a.p - b.p; line.norm() > 0) best.try_direction(line / line.norm());
  try_faces(a, true, best);
  try_faces(b, false, best);
  for (int i = 0; i < kDepenetration.max_directions; ++i) {
    const double before = best.overlap;
    const Vec3 shift = (std::max(0.0, before) * kDepenetration.overshoot + contact_offset) * best.direction;
    if (!best.try_direction(compute_distance(translated(a, shift), b).normal)) break;
    if (before - best.overlap < kDepenetration.min_reduction * (before + contact_offset)) break;
  }
  return best;
}

// Are both polyhedra without rounding?
bool are_sharp(const Placed& a, const Placed& b) {
  for (const Placed* placed : {&a, &b})
    if (placed->collider->kind() != Collider::Kind::polyhedron || placed->collider->polyhedron().radius() > 0)
      return false;
  return true;
}

// The face normals of the Minkowski difference D of two polyhedra that are about as deep as the least
// overlap: faces of either shape, and pairs of edges. The edges must reach the plane that supports both.
class LeastDeepFaces {
 public:
  LeastDeepFaces(const SeparatingDirection& best, double contact_offset) : best_(best) {
    const double least = std::max(0.0, best.overlap),
                 size = std::min(best.a.collider->reach(), best.b.collider->reach());
    deepest_ = least + contact_offset + (least <= kDepenetration.shallow * size ? least : 0);
    add_faces(best.a, -1);
    add_faces(best.b, 1);
    const std::vector<Line> of_a = find_low_edges(best.a, best.direction),
                            of_b = find_low_edges(best.b, -best.direction);
    for (const Line& x : of_a)
      for (const Line& y : of_b) add_edges(x, y);
  }
  const std::vector<Vec3>& normals() const { return normals_; }

 private:
  struct Line {
    Vec3 along, into[2];  // unit, or zero: see Polyhedron::Edge
    // Does n, from this shape to the other, lie in the cone of the face normals at the edge?
    bool faces(const Vec3& n) const {
      return into[0].dot(n) <= kDepenetration.cone_slack && into[1].dot(n) <= kDepenetration.cone_slack;
    }
  };
  void add(const Vec3& n) {
    const bool known = std::any_of(normals_.begin(), normals_.end(), [&](const Vec3& m) {
      return (m - n).squaredNorm() < kDepenetration.same_normal * kDepenetration.same_normal;
    });
    if (!known && -compute_gap_along(best_.a, best_.b, n) <= deepest_) normals_.push_back(n);
  }
  void add_faces(const Placed& placed, double sign) {
    const Polyhedron& shape = placed.collider->polyhedron();
    for (const Polyhedron::Face& face : shape.faces()) add(sign * (placed.R * shape.normal(face.triangle)));
  }
  void add_edges(const Line& x, const Line& y) {
    const Vec3 across = x.along.cross(y.along);
    const double sine = across.norm();
    if (!(sine > kDepenetration.parallel)) return;
    for (const double sign : {1.0, -1.0})
      if (const Vec3 n = sign / sine * across; x.faces(-n) && y.faces(n)) add(n);
  }
  // Edges that reach down to the lowest point of the shape along `up`, up to the greatest depth.
  std::vector<Line> find_low_edges(const Placed& placed, const Vec3& up) const {
    const Polyhedron& shape = placed.collider->polyhedron();
    const Vec3 local = placed.R.transpose() * up;
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3& x : shape.vertices()) lowest = std::min(lowest, local.dot(x));
    std::vector<Line> low;
    for (const uint32_t e : shape.sharp_edges()) {
      const Polyhedron::Edge& edge = shape.edges()[e];
      const Vec3 &p = shape.vertices()[edge.a], &q = shape.vertices()[edge.b];
      if (std::min(local.dot(p), local.dot(q)) > lowest + 2 * deepest_) continue;
      low.push_back({placed.R * (q - p).normalized(), {placed.R * edge.into[0], placed.R * edge.into[1]}});
    }
    return low;
  }

  const SeparatingDirection& best_;
  double deepest_;
  std::vector<Vec3> normals_;
};

// Where edges and corners touch, a whole cone of directions separates the shapes equally well, and rounding
// would choose among them. The axis of the cone is chosen: solves (2).
void choose_middle(double contact_offset, SeparatingDirection& best) {
  if (!are_sharp(best.a, best.b)) return;
  const std::vector<Vec3> normals = LeastDeepFaces(best, contact_offset).normals();
  if (normals.empty()) return;
  ConvexSet hull, origin;
  const Vec3 zero = Vec3::Zero();
  hull.points = normals.data(), hull.count = static_cast<int>(normals.size());
  origin.points = &zero, origin.count = 1;
  const Separation axis = compute_convex_distance(hull, origin, best.direction);
  if (!(axis.distance > kDepenetration.least_cosine)) return;
  best.direction = axis.on_a.normalized();
  best.overlap = -compute_gap_along(best.a, best.b, best.direction);
}

// Fallback: along the normal of a half-space, the line between the two frames, or an axis of the world.
Contact fallback_contact(const Placed& a, const Placed& b) {
  SeparatingDirection best{a, b};
  for (const Placed* plane : {&a, &b})
    if (plane->collider->kind() == Collider::Kind::plane)
      best.try_direction((plane == &a ? -1 : 1) * (plane->R * plane->collider->normal()));
  if (const Vec3 line = a.p - b.p; line.norm() > 0) best.try_direction(line / line.norm());
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) best.try_direction(sign * Vec3::Unit(axis));
  return {0.5 * (a.p + b.p), best.direction, -best.overlap, {}};
}

}  // namespace

void find_separating_contacts(const Placed& a, const Placed& b, double depth, const ContactRange& range,
                              ManifoldBuilder& builder, std::vector<Contact>& contacts) {
  if (a.collider->is_empty() || b.collider->is_empty() || !is_measurable(a, b)) return;
  using Kind = Collider::Kind;
  const size_t first = contacts.size();
  const bool plane = a.collider->kind() == Kind::plane || b.collider->kind() == Kind::plane;
  PairMemory memory;
  if (a.collider->is_convex() && b.collider->is_convex() && !plane) {
    SeparatingDirection best = find_separating_direction(a, b, range.contact_offset);
    choose_middle(range.contact_offset, best);
    const Vec3 shift =
        (std::max(0.0, best.overlap) * kDepenetration.overshoot + range.contact_offset) * best.direction;
    const Placed out = translated(a, shift);
    ContactRange wide = range;
    wide.max_gap += compute_distance(out, b).distance;
    builder.build(out, b, wide, memory, contacts);
    for (size_t i = first; i < contacts.size(); ++i) {
      contacts[i].gap -= contacts[i].normal.dot(shift);
      contacts[i].point -= 0.5 * shift;
    }
  } else {
    ContactRange deep = range;
    deep.max_penetration = kDepenetration.overshoot * depth + range.contact_offset;  // above all rounding
    builder.build(a, b, deep, memory, contacts);
  }
  const bool found = std::any_of(
      contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
      [&](const Contact& c) { return c.gap < range.contact_offset - kDepenetration.min_gain * depth; });
  if (found) return;
  contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end());
  const Contact out = fallback_contact(a, b);
  if (std::isfinite(out.gap)) contacts.push_back(out);
}

std::vector<Vec3> find_turning_tangents(const Placed& a, const Placed& b, const Contact& contact) {
  if (!are_sharp(a, b)) return {};
  const uint64_t key = contact.key.value;
  const auto of_a = static_cast<Feature>(key >> 62), of_b = static_cast<Feature>(key >> 30 & 3);
  const Vec3& n = contact.normal;
  if (of_a == Feature::vertex && of_b == Feature::vertex) {
    int axis = 0;
    n.cwiseAbs().minCoeff(&axis);
    const Vec3 t = n.cross(Vec3::Unit(axis)).normalized();
    return {t, n.cross(t)};
  }
  const bool edge_of_a = of_a == Feature::edge && of_b == Feature::vertex;
  if (!edge_of_a && !(of_a == Feature::vertex && of_b == Feature::edge)) return {};
  const Placed& placed = edge_of_a ? a : b;
  const Polyhedron& shape = placed.collider->polyhedron();
  const Polyhedron::Edge& edge =
      shape.edges()[static_cast<uint32_t>(edge_of_a ? key >> 32 : key) & 0x3fffffff];
  return {n.cross(placed.R * (shape.vertices()[edge.b] - shape.vertices()[edge.a])).normalized()};
}

}  // namespace tumble::collision
