// Impacts at t_n: between shapes, and at joint limits, that touch and approach. In large islands a contact
// with restitution 0 that would be reached in the coming drift is part of the impact, too.
#pragma once

#include "tumble/dynamics/solvers/impact_solver.h"
#include "tumble/simulate/leapfrog/constraint_rows.h"
#include "tumble/simulate/leapfrog/reactions.h"
#include "tumble/simulate/leapfrog/refine.h"

namespace tumble::simulate {

/// Scratch of an impact, reused from one to the next.
struct ImpactScratch {
  ConstraintSet cones;
  std::vector<dynamics::ImpactLaw> laws;  // of the cones
  std::vector<size_t> points;             // of the first cones: indices of their contact points
  std::vector<char> strikes;              // of the cones: approaches faster than its rest speed
  dynamics::RowsByIsland by_island;       // the cones
  std::vector<int> rows_by_island;        // number of contacts and limits, also of those not in the impact
  // Cones that carry in the half step before the impact, and their indices among all.
  std::vector<dynamics::ConeConstraint> carrying;
  std::vector<size_t> carrying_index;
  std::vector<double> v, lambda, lambda_before, x;
  model::State before;  // just before t_n, if the velocity of a script jumps there
  std::vector<LimitImpulse> limit_impulses;
  std::vector<double> reactions;
  std::vector<char> scripted;  // by node: its group of jointed bodies has one that follows a script
};

/// Decides which contacts and limits are in an impact (ContactPoint::in_impact), and solves it. `momenta` are
/// those of the last drift, which took times.h_prev. Appends the contact events of the impact.
void resolve_impacts(const StepContext& c, const model::State& at, const dynamics::KickStart& start,
                     const KickTimes& times, KickRows& rows, dynamics::KickProblem& problem,
                     dynamics::ContactSolver& solver, ImpactScratch& ws, Impact& impact,
                     std::vector<contact::ContactEvent>& events, StepReport& report);

/// Drops tight contacts of which joints allow no motion along the normal: a door whose lower edge touches the
/// floor. The joints can carry any part of the force in such a contact, so nothing would determine its
/// friction; and they keep its gap. Drops joint limits whose motion joints and scripts determine: a crank
/// that a script turns moves the others of its loop, and no force at their limits can change that. `momenta`
/// are those of the last drift.
void drop_immobile_rows(const StepContext& c, const model::State& at, std::span<const double> momenta,
                        const JointedGroups& groups, dynamics::KickProblem& problem, ImpactScratch& ws,
                        KickRows& rows);

/// Drops rows of contacts and limits that will be in an impact but are not reached yet. Such a row would slow
/// down the approach. The drift will end at the impact. Also drops contacts too far away for a drift of h.
void drop_rows(const StepContext& c, double h, KickRows& rows);

}  // namespace tumble::simulate
