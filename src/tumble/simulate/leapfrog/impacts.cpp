#include "tumble/simulate/leapfrog/impacts.h"

#include <algorithm>
#include <cmath>

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
  if (problem.matrix().rows() == 0) return ws.lambda.clear();
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
void add_joint_impulses(const StepContext& c, bool resisted, dynamics::KickProblem& problem,
                        ImpactScratch& ws, Impact& impact) {
  for (size_t i = 0; i < ws.limit_impulses.size(); ++i)
    ws.limit_impulses[i].impulse = ws.cones.limits()[i].impulse.x();
  std::sort(ws.limit_impulses.begin(), ws.limit_impulses.end(),
            [](const LimitImpulse& x, const LimitImpulse& y) { return x.limit < y.limit; });
  compute_kick_reactions(c.model, problem, ws.lambda, ws.limit_impulses, {},
                         resisted ? ActingLaws::impact : ActingLaws::none, ws.cones, ws.reactions);
  add_scaled(impact.reactions, ws.reactions, 1);
}

// The work of scripts in the impact: the speed they prescribe, -dC/dt, times their impulse, -lambda. Where
// that speed jumps the mean of both counts.
void compute_script_work(const StepContext& c, const State& before, const State& at,
                         const dynamics::KickProblem& problem, std::span<const double> lambda,
                         std::vector<double>& work) {
  work.clear();
  model::ConstraintRows rows, rows_before;
  for (const size_t k : c.model.moving_constraints()) {
    const model::Constraint& constraint = *c.model.constraints()[k];
    const model::BodyMotion a = motion_in(c.model, at, constraint.a()),
                            b = motion_in(c.model, at, constraint.b());
    constraint.evaluate(at.time, a, b, rows);
    constraint.evaluate(before.time, a, b, rows_before);
    double sum = 0;
    for (int i = 0; i < constraint.rows(); ++i)
      sum +=
          lambda[problem.first_row(k) + static_cast<size_t>(i)] * 0.5 * (rows.rate[i] + rows_before.rate[i]);
    work.push_back(sum);
  }
}

// Contacts and limits that do not strike carry until the impact, with forces of first order in the step. This
// selects those in islands in which something strikes. They get cones without bias. Large islands are left
// out: there the impact itself also stops what gravity has moved in the half step before.
void select_carrying(const StepContext& c, const dynamics::KickProblem& problem, const KickRows& rows,
                     ImpactScratch& ws, StepReport& report) {
  ws.carrying.clear(), ws.carrying_index.clear();
  ws.by_island.build(problem.matrix(), ws.cones.cones);
  for (size_t island = 0; island < ws.by_island.islands(); ++island) {
    const std::span<const size_t> own = ws.by_island.of(island);
    const auto strikes = std::count_if(own.begin(), own.end(), [&](size_t i) { return ws.strikes[i] != 0; });
    if ((strikes == 0 && !c.script_jumps) || strikes == static_cast<std::ptrdiff_t>(own.size())) continue;
    if (ws.rows_by_island[island] > c.par.largest_located) {
      report.unlocated_impacts += static_cast<int>(strikes);
      continue;
    }
    for (const size_t i : own) {
      if (ws.strikes[i] || (i < ws.points.size() && rows.contacts.points()[ws.points[i]].is_compliant()))
        continue;
      ws.carrying.push_back(ws.cones.cones[i]), ws.carrying_index.push_back(i);
      ws.carrying.back().bias.setZero();
    }
  }
}

// Repeats the half step before the impact with the contacts and limits that carry in it.
void carry_until_impact(const StepContext& c, const State& at, const KickTimes& times, const KickRows& rows,
                        dynamics::KickProblem& problem, dynamics::ContactSolver& solver, ImpactScratch& ws,
                        std::vector<contact::ContactEvent>& events, StepReport& report) {
  ws.lambda.assign(problem.c().begin(), problem.c().end());
  const dynamics::ContactReport solved = solver.solve(problem.matrix(), problem.b(), problem.c(), ws.carrying,
                                                      c.par.residual, ws.v, ws.lambda, c.par.hard_residual);
  report.residual = std::max(report.residual, solved.residual);
  if (!solved.solved) ++report.unsolved;
  report.factorisations += solved.factorisations;
  for (size_t k = 0; k < ws.carrying.size(); ++k)
    if (const size_t i = ws.carrying_index[k]; i < ws.points.size())
      add_contact_event(c, rows.contacts.points()[ws.points[i]], ws.carrying[k], ws.v,
                        at.time - 0.5 * times.h_prev, at.time, 0, events);
}

