#include "tumble/collision/depenetration.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    const SeparatingDirection best = find_separating_direction(a, b, range.contact_offset);
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

}  // namespace tumble::collision
