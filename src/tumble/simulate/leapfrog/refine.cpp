#include "tumble/simulate/leapfrog/refine.h"

#include <algorithm>
#include <numeric>

namespace tumble::simulate {

using contact::ContactPoint;
using contact::ContactSet;
using contact::Violation;
using math::Vec3;
using model::kNone;
using model::node_part;
using model::State;

namespace {

bool is_round(const StepContext& c, uint32_t item) {
  const collision::Collider::Kind kind = c.shapes.item(item).collider->kind();
  return kind == collision::Collider::Kind::cylinder || kind == collision::Collider::Kind::cone;
}

// True if, on at least one of the bodies, the violation is still at the location of this contact. Sliding
// contacts satisfy this. Two nearly parallel edges that rotate meet elsewhere on both.
bool has_stayed(const ContactPoint& point, const Violation& x) {
  const Vec3 displacement = x.contact.point - point.contact.point;
  return std::min((displacement - x.time * x.v_a).norm(), (displacement - x.time * x.v_b).norm()) <
         point.same_point_distance;
}

// Finds the contact of the violating features, or else the nearest contact of the same two shapes. Round
// shapes have no features and roll: there the search radius is larger and grows with the rotation.
const ContactPoint* find_point(const StepContext& c, const Violation& x, const Vec3& place,
                               const ContactSet& contacts, std::span<const double> v) {
  const contact::ContactParameters& par = c.shapes.settings().par;
  const bool round = is_round(c, x.a) || is_round(c, x.b);
  double rotation = 0;
  for (const uint32_t item : {x.a, x.b})
    if (const int n = c.shapes.node_of(item); n != kNone)
      rotation += x.time * node_part(v, n).tail<3>().norm();
  double least = (round ? par.same_round_point_distance + rotation : par.same_point_distance) *
                 c.shapes.pair_size(x.a, x.b);
  const ContactPoint *nearest = nullptr, *same = nullptr;
  contacts.for_each_of_pair(x.a, x.b, [&](const ContactPoint& point) {
    if (same) return;
    if (!round && point.contact.key == x.contact.key && has_stayed(point, x)) {
      same = &point;
      return;
    }
    if (!(point.contact.normal.dot(x.contact.normal) > par.same_direction)) return;
    if (const double distance = (point.contact.point - place).norm(); distance < least)
      least = distance, nearest = &point;
  });
  return same ? same : nearest;
}

// Fits gap(t) = gap + u t + curvature t^2 through the violation. At h the gap shall be the contact offset, or
// closer to it.
Remedy raise_bias(const StepContext& c, const State& at, const Violation& x, const ContactPoint& point,
                  const dynamics::ConeConstraint& cone, std::span<const double> v, double h) {
  const double t = x.time, u = dynamics::relative_velocity(cone, v).x(), gap = point.contact.gap;
  const double curvature = std::min(0.0, (x.contact.gap - gap - u * t) / (t * t));
  const double aim = gap > point.offset ? point.offset : gap + h / c.h_whole * (point.offset - gap);
  // A curvature beyond what rotation causes does not last: bodies that are nearly parallel change their
  // contact location until an end is reached. The drift is cut so short that the bias does not throw bodies
  // apart.
  const double largest = bound_gap_curvature(c, at, point, v);
  const double shorter =
      -curvature > largest
          ? std::min(h, std::max(c.typical_impact_speed() / -curvature, c.par.shortest_half * c.h_whole))
          : h;
  // On top of the velocity that the row already reaches beyond its own request.
  const double bias =
      std::max(0.0, u + cone.bias.x()) +
      std::max((aim - gap) / shorter - u - curvature * shorter,
               std::min((aim - x.contact.gap) / t, (point.offset - x.contact.gap) / c.h_whole));
  return {.kind = Remedy::Kind::raise, .h = shorter, .point = &point, .velocity_bias = bias};
}

}  // namespace

Remedy choose_remedy(const StepContext& c, const State& at, const Violation& x, const KickRows& rows,
                     const ConstraintSet& cones, std::span<const double> v, double h) {
  const ContactSet& contacts = rows.contacts;
  collision::Contact contact = x.contact;
  const double speed = -contact.normal.dot(x.v_a - x.v_b), t = x.time;
  const double shortest = c.par.shortest_part * c.h_whole;
  const Vec3 place = contact.point - 0.5 * t * (x.v_a + x.v_b);
  const ContactPoint* point = find_point(c, x, place, contacts, v);
  if (point && point->is_compliant()) return {.kind = Remedy::Kind::press_through, .h = h, .point = point};
  // The bodies are not that near, but a longer drift cannot be certified.
  if (contact.gap > c.shapes.settings().par.inconclusive_ratio * x.nearest && t > shortest)
    return {.kind = Remedy::Kind::cut, .h = std::min(h, 0.5 * t)};
  // An existing row did not account for the rotation of the bodies. It must also prevent this violation.
  if (point && t > shortest)
    return raise_bias(c, at, x, *point, cones.contacts()[contacts.index_of(*point)], v, h);
  // The drift ends at an impact, with the contact offset between the bodies.
  const double until = t - (1 - c.shapes.settings().par.certified) * x.offset / speed;
  const contact::PairLaw law = c.shapes.law_of(x.a, x.b);
  const bool bounces = law.restitution > 0;
  const bool touches = !bounces && contact.gap + t * speed <= c.touching_gap(x.offset);
  const double rest_speed = compute_rest_speed(
      c, contact_acceleration_along(rows, contact.normal, c.shapes.node_of(x.a), c.shapes.node_of(x.b)),
      x.v_a.norm() + x.v_b.norm(), bounces);
  // A bounce is never treated as a resting contact, however short the drift to it is.
  if (speed > rest_speed && until > (bounces ? 0 : shortest) && !touches && law.layer == 0)
    return {.kind = Remedy::Kind::cut, .h = std::min(h, until)};
  // Extrapolate from the time of the violation back to t_n, along the motion.
  contact.gap += t * speed;
  contact.point = place;
  return {.kind = Remedy::Kind::add, .h = h, .contact = contact};
}

void apply_remedy(const StepContext& c, const State& at, const Violation& x, const Remedy& remedy,
                  const contact::ContactCache& cache, KickRows& rows) {
  switch (remedy.kind) {
    case Remedy::Kind::press_through:
      rows.contacts.mutable_point(*remedy.point).pressed_through = true;
      break;
    case Remedy::Kind::cut:  // changes only the length of the drift, remedy.h
      break;
    case Remedy::Kind::raise:
      rows.contacts.mutable_point(*remedy.point).velocity_bias += remedy.velocity_bias;
      break;
    case Remedy::Kind::add:
      rows.contacts.add(
          c.shapes.make_point(at, x.a, x.b, remedy.contact, x.offset, c.shapes.law_of(x.a, x.b), cache));
      rows.couple(c.shapes.node_of(x.a), c.shapes.node_of(x.b));
      break;
  }
}

double refine(const StepContext& c, const State& at, const contact::ContactCache& cache,
              const DriftCheck& check, const ConstraintSet& cones, std::span<const double> v, double h,
              KickRows& rows, StepReport& report) {
  double shorter = h;
  for (const LimitViolation& violation : check.limits) {
    const double cut = refine_limit(c, violation, h, rows);
    if (!(cut > 0)) {
      report.status = StepStatus::joints_open, report.joint = c.model.limits()[violation.limit].get();
      return h;
    }
    shorter = std::min(shorter, cut);
  }
  for (const Violation& violation : check.contacts) {
    const Remedy remedy = choose_remedy(c, at, violation, rows, cones, v, h);
    apply_remedy(c, at, violation, remedy, cache, rows);
    if (remedy.h < shorter) {
      shorter = remedy.h;
      report.near_a = c.shapes.body_of(violation.a), report.near_b = c.shapes.body_of(violation.b);
    }
  }
  return shorter;
}

JointedGroups::JointedGroups(const model::Model& model, const model::MovingBodies& bodies)
    : group_(bodies.size()) {
  std::iota(group_.begin(), group_.end(), 0);
  const auto root = [&](int n) {
    while (group_[static_cast<size_t>(n)] != n) n = group_[static_cast<size_t>(n)];
    return n;
  };
  const auto join = [&](const model::Constraint& joint) {
    const int a = bodies.node_of(joint.a()), b = bodies.node_of(joint.b());
    if (a == kNone || b == kNone) return;
    const int x = root(a), y = root(b);
    group_[static_cast<size_t>(std::max(x, y))] = std::min(x, y);
  };
  for (const auto& joint : model.constraints()) join(*joint);
  for (const auto& limit : model.limits()) join(*limit);
  for (size_t n = 0; n < group_.size(); ++n) group_[n] = root(static_cast<int>(n));
}

void JointedGroups::mark_groups(std::vector<char>& marked) const {
  // The root of a group is its first node.
  for (size_t n = 0; n < group_.size(); ++n)
    if (marked[n]) marked[static_cast<size_t>(group_[n])] = 1;
  for (size_t n = 0; n < group_.size(); ++n) marked[n] = marked[static_cast<size_t>(group_[n])];
}

namespace {

// The first script that moves one of the marked nodes at this time, or null.
const model::Constraint* find_moving_script(const StepContext& c, const State& at,
                                            const std::vector<char>& marked) {
  model::ConstraintRows rows;
  const auto is_marked = [&](core::BodyId body) {
    const int n = c.bodies.node_of(body);
    return n != kNone && marked[static_cast<size_t>(n)] != 0;
  };
  for (const size_t k : c.model.moving_constraints()) {
    const model::Constraint& script = *c.model.constraints()[k];
    if (!is_marked(script.a()) && !is_marked(script.b())) continue;
    script.evaluate(at.time, motion_in(c.model, at, script.a()), motion_in(c.model, at, script.b()), rows);
    if (std::any_of(rows.rate, rows.rate + script.rows(), [](double rate) { return rate != 0; }))
      return &script;
  }
  return nullptr;
}

// The same for two nodes and all that is joined to them.
const model::Constraint* find_moving_script(const StepContext& c, const State& at,
                                            const JointedGroups& groups, int a, int b) {
  std::vector<char> marked(c.bodies.size(), 0);
  JointedGroups::mark(a, marked), JointedGroups::mark(b, marked);
  groups.mark_groups(marked);
  return find_moving_script(c, at, marked);
}

// The first limit that a script drives beyond the accuracy, or null.
const model::Limit* find_forced_limit(const StepContext& c, const State& at, const JointedGroups& groups,
                                      std::span<const LimitViolation> violations) {
  for (const LimitViolation& x : violations) {
    if (!(-x.value > c.accuracy * c.unit_of(x.limit))) continue;
    const model::Limit& limit = *c.model.limits()[x.limit];
    if (find_moving_script(c, at, groups, c.bodies.node_of(limit.a()), c.bodies.node_of(limit.b())))
      return &limit;
  }
  return nullptr;
}

}  // namespace

bool find_jam_in_impact(const StepContext& c, const State& at, const KickRows& rows,
                        const JointedGroups& groups, StepReport& report) {
  if (c.model.moving_constraints().empty()) return false;
  for (const ContactPoint& point : rows.contacts.points()) {
    if (!point.in_impact || !(point.approach_speed > point.rest_speed)) continue;
    const model::Constraint* script =
        find_moving_script(c, at, groups, c.shapes.node_of(point.a), c.shapes.node_of(point.b));
    if (!script) continue;
    report.status = StepStatus::jammed, report.joint = script;
    report.near_a = c.shapes.body_of(point.a), report.near_b = c.shapes.body_of(point.b);
    return true;
  }
  for (const LimitRow& row : rows.limits.rows) {
    if (!is_reached(c, row) || !(row.approach_speed > row.rest_speed)) continue;
    if (!find_moving_script(c, at, groups, row.cone.a, row.cone.b)) continue;
    report.status = StepStatus::joints_open, report.joint = c.model.limits()[row.limit].get();
    return true;
  }
  return false;
}

void hold_bodies(const StepContext& c, const State& at, double h, const ContactSet& contacts,
                 const JointedGroups& groups, contact::ContactFinder& finder, DriftCheck& check,
                 KickSolution& solution, StepReport& report) {
  if (!check.limits.empty()) ++report.limits_passed;
  if (const model::Limit* limit = find_forced_limit(c, at, groups, check.limits)) {
    report.status = StepStatus::joints_open, report.joint = limit;
    return;
  }
  if (check.contacts.empty()) return;
  std::vector<char> held(c.bodies.size(), 0);
  solution.held = true;
  solution.v_solved = solution.v;
  std::vector<double>& v = solution.v;
  std::vector<Violation>& violations = check.contacts;
  const auto is_held = [&](uint32_t item) {
    const int n = c.shapes.node_of(item);
    return n == kNone || held[static_cast<size_t>(n)] != 0;
  };
  bool any_held = false;
  report.near_a = c.shapes.body_of(violations.front().a);
  report.near_b = c.shapes.body_of(violations.front().b);
  for (++report.holds;; finder.certify_drift(at, v, h, contacts, violations)) {
    // Two held bodies come no nearer, whatever the certificate reports.
    std::erase_if(violations, [&](const Violation& x) { return is_held(x.a) && is_held(x.b); });
    if (violations.empty()) return;
    if (any_held) ++report.freezes;
    for (const Violation& x : violations)
      for (const uint32_t item : {x.a, x.b})
        if (const int n = c.shapes.node_of(item); n != kNone)
          held[static_cast<size_t>(n)] = 1, any_held = true;
    groups.mark_groups(held);
    if (const model::Constraint* script = find_moving_script(c, at, held)) {
      report.status = StepStatus::jammed, report.joint = script;
      return;
    }
    for (size_t n = 0; n < held.size(); ++n)
      if (held[n]) std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(6 * n), 6, 0.0);
  }
}

}  // namespace tumble::simulate
