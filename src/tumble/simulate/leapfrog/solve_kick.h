// Stages of a kick at t_n: find its rows, solve for the velocities of the coming drift, close the joints, certify the drift.
#pragma once

#include "tumble/simulate/leapfrog/constraint_rows.h"

namespace tumble::simulate {

/// What the stages compute with. `finder` remembers pairs from step to step (LeapfrogMemory::pairs is a copy). `problem` holds the linear
/// system that solve_kick() left: close_joints() and the accounting of the step read it.
struct KickTools {
  dynamics::KickProblem& problem;
  dynamics::ContactSolver& solver;
  contact::ContactFinder& finder;
  StepTimes& times;
};

/// Contact points and limits that a drift of h may reach, and how fast they are approached with the momenta of the last drift.
void find_rows(const StepContext& c, const model::State& at, const LeapfrogMemory& last, double h,
               const KickTools& tools, KickRows& rows);

/// Velocities of the coming drift: those of (1) in kick_problem.h, under contact where there is some. `solution.v` is a first guess,
/// or empty. `assembled`: whether the system for these times and couplings is set up; updated.
void solve_kick(const StepContext& c, const model::State& at, std::span<const double> momenta,
                const KickTimes& times, const LeapfrogMemory& last, const KickTools& tools, bool& assembled,
                KickRows& rows, ConstraintSet& cones, KickSolution& solution, StepReport& report);

/// Corrects v so that joints are closed where the drift ends. False where that, or turning, is beyond the linear model.
bool close_joints(const StepContext& c, const model::State& at, double h, dynamics::KickProblem& problem,
                  KickSolution& solution);

/// What a drift would violate.
struct DriftCheck {
  std::vector<contact::Violation> contacts;
  std::vector<LimitViolation> limits;
  bool passed() const { return contacts.empty() && limits.empty(); }
};
/// Whether a drift of h keeps bodies apart and joints within their limits. `end` is scratch.
void certify_drift(const StepContext& c, const model::State& at, std::span<const double> v, double h,
                   const KickRows& rows, const KickTools& tools, model::State& end, DriftCheck& check);

}  // namespace tumble::simulate
