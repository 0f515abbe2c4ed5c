// Joint limits as rows of a kick. dynamics/joint_limits.h defines which limits are in reach or passed, and
// explains why the Runge-Kutta stepper treats impacts at limits differently.
#pragma once

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// Evaluates every limit at t_n and adds a row for each that the drift may reach: a limit as near as it moves
/// in 2 h, or nearer than LeapfrogParameters::limit_shell. `motions` has the poses at t_n and the velocities
/// of the last drift.
void find_limits(const StepContext& c, double time, std::span<const model::BodyMotion> motions, double h,
                 const LeapfrogMemory& memory, KickRows& rows);
/// Adds a row for a limit.
void add_limit_row(size_t limit, KickRows& rows);
bool is_reached(const StepContext& c, const LimitRow& row);
/// The cone of a row for a drift of h. A limit that is passed is corrected slowly.
dynamics::ConeConstraint make_limit_cone(const StepContext& c, const LimitRow& row, double h);

/// A limit that a drift would pass.
struct LimitViolation {
  size_t limit = 0;
  double value = 0;  // C at the end of the drift
};
/// Finds the limits that a drift passes. `end` is the state at its end.
void check_limits(const StepContext& c, const model::State& end, const LimitSet& limits,
                  std::vector<LimitViolation>& violations);
/// Handles one violated limit. Raises the bias of its row, or adds a row, or, if it bounces or is immobile,
/// ends the drift where the limit is reached. Returns the longest permitted drift, s; 0: it is immobile and
/// reached.
double refine_limit(const StepContext& c, const LimitViolation& violation, double h, KickRows& rows);

/// Stores impulses and predicted values for the next kick.
void save_limits(const ConstraintSet& cones, const LimitSet& limits, std::span<const double> v, double h,
                 std::vector<CachedLimit>& cache);

}  // namespace tumble::simulate