// True if a contact or limit approaches faster than this part of its rest speed.
bool any_approaches(const KickRows& rows, double part) {
  const auto approaches = [&](const auto& row) { return row.approach_speed > part * row.rest_speed; };
  const std::span<const ContactPoint> points = rows.contacts.points();
  return std::any_of(points.begin(), points.end(), approaches) ||
         std::any_of(rows.limits.rows.begin(), rows.limits.rows.end(), approaches);
}

size_t island_of(const StepContext& c, const ContactPoint& point, const dynamics::KickProblem& problem) {
  const int a = c.shapes.node_of(point.a);
  return problem.matrix().island_of(a != kNone ? a : c.shapes.node_of(point.b));
}

// Counts the contacts and limits of each island, and decides which contacts the drift will end at.
void count_rows(const StepContext& c, const dynamics::KickProblem& problem, KickRows& rows,
                ImpactScratch& ws) {
  ws.rows_by_island.assign(problem.matrix().islands(), 0);
  for (const ContactPoint& point : rows.contacts.points()) ++ws.rows_by_island[island_of(c, point, problem)];
  for (const LimitRow& row : rows.limits.rows)
    ++ws.rows_by_island[problem.matrix().island_of(row.cone.a != kNone ? row.cone.a : row.cone.b)];
  for (ContactPoint& point : rows.contacts.points())
    point.is_awaited =
        point.law.restitution > 0 || ws.rows_by_island[island_of(c, point, problem)] <= c.par.largest_located;
}

// Fills ws.cones with the contacts and limits that are in an impact, if any of them approaches fast enough.
bool select_impact(const StepContext& c, const State& at, double h, const dynamics::KickProblem& problem,
                   KickRows& rows, ImpactScratch& ws, StepReport& report) {
  ws.cones.clear(), ws.laws.clear(), ws.strikes.clear(), ws.points.clear(), ws.limit_impulses.clear();
  for (ContactPoint& point : rows.contacts.points()) {
    const bool approaches = point.approach_speed > point.rest_speed;
    const bool touches =
        point.contact.gap <= c.touching_gap(point.offset) || (!approaches && point.has_carried());
    // In a large island a contact with restitution 0 is stopped now if the coming drift would reach it.
    const bool reaches = !point.is_compliant() && point.law.restitution == 0 && approaches && !touches &&
                         point.approach_speed * h > point.contact.gap - point.offset &&
                         ws.rows_by_island[island_of(c, point, problem)] > c.par.largest_located;
    point.in_impact = touches || reaches;
    if (reaches) ++report.unlocated_impacts;
    if (!point.in_impact) continue;
    ws.cones.cones.push_back(make_contact_cone(c, at, point, 1, false));
    ws.laws.push_back({point.law.restitution, point.rest_speed});
    ws.strikes.push_back(approaches), ws.points.push_back(rows.contacts.index_of(point));
  }
  ws.cones.contact_count = ws.cones.cones.size();
  for (const LimitRow& row : rows.limits.rows) {
    if (!is_reached(c, row)) continue;
    ws.limit_impulses.push_back({row.limit, 0});
    ws.cones.cones.push_back(row.cone);
    ws.laws.push_back({c.model.limits()[row.limit]->restitution(),
                       row.rest_speed * c.unit_of(row.limit) / c.scales.length});
    ws.strikes.push_back(row.approach_speed > row.rest_speed);
  }
  ws.cones.limit_count = ws.limit_impulses.size();
  const bool any = std::find(ws.strikes.begin(), ws.strikes.end(), 1) != ws.strikes.end();
  if (!any && !c.script_jumps)
    for (ContactPoint& point : rows.contacts.points()) point.in_impact = false;
  return any;
}

}  // namespace

