// Impacts at t_n: what touches and approaches, or will before the drift ends and does not bounce.
#pragma once

#include "tumble/dynamics/solvers/impact_solver.h"
#include "tumble/simulate/leapfrog/constraint_rows.h"
#include "tumble/simulate/leapfrog/reactions.h"

namespace tumble::simulate {

/// Scratch of an impact, reused from one to the next.
struct ImpactScratch {
  ConstraintSet cones;
  std::vector<double> restitution;  // of the cones
  std::vector<double> v, lambda, x;
  std::vector<LimitImpulse> limit_impulses;
  std::vector<double> reactions;
};

/// Decides which contacts and limits are in an impact (ContactPoint::in_impact), and solves it. `momenta` are those of the last drift,
/// which took times.h_prev. Contact events of the impact are appended.
void resolve_impacts(const StepContext& c, const model::State& at, std::span<const double> momenta,
                     const KickTimes& times, KickRows& rows, dynamics::KickProblem& problem,
                     dynamics::ContactSolver& solver, ImpactScratch& ws, Impact& impact,
                     std::vector<contact::ContactEvent>& events, StepReport& report);

/// Drops rows of what will bounce but is not there yet: they must not slow it down. The drift will end where it hits.
void drop_bounces(const StepContext& c, KickRows& rows);

}  // namespace tumble::simulate
