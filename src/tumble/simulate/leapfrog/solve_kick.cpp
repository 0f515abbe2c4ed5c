#include "tumble/simulate/leapfrog/solve_kick.h"

#include <algorithm>

#include "tumble/dynamics/hinge_angles.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/accounting.h"

namespace tumble::simulate {

using model::State;

void find_rows(const StepContext& c, const State& at, const LeapfrogMemory& last, double h,
               const KickTools& tools, KickRows& rows) {
  rows.clear();
  {
    const Stopwatch watch(tools.times.collision);
    tools.finder.find_contacts(at, last.p_half, h, last.contacts, rows.contacts);
  }
  for (const contact::ContactPoint& point : rows.contacts.points())
    rows.couple(c.shapes.node_of(point.a), c.shapes.node_of(point.b));
  rows.velocities.clear();
  rows.contact_accelerations = last.contact_accelerations;
  if (rows.contacts.empty() && c.model.limits().empty()) return;
  const std::span<const model::BodyMotion> motions = tools.problem.update_motions(at, last.p_half);
  find_limits(c, at.time, motions, h, last, rows);
  rows.merge_couplings();
  for (const core::BodyId id : c.bodies.bodies())
    for (const math::Vec3* x : {&motions[id.index()].velocity, &motions[id.index()].angular_velocity})
      rows.velocities.insert(rows.velocities.end(), x->data(), x->data() + 3);
  measure_approach_speeds(c, at, rows.velocities, 0, rows);
}

void solve_kick(const StepContext& c, const State& at, const dynamics::KickStart& start,
                const KickTimes& times, const LeapfrogMemory& last, const KickTools& tools, bool& assembled,
                KickRows& rows, ConstraintSet& cones, KickSolution& solution, StepReport& report) {
  dynamics::KickProblem& problem = tools.problem;
  if (rows.contacts.empty() && rows.limits.rows.empty() && !problem.has_effort_limits()) {
    cones.clear();
    problem.solve_without_contacts(at, start, times.duration(), times.h, c.h_whole, solution.v,
                                   solution.lambda);
    assembled = false;  // elimination has overwritten the system
    ++report.assemblies;
    ++report.factorisations;
    return;
  }
  if (!assembled) {
    problem.assemble(at, start, times.duration(), times.h, rows.couplings, c.h_whole);
    assembled = true;
    ++report.assemblies;
  }
  build_constraints(c, at, times.h, rows, solution.actuators, problem, cones);
  solution.lambda.assign(problem.c().begin(), problem.c().end());
  if (solution.v.empty() && last.v_half.empty())
    solution.v = problem.solve_velocities(start.momenta);
  else if (solution.v.empty())
    solution.v = last.v_half;
  const Stopwatch watch(tools.times.contact);
  const dynamics::ContactReport solved =
      tools.solver.solve(problem.matrix(), problem.b(), problem.c(), cones.cones, c.par.residual, solution.v,
                         solution.lambda, c.par.hard_residual);
  save_trial_impulses(cones, rows, solution);
  report.residual = std::max(report.residual, solved.residual);
  if (!solved.solved) ++report.unsolved;
  report.factorisations += solved.factorisations;
}

namespace {

// The largest angle by which a jointed body rotates in a drift while a contact carries its island.
double largest_carried_rotation(std::span<const dynamics::ConeConstraint> contacts,
                                const dynamics::KickProblem& problem, std::span<const double> v, double h) {
  if (contacts.empty() || problem.jointed().empty()) return 0;
  const dynamics::KktSolver& matrix = problem.matrix();
  std::vector<char> carried(matrix.islands(), 0);
  for (const dynamics::ConeConstraint& cone : contacts)
    if (cone.impulse.x() > 0) carried[matrix.island_of(cone.a != model::kNone ? cone.a : cone.b)] = 1;
  double largest = 0;
  for (const int node : problem.jointed())
    if (carried[matrix.island_of(node)])
      largest = std::max(largest,
                         Eigen::Map<const math::Vec3>(&v[6 * static_cast<size_t>(node) + 3]).squaredNorm());
  return h * math::sqrt(largest);
}

}  // namespace

JointCheck close_joints(const StepContext& c, const State& at, double h, dynamics::KickProblem& problem,
                        ConstraintSet& cones, KickSolution& solution) {
  const double part = c.h_whole / c.scales.time;
  if (!cones.cones.empty()) solution.v_change = solution.v;
  const double tolerance = c.par.joint_tolerance * c.accuracy;
  // What is left must be small beside the errors by which contradicting joints are known.
  const double target =
      std::min(c.par.joint_residual * part * part * part, c.par.contradicting_gap * tolerance);
  const dynamics::JointClosing joints =
      problem.close_joints(at, h, tolerance, target, solution.v, solution.lambda);
  // The factors hold contacts, too: closing joints has changed their impulses.
  if (!cones.cones.empty()) {
    for (size_t k = 0; k < solution.v.size(); ++k)
      solution.v_change[k] = solution.v[k] - solution.v_change[k];
    for (dynamics::ConeConstraint& cone : cones.cones)
      cone.impulse -= cone.stiffness * dynamics::relative_velocity(cone, solution.v_change);
  }
  return {.closed = joints.closed,
          .linear = !(joints.before > c.largest_joint_gap) &&
                    !(dynamics::KickProblem::largest_rotation(solution.v, h) > c.par.largest_rotation) &&
                    !(largest_carried_rotation(cones.contacts(), problem, solution.v, h) >
                      c.largest_carried_rotation),
          .excess = joints.excess / tolerance};
}

void check_drift(const StepContext& c, const State& at, std::span<const double> v, double h,
                 const KickRows& rows, const KickTools& tools, State& end, DriftCheck& check) {
  check.limits.clear();
  if (!c.model.limits().empty()) {
    end = at;
    tools.problem.drift(v, h, end);
    dynamics::update_hinge_angles(c.model, end);
    check_limits(c, end, rows.limits, check.limits);
  }
  const Stopwatch watch(tools.times.certificate);
  tools.finder.certify_drift(at, v, h, rows.contacts, check.contacts);
}

}  // namespace tumble::simulate