void resolve_impacts(const StepContext& c, const State& at, const dynamics::KickStart& start,
                     const KickTimes& times, KickRows& rows, dynamics::KickProblem& problem,
                     dynamics::ContactSolver& solver, ImpactScratch& ws, Impact& impact,
                     std::vector<contact::ContactEvent>& events, StepReport& report) {
  impact.any = false;
  if (!c.script_jumps && !any_approaches(rows, c.par.impact_screen)) return;
  if (c.script_jumps) ws.before = at, ws.before.time = std::nextafter(at.time, 0.0);
  const State& before = c.script_jumps ? ws.before : at;
  // Velocities at t_n, after the force laws have acted in the half step before it.
  problem.assemble(before, start, 0.5 * times.h_prev, 0, rows.couplings);
  ++report.assemblies;
  solve_velocities(problem.b(), problem, ws);
  measure_approach_speeds(c, at, ws.v, 0.5 * times.h_prev, rows);
  count_rows(c, problem, rows, ws);
  const bool strikes = select_impact(c, at, times.h, problem, rows, ws, report);
  impact.any = strikes || c.script_jumps;
  if (!impact.any) return measure_approach_speeds(c, at, rows.velocities, 0, rows);
  ws.carrying.clear();
  if (times.h_prev > 0) {
    select_carrying(c, problem, rows, ws, report);
    if (!ws.carrying.empty()) carry_until_impact(c, at, times, rows, problem, solver, ws, events, report);
  }

  if (c.reactions) {
    compute_kick_reactions(c.model, problem, ws.lambda, {}, ws.v, ActingLaws::before_impact, ws.cones,
                           impact.reactions_before);
    impact.reactions = impact.reactions_before;
  }
  compute_law_forces(c.model, problem, ws.v, ActingLaws::before_impact, ws.cones, impact.law_forces);
  if (times.h_prev > 0)
    compute_script_forces(c.model, problem, ws.lambda, 0.5 * times.h_prev, impact.script_forces);
  impact.p_before.assign(start.momenta.begin(), start.momenta.end());
  problem.add_impulses(ws.lambda, ws.carrying, impact.p_before);
  add_law_impulses(problem, impact.law_forces, 0.5 * times.h_prev, impact.p_before);
  // The impact takes no time: force laws do not act in it, unless they are as stiff as rods.
  problem.assemble(at, {impact.p_before}, 0, 0, rows.couplings);
  ++report.assemblies;
  const bool resisted = problem.add_impact_resistance(times.h);
  const bool solved_before = resisted || c.script_jumps;
  if (solved_before) {
    solve_velocities(impact.p_before, problem, ws);
    ws.lambda_before = ws.lambda;
  }
  const dynamics::ImpactReport solved =
      dynamics::solve_impacts(problem.matrix(), ws.cones.cones, ws.laws, c.par.residual, solver, ws.v);
  report.impact_loss += solved.loss;
  report.residual = std::max(report.residual, solved.residual);
  report.unsolved += solved.unsolved;
  report.factorisations += solved.factorisations;
  report.impacts += strikes || solved.rounds > 0;
  solve_joint_impulses(problem, ws);
  if (solved_before) add_scaled(ws.lambda, ws.lambda_before, 1);
  impact.p_after = impact.p_before;
  problem.add_impulses(ws.lambda, ws.cones.cones, impact.p_after);
  if (resisted) problem.add_resistance_impulses(ws.v, impact.p_after);
  measure_approach_speeds(c, at, ws.v, 0, rows);
  if (c.reactions) add_joint_impulses(c, resisted, problem, ws, impact);
  compute_script_work(c, before, at, problem, ws.lambda, impact.script_work);
  size_t next = 0;
  for (const ContactPoint& point : rows.contacts.points())
    if (point.in_impact)
      add_contact_event(c, point, ws.cones.cones[next++], ws.v, at.time, at.time, 0, events);
}

