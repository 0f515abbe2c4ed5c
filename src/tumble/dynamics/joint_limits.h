// Joint limits, C >= 0 (model/limits.h): their values C, rates C', and the tests that both steppers need.
//   in reach    C < t |C'| + margin            may be reached within the time t                      (1)
//   reached     C <= slack                                                                           (2)
//   passed      C < -slack, and, if it was passed before, further than then                          (3)
// Margins and slacks are parts of a unit: 1 rad, or the size of the limit's bodies.
//
// The rest is not shared, because the steppers solve different problems. The Runge-Kutta stepper locates the
// time of each event and chooses the limits that act, one-sided, as equations (runge_kutta/limit_events.h).
// The leapfrog stepper gives every limit in reach a row of the contact problem of its kick
// (leapfrog/limit_rows.h). Its impacts at limits go through the solver of contact impacts, since limits and
// contacts may be hit together.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tumble/dynamics/joint_gap.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

struct LimitState {
  double value = 0;  // C: m or rad
  double rate = 0;   // C': per s
};

/// The unit of a limit: 1 rad, or the size of its bodies (m).
inline double unit_of_limit(const model::Model& model, size_t limit) {
  return unit_of_row(model, *model.limits()[limit], 0);
}

/// Evaluates a limit for motions by body of the scene. `row` receives its Jacobian.
LimitState evaluate_limit(const model::Limit& limit, double t, std::span<const model::BodyMotion> motions,
                          model::ConstraintRows& row);
/// Evaluates all limits of a model.
void evaluate_limits(const model::Model& model, double t, std::span<const model::BodyMotion> motions,
                     std::vector<LimitState>& out);
/// C of a limit in a state.
double compute_limit_value(const model::Model& model, const model::State& state, size_t limit);

/// (1); `margin` in m or rad.
inline bool is_in_reach(const LimitState& limit, double time, double margin) {
  return limit.value < time * std::abs(limit.rate) + margin;
}
/// (2); in m or rad.
inline bool is_limit_reached(double value, double slack) { return value <= slack; }
/// (3); in m or rad. NaN counts as passed.
inline bool is_limit_passed(double value, double slack,
                            double before = std::numeric_limits<double>::infinity()) {
  return !(value >= std::min(before, -slack));
}

}  // namespace tumble::dynamics
