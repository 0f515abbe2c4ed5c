#include "tumble/simulate/leapfrog/accounting.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/diagnostic.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/constraint_rows.h"

namespace tumble::simulate {

using contact::ContactEvent;
using contact::ContactPoint;
using core::BodyId;
using math::Vec3;
using model::State;

BodyId find_not_finite(const State& state) {
  // 0 x is NaN unless x is finite. Four partial sums vectorise; isfinite() of every number does not.
  double sums[4] = {};
  for (size_t k = 0; k + 4 <= state.y.size(); k += 4)
    for (size_t i = 0; i < 4; ++i) sums[i] += 0 * state.y[k + i];
  for (size_t k = state.y.size() & ~size_t{3}; k < state.y.size(); ++k) sums[0] += 0 * state.y[k];
  if (sums[0] + sums[1] + sums[2] + sums[3] == 0) return {};
  const auto bad = std::find_if(state.y.begin(), state.y.end(), [](double x) { return !std::isfinite(x); });
  if (bad == state.y.end()) return {};
  return BodyId(static_cast<size_t>(bad - state.y.begin()) / model::kBodySize);
}

void add_contact_event(const StepContext& c, const ContactPoint& point, const dynamics::ConeConstraint& cone,
                       std::span<const double> v, double from, double to, double h,
                       std::vector<ContactEvent>& events) {
  const Vec3& r = cone.impulse;
  if (r == Vec3::Zero()) return;
  ContactEvent event{point.a,          point.b, point.contact.key, point.contact.point, point.contact.normal,
                     point.contact.gap};
  for (int k = 0; k < 3; ++k) event.impulse += r[k] * point.axes[k];
  Vec3 u = dynamics::relative_velocity(cone, v);
  if (h > 0)
    for (int k = 1; k < 3; ++k) u[k] += h * point.lever_arm_acceleration.dot(point.axes[k]);
  event.slip = dynamics::tangential(u);
  event.state = from == to ? ContactEvent::State::impact
                : dynamics::tangential(r) < c.par.sticking * cone.friction * r.x()
                    ? ContactEvent::State::stick
                    : ContactEvent::State::slip;
  event.from = from, event.to = to;
  events.push_back(event);
}

int count_contact_points(std::span<const ContactEvent> events, std::vector<contact::PointName>& scratch) {
  scratch.clear();
  for (const ContactEvent& event : events) scratch.emplace_back(event.a, event.b, event.key);
  std::sort(scratch.begin(), scratch.end());
  return static_cast<int>(std::unique(scratch.begin(), scratch.end()) - scratch.begin());
}

size_t count_script_rows(const model::Model& model) {
  size_t rows = 0;
  for (const size_t k : model.moving_constraints())
    rows += static_cast<size_t>(model.constraints()[k]->rows());
  return rows;
}

void compute_script_forces(const model::Model& model, const dynamics::KickProblem& problem,
                           std::span<const double> lambda, double duration, std::vector<double>& forces) {
  forces.clear();
  for (const size_t k : model.moving_constraints()) {
    const size_t first = problem.first_row(k), rows = static_cast<size_t>(model.constraints()[k]->rows());
    for (size_t i = first; i < first + rows; ++i) forces.push_back(lambda[i] / duration);
  }
}

// The speed along a row is that of the bodies, not the rate of the curve. At a corner of a curve only the
// speeds of the bodies agree with the change of kinetic energy. Only script rows do work: along the other
// rows of a scripted joint the bodies have a speed of order h^2, an error of the method.
void add_script_work(const model::Model& model, double h, std::span<const double> forces_start,
                     std::span<const double> forces_end, const State& start, State& end) {
  model::ConstraintRows at_start, at_end;
  size_t row = 0;
  double* work = &end.work[model.forces().size()];
  for (const size_t k : model.moving_constraints()) {
    const model::Constraint& constraint = *model.constraints()[k];
    const model::BodyMotion a0 = motion_in(model, start, constraint.a()),
                            b0 = motion_in(model, start, constraint.b()),
                            a1 = motion_in(model, end, constraint.a()),
                            b1 = motion_in(model, end, constraint.b());
    constraint.evaluate(start.time, a0, b0, at_start);
    constraint.evaluate(end.time, a1, b1, at_end);
    const int first = constraint.first_script_row() < constraint.rows() ? constraint.first_script_row() : 0;
    double sum = 0;
    for (int i = 0; i < constraint.rows(); ++i, ++row) {
      if (i < first) continue;
      const double speed = speed_of_row(constraint, at_start, i, a0, b0) - at_start.rate[i] +
                           speed_of_row(constraint, at_end, i, a1, b1) - at_end.rate[i];
      sum -= (forces_start[row] + forces_end[row]) * speed;
    }
    *work++ += 0.25 * h * sum;
  }
}

void add_work(const model::Model& model, const dynamics::KickProblem& problem, double h,
              std::span<const double> v_half, std::span<const double> forces_start,
              std::span<const double> forces_end, const State& start, std::vector<double>& scratch,
              State& end) {
  std::vector<double>& twice = scratch;  // the sum of the velocities at both ends
  twice.assign(problem.size(), 0.0);
  problem.add_velocities(start, twice);
  problem.add_velocities(end, twice);
  for (size_t k = 0; k < model.forces().size(); ++k) {
    const auto [a, b] = problem.nodes_of_law(k);
    const bool dissipative = model.forces()[k]->is_dissipative();
    const double *then = &forces_start[kLawForceSize * k], *now = &forces_end[kLawForceSize * k];
    double sum = 0;
    for (const int node : {a, b}) {
      const size_t first = 6 * static_cast<size_t>(node);
      for (size_t i = 0; node != model::kNone && i < 6; ++i)
        sum += (then[i] + now[i]) * (dissipative ? v_half[first + i] : 0.5 * twice[first + i]);
      then += 6, now += 6;
    }
    // What a damper gives, by an error of the method, is a gain of energy and no work.
    end.work[k] += 0.5 * h * (dissipative ? std::min(0.0, sum) : sum);
  }
}

void store_momenta(const model::MovingBodies& bodies, std::span<const double> momenta, State& state) {
  for (size_t n = 0; n < bodies.size(); ++n)
    std::copy_n(&momenta[6 * n], 6, &state.y[bodies[n].index() * model::kBodySize + model::kMomentumAt]);
}

void add_momenta(const model::MovingBodies& bodies, std::span<const double> momenta, State& state) {
  for (size_t n = 0; n < bodies.size(); ++n)
    for (size_t k = 0; k < 6; ++k)
      state.y[bodies[n].index() * model::kBodySize + model::kMomentumAt + k] += momenta[6 * n + k];
}

namespace {
// Adds the impulses of one law on its two bodies.
void add_law_impulse(const dynamics::KickProblem& problem, size_t law, std::span<const double> law_forces,
                     double time, std::span<double> momenta) {
  const auto [a, b] = problem.nodes_of_law(law);
  const double* force = &law_forces[kLawForceSize * law];
  for (const int node : {a, b}) {
    for (size_t k = 0; node != model::kNone && k < 6; ++k)
      momenta[6 * static_cast<size_t>(node) + k] += time * force[k];
    force += 6;
  }
}
}  // namespace

void add_law_impulses(const dynamics::KickProblem& problem, std::span<const double> law_forces, double time,
                      std::span<double> momenta) {
  for (size_t law = 0; law * kLawForceSize < law_forces.size(); ++law)
    add_law_impulse(problem, law, law_forces, time, momenta);
}

void save_other_forces(const StepContext& c, const dynamics::KickProblem& problem,
                       std::span<const dynamics::ConeConstraint> cones, double duration,
                       LeapfrogMemory& next) {
  std::vector<double>& forces = next.other_forces;
  forces.clear();
  if (std::none_of(next.laws.begin(), next.laws.end(), [](const auto& law) { return law.along.ringing > 0; }))
    return;
  forces.assign(problem.size(), 0.0);
  for (const dynamics::ConeConstraint& cone : cones)
    for (const auto& [node, G] : {std::pair(cone.a, &cone.G_a), std::pair(cone.b, &cone.G_b)})
      if (node != model::kNone)
        Eigen::Map<model::Vec6>(&forces[6 * static_cast<size_t>(node)]) +=
            G->transpose() * cone.impulse / duration;
  for (size_t k = 0; k < c.model.forces().size(); ++k)
    if (c.model.forces()[k]->is_dissipative())
      add_law_impulse(problem, k, next.last_kick.law_forces, 1, forces);
}

void match_velocities(const StepContext& c, std::span<const double> momenta, double h, std::span<double> v) {
  for (size_t n = 0; n < c.bodies.size(); ++n) {
    // Bodies without room have none for this either.
    if (c.shapes.settings().tight.has_no_room(c.bodies[n])) continue;
    const model::Body& body = c.model.body(c.bodies[n]);
    Eigen::Map<Vec3> velocity(&v[6 * n]);
    const Vec3 matched = body.inverse_mass * Eigen::Map<const Vec3>(&momenta[6 * n]);
    if (h * (matched - velocity).norm() <= c.par.matched_drift * body.radius) velocity = matched;
  }
}

void store_midpoint_momenta(const model::MovingBodies& bodies, std::span<const double> before,
                            std::span<const double> after, double share_after, State& state) {
  for (size_t n = 0; n < bodies.size(); ++n) {
    double* p = &state.y[bodies[n].index() * model::kBodySize + model::kMomentumAt];
    for (size_t k = 0; k < 6; ++k)
      p[k] = before[6 * n + k] + share_after * (after[6 * n + k] - before[6 * n + k]);
  }
}

}  // namespace tumble::simulate
