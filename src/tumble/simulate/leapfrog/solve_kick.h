// Stages of a kick at t_n: find its rows, solve for the velocities of the coming drift, close the joints,
// check the drift.
#pragma once

#include "tumble/simulate/leapfrog/constraint_rows.h"

namespace tumble::simulate {

/// The solvers that the stages use. `finder` caches pairs from step to step (LeapfrogMemory::pairs is a
/// copy). After solve_kick(), `problem` holds its linear system; close_joints() and the accounting of the
/// step read it.
struct KickTools {
  dynamics::KickProblem& problem;
  dynamics::ContactSolver& solver;
  contact::ContactFinder& finder;
  StepTimes& times;
};

/// Finds the contact points and limits that a drift of h may reach, and their approach speeds with the
/// momenta of the last drift.
void find_rows(const StepContext& c, const model::State& at, const LeapfrogMemory& last, double h,
               const KickTools& tools, KickRows& rows);

/// Solves for the velocities of the coming drift: (1) of kick_problem.h, with contact if there is any.
/// `solution.v` is an initial guess, or empty. `assembled` says whether the system for these times and
/// couplings is set up; it is updated.
void solve_kick(const StepContext& c, const model::State& at, const dynamics::KickStart& start,
                const KickTimes& times, const LeapfrogMemory& last, const KickTools& tools, bool& assembled,
                KickRows& rows, ConstraintSet& cones, KickSolution& solution, StepReport& report);

/// `closed`: joints close at the end of the drift, to their tolerance. `excess`: the error that the drift
/// adds, in tolerances. `linear`: errors before that, and rotations, are within the linear model.
struct JointCheck {
  bool closed = true, linear = true;
  double excess = 0;
  bool passed() const { return closed && linear; }
};
/// Corrects v so that joints are closed at the end of the drift.
JointCheck close_joints(const StepContext& c, const model::State& at, double h,
                        dynamics::KickProblem& problem, ConstraintSet& cones, KickSolution& solution);

/// The constraints that a drift would violate.
struct DriftCheck {
  std::vector<contact::Violation> contacts;
  std::vector<LimitViolation> limits;
  bool passed() const { return contacts.empty() && limits.empty(); }
};
/// Checks that a drift of h keeps bodies apart and joints within their limits. `end` is scratch.
void check_drift(const StepContext& c, const model::State& at, std::span<const double> v, double h,
                 const KickRows& rows, const KickTools& tools, model::State& end, DriftCheck& check);

}  // namespace tumble::simulate
