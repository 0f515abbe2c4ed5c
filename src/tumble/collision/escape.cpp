#include "tumble/collision/escape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/parameters.h"

namespace tumble::collision {

using math::Vec3;

namespace {

Placed lifted(const Placed& placed, const Vec3& by) {
  Placed result = placed;
  result.p += by;
  return result;
}

// Keeps the direction, from b to a, along which two shapes overlap least.
struct WayOut {
  const Placed &a, &b;
  Vec3 direction = Vec3::UnitY();
  double overlap = std::numeric_limits<double>::infinity();  // m

  bool consider(const Vec3& n) {
    const double here = -compute_gap_along(a, b, n);
    if (!(here < overlap)) return false;
    overlap = here, direction = n;
    return true;
  }
};

// Out of a convex shape one gets soonest across one of its faces, or its rim.
void consider_faces(const Placed& placed, bool is_a, WayOut& way) {
  const double sign = is_a ? -1 : 1;
  const Collider& collider = *placed.collider;
  for (size_t f = 0; collider.polyhedron().has_faces() && f < collider.polyhedron().primitives().size(); ++f)
    way.consider(sign * (placed.R * collider.polyhedron().normal(f)));
}

// Or across two edges, or curved surfaces: where a has been lifted out of b, the nearest points say how it is done better.
WayOut find_way_out(const Placed& a, const Placed& b, double kept) {
  WayOut way{a, b};
  way.consider(compute_distance(a, b).normal);
  if (const Vec3 line = a.p - b.p; line.norm() > 0) way.consider(line / line.norm());
  consider_faces(a, true, way);
  consider_faces(b, false, way);
  for (int turn = 0; turn < kEscape.most_turns; ++turn) {
    const double before = way.overlap;
    const Vec3 lift = (std::max(0.0, before) * kEscape.beyond_depth + kept) * way.direction;
    if (!way.consider(compute_distance(lifted(a, lift), b).normal)) break;
    if (before - way.overlap < kEscape.shorter * (before + kept)) break;
  }
  return way;
}

// Where nothing else is known: along the normal of a half-space, the line between the two frames or an axis of the world.
Contact lead_out(const Placed& a, const Placed& b) {
  WayOut way{a, b};
  for (const Placed* plane : {&a, &b})
    if (plane->collider->kind() == Collider::Kind::plane)
      way.consider((plane == &a ? -1 : 1) * (plane->R * plane->collider->normal()));
  if (const Vec3 line = a.p - b.p; line.norm() > 0) way.consider(line / line.norm());
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) way.consider(sign * Vec3::Unit(axis));
  return {0.5 * (a.p + b.p), way.direction, -way.overlap, {}};
}

}  // namespace

void find_escape(const Placed& a, const Placed& b, double depth, const Shell& shell, ManifoldBuilder& builder,
                 std::vector<Contact>& contacts) {
  if (a.collider->is_empty() || b.collider->is_empty() || !is_measurable(a, b)) return;
  using Kind = Collider::Kind;
  const size_t first = contacts.size();
  const bool plane = a.collider->kind() == Kind::plane || b.collider->kind() == Kind::plane;
  PairMemory memory;
  if (a.collider->is_convex() && b.collider->is_convex() && !plane) {
    const WayOut way = find_way_out(a, b, shell.kept);
    const Vec3 lift = (std::max(0.0, way.overlap) * kEscape.beyond_depth + shell.kept) * way.direction;
    const Placed out = lifted(a, lift);
    Shell wide = shell;
    wide.thickness += compute_distance(out, b).distance;
    builder.build(out, b, wide, memory, contacts);
    for (size_t i = first; i < contacts.size(); ++i) {
      contacts[i].gap -= contacts[i].normal.dot(lift);
      contacts[i].point -= 0.5 * lift;
    }
  } else {
    Shell deep = shell;
    deep.deepest = kEscape.beyond_depth * depth + shell.kept;  // which is above all rounding
    builder.build(a, b, deep, memory, contacts);
  }
  const bool found =
      std::any_of(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
                  [&](const Contact& c) { return c.gap < shell.kept - kEscape.least_gain * depth; });
  if (found) return;
  contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end());
  const Contact out = lead_out(a, b);
  if (std::isfinite(out.gap)) contacts.push_back(out);
}

}  // namespace tumble::collision
