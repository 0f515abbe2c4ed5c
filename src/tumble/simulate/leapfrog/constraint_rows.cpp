#include "tumble/simulate/leapfrog/constraint_rows.h"

#include <algorithm>
#include <tuple>

#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/compliant_rows.h"

namespace tumble::simulate {

using contact::CachedContact;
using contact::ContactPoint;
using contact::ContactSet;
using core::BodyId;
using dynamics::ConeConstraint;
using math::Vec3;
using model::kNone;
using model::node_part;
using model::State;

double compute_rest_speed(const StepContext& c, double acceleration, double speed, bool bounces) {
  const double in_step = std::max(c.model.gravity().norm() * c.h_whole, acceleration * c.h_regular);
  return (bounces ? c.par.impact_speed : c.par.stop_speed) * in_step + c.par.hard_residual * speed;
}

double contact_acceleration_along(const KickRows& rows, const Vec3& normal, int a, int b) {
  double sum = 0;
  if (rows.contact_accelerations.empty()) return sum;
  for (const auto& [n, sign] : {std::pair(a, 1.0), std::pair(b, -1.0)})
    if (n != kNone)
      sum +=
          sign * normal.dot(Eigen::Map<const Vec3>(&rows.contact_accelerations[3 * static_cast<size_t>(n)]));
  return std::abs(sum);
}

void measure_approach_speeds(const StepContext& c, const State& at, std::span<const double> v, double half,
                             KickRows& rows) {
  for (ContactPoint& point : rows.contacts.points()) {
    const Vec3& normal = point.contact.normal;
    double approach = 0, before = 0, speed = 0;
    const int nodes[] = {c.shapes.node_of(point.a), c.shapes.node_of(point.b)};
    for (const auto& [n, item, sign] :
         {std::tuple(nodes[0], point.a, 1.0), std::tuple(nodes[1], point.b, -1.0)}) {
      if (n == kNone) continue;
      const Vec3 arm = point.contact.point - at.position(c.shapes.body_of(item));
      const auto velocity_in = [&arm, node = n](std::span<const double> w) {
        return Vec3(node_part(w, node).head<3>() + node_part(w, node).tail<3>().cross(arm));
      };
      const Vec3 velocity = velocity_in(v);
      approach -= sign * normal.dot(velocity);
      if (half > 0) before -= sign * normal.dot(velocity_in(rows.velocities));
      speed += velocity.norm();
    }
    point.approach_speed = approach;
    const double acceleration = contact_acceleration_along(rows, normal, nodes[0], nodes[1]) +
                                (half > 0 ? std::abs(approach - before) / half : 0);
    point.rest_speed = compute_rest_speed(c, acceleration, speed, point.law.restitution > 0);
  }
  for (LimitRow& row : rows.limits.rows) {
    const double unit = c.scales.length / c.unit_of(row.limit);
    const double rate = dynamics::relative_velocity(row.cone, v).x();
    row.approach_speed = -rate * unit;
    const double change = half > 0 ? rate - dynamics::relative_velocity(row.cone, rows.velocities).x() : 0;
    row.rest_speed = compute_rest_speed(c, half > 0 ? std::abs(change) * unit / half : 0,
                                        std::abs(row.approach_speed), true);
  }
}

void save_contact_accelerations(const StepContext& c, const ConstraintSet& cones, double duration,
                                std::vector<double>& accelerations) {
  const size_t count = cones.contact_count + cones.limit_count;
  accelerations.assign(count > 0 ? 3 * c.bodies.size() : 0, 0.0);
  for (const ConeConstraint& cone : std::span(cones.cones).first(count))
    for (const auto& [node, G] : {std::pair(cone.a, &cone.G_a), std::pair(cone.b, &cone.G_b)}) {
      if (node == kNone) continue;
      const auto n = static_cast<size_t>(node);
      Eigen::Map<Vec3>(&accelerations[3 * n]) +=
          c.model.body(c.bodies[n]).inverse_mass / duration * (G->leftCols<3>().transpose() * cone.impulse);
    }
}

void predict_gap_curvature(const StepContext& c, const State& at, const LeapfrogMemory& memory, double h,
                           KickRows& rows) {
  const double drift = memory.h_next;
  for (LimitRow& row : rows.limits.rows)
    if (const CachedLimit* last = memory.find_limit(row.limit); last && h <= 2 * drift)
      row.gap_curvature = std::min(0.0, (row.value - last->predicted_value) / (drift * drift));
  // Curvature beyond the bound means that this is another contact location.
  const std::span<ContactPoint> points = rows.contacts.points();
  for (ContactPoint& point : points)
    if (const CachedContact* last = point.last; last && h <= 2 * last->h)
      point.gap_curvature = std::clamp((point.contact.gap - last->predicted_gap) / (last->h * last->h),
                                       -bound_gap_curvature(c, at, point, memory.v_half), 0.0);
  const double same_normal = c.shapes.settings().par.same_normal;
  for (size_t first = 0, end; first < points.size(); first = end) {
    for (end = first;
         end < points.size() && points[end].a == points[first].a && points[end].b == points[first].b;)
      ++end;
    for (size_t i = first; i < end; ++i)
      for (size_t k = first; k < end; ++k)
        if (points[i].contact.normal.dot(points[k].contact.normal) > same_normal)
          points[i].gap_curvature = std::min(points[i].gap_curvature, points[k].gap_curvature);
  }
}

// With lever arms r, angular velocities w and sliding velocity u, half the second derivative of the gap
// n.(p_a - p_b) is at most the sum of w^2 r/2 and of w u.
double bound_gap_curvature(const StepContext& c, const State& at, const ContactPoint& point,
                           std::span<const double> v) {
  Vec3 slide = Vec3::Zero();
  double curvature = 0, angular_speed = 0;
  for (const auto& [item, sign] : {std::pair(point.a, 1.0), std::pair(point.b, -1.0)}) {
    const int n = c.shapes.node_of(item);
    if (n == kNone) continue;
    const Vec3 arm = point.contact.point - at.position(c.shapes.body_of(item)), w = node_part(v, n).tail<3>();
    slide += sign * (node_part(v, n).head<3>() + w.cross(arm));
    curvature += 0.5 * w.squaredNorm() * arm.norm();
    angular_speed += w.norm();
  }
  return curvature + angular_speed * slide.norm();
}

// In the middle of the drift lever arms are r + h/2 r', with r' as in the last drift. The relative velocity
// then changes by h/2 w x r'.
void predict_lever_arms(const StepContext& c, std::span<const double> v_half, ContactSet& contacts) {
  for (ContactPoint& point : contacts.points()) {
    const CachedContact* last = point.last;
    if (point.in_impact || point.law.stiffness > 0 || !last || last->key != point.contact.key) continue;
    const Vec3 point_velocity = (point.contact.point - last->point) / last->h;
    double fastest = 0;
    Vec3 acceleration = Vec3::Zero();
    for (const auto& [item, sign] : {std::pair(point.a, 0.5), std::pair(point.b, -0.5)}) {
      const int n = c.shapes.node_of(item);
      if (n == kNone) continue;
      const Vec3 v = node_part(v_half, n).head<3>(), w = node_part(v_half, n).tail<3>();
      acceleration += sign * w.cross(point_velocity - v);
      fastest = std::max(fastest, v.norm() + w.norm() * c.model.body(c.shapes.body_of(item)).radius);
    }
    // A point that moves faster than its bodies is a different contact point.
    if (point_velocity.norm() <= 2 * fastest) point.lever_arm_acceleration = acceleration;
  }
}

ConeConstraint make_contact_cone(const StepContext& c, const State& at, const ContactPoint& point, double h,
                                 bool warm) {
  const BodyId body_a = c.shapes.body_of(point.a), body_b = c.shapes.body_of(point.b);
  const collision::Contact& contact = point.contact;
  ConeConstraint cone;
  cone.a = c.bodies.node_of(body_a), cone.b = c.bodies.node_of(body_b);
  cone.friction = point.law.friction;
  cone.is_confined = point.is_tight && !point.is_compliant();
  const Vec3 arm_a = contact.point - at.position(body_a), arm_b = contact.point - at.position(body_b);
  for (int k = 0; k < 3; ++k) {
    cone.G_a.row(k) << point.axes[k].transpose(), arm_a.cross(point.axes[k]).transpose();
    cone.G_b.row(k) << -point.axes[k].transpose(), -arm_b.cross(point.axes[k]).transpose();
  }
  // The gap shall be the contact offset when the drift ends. A smaller gap is widened slowly, so that bodies
  // do not hop. A contact that carries closes at the rate of a whole step, so that it also carries in a short
  // part of a step.
  const double excess = contact.gap - point.offset;
  const double closing = point.has_carried() || point.in_impact ? std::max(h, c.h_whole) : h;
  cone.bias.x() =
      (excess > 0 ? excess / closing : std::max(excess / c.h_whole, -point.offset / c.scales.time)) +
      point.gap_curvature * h - point.velocity_bias;
  for (int k = 1; k < 3; ++k) cone.bias[k] = h * point.lever_arm_acceleration.dot(point.axes[k]);
  if (!warm || !point.last) return cone;
  for (int k = 0; k < 3; ++k) cone.impulse[k] = point.last->impulse.dot(point.axes[k]);
  if (point.last->sticks && point.law.stiffness == 0)
    for (int k = 1; k < 3; ++k) cone.bias[k] += point.last->slip.dot(point.axes[k]) / c.h_whole;
  return cone;
}

void build_constraints(const StepContext& c, const State& at, double h, const KickRows& rows,
                       std::span<const Vec3> actuator_guess, dynamics::KickProblem& problem,
                       ConstraintSet& cones) {
  cones.clear();
  for (const ContactPoint& point : rows.contacts.points()) {
    ConeConstraint& cone = cones.cones.emplace_back(make_contact_cone(c, at, point, h, true));
    if (point.is_compliant()) make_compliant(c, point, problem, cone);
    if (point.trial_impulse) cone.impulse = *point.trial_impulse;
  }
  for (const LimitRow& row : rows.limits.rows) {
    ConeConstraint& cone = cones.cones.emplace_back(make_limit_cone(c, row, h));
    if (row.trial_impulse) cone.impulse.x() = *row.trial_impulse;
  }
  cones.contact_count = rows.contacts.size(), cones.limit_count = rows.limits.rows.size();
  problem.add_actuators(cones.cones, cones.actuator_laws);
  if (actuator_guess.size() == cones.actuator_laws.size())
    for (size_t i = 0; i < actuator_guess.size(); ++i) cones.actuators()[i].impulse = actuator_guess[i];
}

void save_trial_impulses(const ConstraintSet& cones, KickRows& rows, KickSolution& solution) {
  for (size_t i = 0; i < rows.contacts.size(); ++i)
    rows.contacts.points()[i].trial_impulse = cones.contacts()[i].impulse;
  for (size_t i = 0; i < rows.limits.rows.size(); ++i)
    rows.limits.rows[i].trial_impulse = cones.limits()[i].impulse.x();
  solution.actuators.clear();
  for (const ConeConstraint& cone : cones.actuators()) solution.actuators.push_back(cone.impulse);
}

void clear_biases(KickRows& rows) {
  for (ContactPoint& point : rows.contacts.points()) point.velocity_bias = 0, point.trial_impulse.reset();
  for (LimitRow& row : rows.limits.rows) row.velocity_bias = 0;
}

void save_contacts(const StepContext& c, const ContactSet& contacts, const ConstraintSet& cones,
                   std::span<const double> v, double h_prev, double h, contact::ContactCache& cache) {
  std::vector<CachedContact>& saved = cache.contacts;
  saved.clear();
  for (size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& point = contacts.points()[i];
    const ConeConstraint& cone = cones.contacts()[i];
    CachedContact s{point.a, point.b, point.contact.key};
    for (int k = 0; k < 3; ++k) s.impulse += cone.impulse[k] * point.axes[k];
    s.sticks = cone.impulse.x() > 0 &&
               dynamics::tangential(cone.impulse) < c.par.sticking * cone.friction * cone.impulse.x();
    const Vec3 u = dynamics::relative_velocity(cone, v);
    // A rolling body changes its contact points. So the slip is accumulated, not the position.
    if (point.law.stiffness > 0) {
      s.slip = compute_shear(c, point, cone, u, h_prev, h);
    } else if (s.sticks) {
      s.slip = Vec3::Zero();
      for (int k = 1; k < 3; ++k)
        s.slip += h * (u[k] + h * point.lever_arm_acceleration.dot(point.axes[k])) * point.axes[k];
      if (point.last && point.last->sticks) s.slip += point.last->slip;
    }
    s.predicted_gap = point.contact.gap + h * u.x();
    s.h = h;
    s.point_A = point.point_A, s.point = point.contact.point;
    saved.push_back(s);
  }
  const auto key = [](const CachedContact& x) { return std::tuple(x.a, x.b, x.key); };
  const auto less = [&](const CachedContact& x, const CachedContact& y) { return key(x) < key(y); };
  const auto same = [&](const CachedContact& x, const CachedContact& y) { return key(x) == key(y); };
  // Insertion sort: pairs come nearly in order, equal entries keep their order, and no buffer is needed.
  for (auto entry = saved.begin(); entry != saved.end(); ++entry)
    std::rotate(std::upper_bound(saved.begin(), entry, *entry, less), entry, entry + 1);
  saved.erase(std::unique(saved.begin(), saved.end(), same), saved.end());
}

}  // namespace tumble::simulate