// A unit impulse along the first row of a cone gives the relative velocity w under the joints, and w_0 or
// more without them.
void drop_immobile_rows(const StepContext& c, const State& at, std::span<const double> momenta,
                        const JointedGroups& groups, dynamics::KickProblem& problem, ImpactScratch& ws,
                        KickRows& rows) {
  const std::vector<int>& jointed = problem.jointed();
  const auto is_jointed = [&](uint32_t item) {
    return std::binary_search(jointed.begin(), jointed.end(), c.shapes.node_of(item));
  };
  const auto is_held_contact = [&](const ContactPoint& point) {
    return point.is_tight && (is_jointed(point.a) || is_jointed(point.b));
  };
  ws.scripted.clear();
  if (!c.model.moving_constraints().empty() && !rows.limits.rows.empty()) {
    ws.scripted.assign(c.bodies.size(), 0);
    for (const size_t k : c.model.moving_constraints())
      JointedGroups::mark(c.bodies.node_of(c.model.constraints()[k]->b()), ws.scripted);
    groups.mark_groups(ws.scripted);
  }
  const auto is_scripted = [&](const LimitRow& row) {
    const int node = row.cone.a != kNone ? row.cone.a : row.cone.b;
    return !ws.scripted.empty() && ws.scripted[static_cast<size_t>(node)] != 0;
  };
  const std::span<const ContactPoint> points = rows.contacts.points();
  if (std::none_of(points.begin(), points.end(), is_held_contact) &&
      std::none_of(rows.limits.rows.begin(), rows.limits.rows.end(), is_scripted))
    return;
  problem.assemble(at, {momenta}, 0, 0, rows.couplings);
  problem.matrix().clear_addition();
  problem.matrix().factor();
  const auto is_immobile = [&](const ConeConstraint& cone) {
    double without = 0;  // w_0 without moments of inertia but m r^2, which none exceeds
    ws.v.assign(problem.size(), 0.0);
    ws.lambda.assign(problem.matrix().rows(), 0.0);
    for (const auto& [node, G] : {std::pair(cone.a, &cone.G_a), std::pair(cone.b, &cone.G_b)}) {
      if (node == kNone) continue;
      const model::Vec6 row = G->row(0).transpose();
      const model::Body& body = c.model.body(c.bodies[static_cast<size_t>(node)]);
      without += body.inverse_mass *
                 (row.head<3>().squaredNorm() + row.tail<3>().squaredNorm() / (body.radius * body.radius));
      Eigen::Map<model::Vec6>(&ws.v[6 * static_cast<size_t>(node)]) = row;
    }
    problem.matrix().solve(ws.v.data(), ws.lambda.data());
    return std::abs(dynamics::relative_velocity(cone, ws.v).x()) < c.par.immobile * without;
  };
  rows.contacts.erase_if([&](const ContactPoint& point) {
    return is_held_contact(point) && is_immobile(make_contact_cone(c, at, point, 1, false));
  });
  std::erase_if(rows.limits.rows, [&](const LimitRow& row) {
    return rows.limits.all[row.limit].immobile = is_scripted(row) && is_immobile(row.cone);
  });
}

void drop_rows(const StepContext& c, double h, KickRows& rows) {
  const double free_fall = c.shapes.free_fall(h);
  rows.contacts.erase_if([&](const ContactPoint& point) {
    if (point.is_compliant()) return false;
    const bool strikes_later = point.is_awaited && point.contact.gap > c.touching_gap(point.offset) &&
                               point.approach_speed > point.rest_speed;
    const bool is_far =
        point.contact.gap > point.offset + free_fall && !point.has_carried() && !point.in_impact;
    return strikes_later || is_far;
  });
  std::erase_if(rows.limits.rows, [&](const LimitRow& row) {
    return c.model.limits()[row.limit]->restitution() > 0 && !is_reached(c, row) &&
           row.approach_speed > row.rest_speed;
  });
}

}  // namespace tumble::simulate
