// Joint limits as rows of a kick. dynamics/joint_limits.h says which are in reach or passed, and why the
// Runge-Kutta stepper treats impacts at limits in another way.
#pragma once

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// Every limit at t_n, and a row for each that a drift may reach: as near as it moves in 2 h, or within the shell. `motions`: where
/// bodies are, and how they move with the momenta of the last drift.
void find_limits(const StepContext& c, double time, std::span<const model::BodyMotion> motions, double h,
                 const LeapfrogMemory& memory, KickRows& rows);
/// Gives a limit a row.
void add_limit_row(size_t limit, KickRows& rows);
bool is_reached(const StepContext& c, const LimitRow& row);
/// The row for a drift of h. A limit that is passed is brought back slowly.
dynamics::ConeConstraint make_limit_cone(const StepContext& c, const LimitRow& row, double h);

/// A limit that a drift would pass.
struct LimitViolation {
  size_t limit = 0;
  double value = 0;  // C at the end of the drift
};
/// `end`: where the drift leads.
void check_limits(const StepContext& c, const model::State& end, const LimitSet& limits,
                  std::vector<LimitViolation>& violations);
/// What one violated limit calls for: more from its row, a row, or, where it bounces, an end of the drift where it is reached.
/// Returns how long the drift may be.
double refine_limit(const StepContext& c, const LimitViolation& violation, double h, KickRows& rows);

/// For the next kick.
void save_limits(const ConstraintSet& cones, const LimitSet& limits, std::span<const double> v, double h,
                 std::vector<CachedLimit>& cache);

}  // namespace tumble::simulate
