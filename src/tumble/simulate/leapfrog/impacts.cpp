#include "tumble/simulate/leapfrog/impacts.h"

#include <algorithm>

#include "tumble/simulate/leapfrog/accounting.h"

namespace tumble::simulate {

using contact::ContactPoint;
using dynamics::ConeConstraint;
using model::kNone;
using model::State;

namespace {

// Solves for the velocities that belong to momenta under the joints, by the system `problem` is assembled
// for.
void solve_velocities(std::span<const double> momenta, dynamics::KickProblem& problem, ImpactScratch& ws) {
  ws.v.assign(momenta.begin(), momenta.end());
  ws.lambda.assign(problem.c().begin(), problem.c().end());
  problem.matrix().clear_addition();
  problem.matrix().factor();
  problem.matrix().solve(ws.v.data(), ws.lambda.data());
}

// Solves for the multipliers of the joints in the impact, N s or N m s, into ws.lambda.
void solve_joint_impulses(dynamics::KickProblem& problem, ImpactScratch& ws) {
  ws.x.assign(problem.size(), 0.0);
  ws.lambda.assign(problem.matrix().rows(), 0.0);
  for (const ConeConstraint& cone : ws.cones.cones)
    for (const auto& [node, G] : {std::pair(cone.a, &cone.G_a), std::pair(cone.b, &cone.G_b)})
      if (node != kNone)
        Eigen::Map<model::Vec6>(&ws.x[6 * static_cast<size_t>(node)]) += G->transpose() * cone.impulse;
  problem.matrix().clear_addition();
  problem.matrix().factor();
  problem.matrix().solve(ws.x.data(), ws.lambda.data());
}

// Adds the reactions of the joints to the impulses of the impact.
void add_joint_impulses(const StepContext& c, dynamics::KickProblem& problem, ImpactScratch& ws,
                        Impact& impact) {
  for (size_t i = 0; i < ws.limit_impulses.size(); ++i)
    ws.limit_impulses[i].impulse = ws.cones.limits()[i].impulse.x();
  std::sort(ws.limit_impulses.begin(), ws.limit_impulses.end(),
            [](const LimitImpulse& x, const LimitImpulse& y) { return x.limit < y.limit; });
  compute_kick_reactions(c.model, problem, ws.lambda, ws.limit_impulses, {}, ActingLaws::none, ws.cones,
                         ws.reactions);
  add_scaled(impact.reactions, ws.reactions, 1);
}

// The work of scripts in the impact: the speed they prescribe, -dC/dt, times their impulse, -lambda.
void compute_script_work(const StepContext& c, const State& at, const dynamics::KickProblem& problem,
                         std::span<const double> lambda, std::vector<double>& work) {
  work.clear();
  model::ConstraintRows rows;
  for (const size_t k : c.model.moving_constraints()) {
    const model::Constraint& constraint = *c.model.constraints()[k];
    constraint.evaluate(at.time, motion_in(c.model, at, constraint.a()),
                        motion_in(c.model, at, constraint.b()), rows);
    double sum = 0;
    for (int i = 0; i < constraint.rows(); ++i)
      sum += lambda[problem.first_row(k) + static_cast<size_t>(i)] * rows.rate[i];
    work.push_back(sum);
  }
}

// True if a contact or limit approaches faster than `speed`, m/s.
bool any_approaches(const KickRows& rows, double speed) {
  const auto approaches = [&](const auto& row) { return row.approach_speed > speed; };
  const std::span<const ContactPoint> points = rows.contacts.points();
  return std::any_of(points.begin(), points.end(), approaches) ||
         std::any_of(rows.limits.rows.begin(), rows.limits.rows.end(), approaches);
}

// Fills ws.cones with the contacts and limits that are in an impact, if any of them approaches fast enough.
bool select_impact(const StepContext& c, const State& at, double h, KickRows& rows, ImpactScratch& ws) {
  const double threshold = c.approach_threshold();
  ws.cones.clear(), ws.restitution.clear(), ws.limit_impulses.clear();
  bool any = false;
  for (ContactPoint& point : rows.contacts.points()) {
    const double approach = point.approach_speed;
    // A contact with restitution 0 is stopped now if it would be reached in the coming drift.
    const bool reaches = !point.is_compliant() && point.law.restitution == 0 && approach > threshold &&
                         approach * h > point.contact.gap - point.offset;
    point.in_impact = point.contact.gap <= c.par.touching * point.offset || reaches;
    if (!point.in_impact) continue;
    ws.cones.cones.push_back(make_contact_cone(c, at, point, 1, false));
    ws.restitution.push_back(point.law.restitution);
    any = any || approach > threshold;
  }
  ws.cones.contact_count = ws.cones.cones.size();
  for (const LimitRow& row : rows.limits.rows) {
    if (!is_reached(c, row)) continue;
    ws.limit_impulses.push_back({row.limit, 0});
    ws.cones.cones.push_back(row.cone);
    ws.restitution.push_back(c.model.limits()[row.limit]->restitution());
    any = any || row.approach_speed > threshold;
  }
  ws.cones.limit_count = ws.limit_impulses.size();
  if (!any)
    for (ContactPoint& point : rows.contacts.points()) point.in_impact = false;
  return any;
}

}  // namespace

void resolve_impacts(const StepContext& c, const State& at, std::span<const double> momenta,
                     const KickTimes& times, KickRows& rows, dynamics::KickProblem& problem,
                     dynamics::ContactSolver& solver, ImpactScratch& ws, Impact& impact,
                     std::vector<contact::ContactEvent>& events, StepReport& report) {
  impact.any = false;
  if (!any_approaches(rows, c.par.impact_screen * c.approach_threshold())) return;
  // Velocities at t_n, after the force laws have acted in the half step before it.
  problem.assemble(at, momenta, 0.5 * times.h_prev, 0, rows.couplings);
  ++report.assemblies;
  solve_velocities(problem.b(), problem, ws);
  measure_approach_speeds(c, at, ws.v, rows);
  impact.any = select_impact(c, at, times.h, rows, ws);
  if (!impact.any) return measure_approach_speeds(c, at, rows.velocities, rows);

  if (c.reactions) {
    compute_kick_reactions(c.model, problem, ws.lambda, {}, ws.v, ActingLaws::before_impact, ws.cones,
                           impact.reactions_before);
    impact.reactions = impact.reactions_before;
  }
  compute_law_forces(c.model, problem, ws.v, ActingLaws::before_impact, ws.cones, impact.law_forces);
  problem.compute_momenta(ws.v, impact.p_before);
  // The impact takes no time: force laws do not act in it.
  problem.assemble(at, impact.p_before, 0, 0, rows.couplings);
  ++report.assemblies;
  const double threshold = c.approach_threshold();
  const dynamics::ImpactReport solved =
      dynamics::solve_impacts(problem.matrix(), ws.cones.cones, ws.restitution,
                              c.par.impact_residual * threshold, threshold, c.par.residual, solver, ws.v);
  report.residual = std::max(report.residual, solved.residual);
  report.unsolved += solved.unsolved;
  report.factorisations += solved.factorisations;
  report.impacts += 1;
  problem.compute_momenta(ws.v, impact.p_after);
  measure_approach_speeds(c, at, ws.v, rows);
  if (c.reactions || !c.model.moving_constraints().empty()) solve_joint_impulses(problem, ws);
  if (c.reactions) add_joint_impulses(c, problem, ws, impact);
  compute_script_work(c, at, problem, ws.lambda, impact.script_work);
  size_t next = 0;
  for (const ContactPoint& point : rows.contacts.points())
    if (point.in_impact)
      add_contact_event(c, point, ws.cones.cones[next++], ws.v, at.time, at.time, 0, events);
}

void drop_bouncing_rows(const StepContext& c, KickRows& rows) {
  const double threshold = c.approach_threshold();
  rows.contacts.erase_if([&](const ContactPoint& point) {
    return !point.is_compliant() && point.law.restitution > 0 &&
           point.contact.gap > c.par.touching * point.offset && point.approach_speed > threshold;
  });
  std::erase_if(rows.limits.rows, [&](const LimitRow& row) {
    return c.model.limits()[row.limit]->restitution() > 0 && !is_reached(c, row) &&
           row.approach_speed > threshold;
  });
}

}  // namespace tumble::simulate
