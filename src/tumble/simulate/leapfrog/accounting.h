// What a step adds to: contact events and work; and checks of the result.
#pragma once

#include <chrono>

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// Adds the time until its end to a sum (s).
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Appends what a contact passed on between two times, if anything; h is that of the drift, 0 of an impact.
void add_contact_event(const StepContext& c, const contact::ContactPoint& point,
                       const dynamics::ConeConstraint& cone, std::span<const double> v, double from,
                       double to, double h, std::vector<contact::ContactEvent>& events);

/// Rows of moving constraints, all together.
size_t count_script_rows(const model::Model& model);
/// Multipliers of the rows of moving constraints, N or N m.
void compute_script_forces(const model::Model& model, const dynamics::KickProblem& problem,
                           std::span<const double> lambda, double duration, std::vector<double>& forces);
/// Adds the work of scripts in a drift of h: mean force times mean speed, as add_work() does for laws.
void add_script_work(const model::Model& model, double h, std::span<const double> forces_start,
                     std::span<const double> forces_end, const model::State& start, model::State& end);

/// Adds to end.work what laws did in a step of h: half of it by the kick at either end, times the mean of the velocities that the
/// states at its ends report. That is exactly how it changes kinetic energy.
void add_work(const model::Model& model, const dynamics::KickProblem& problem, double h,
              std::span<const double> forces_start, std::span<const double> forces_end,
              const model::State& start, std::vector<double>& scratch, model::State& end);

/// The first body whose motion is not finite, or none.
core::BodyId find_not_finite(const model::State& state);

/// P and L of a state from 6 numbers a node.
void store_momenta(const model::MovingBodies& bodies, std::span<const double> momenta, model::State& state);
/// The same from those before and after a kick: before + share_after (after - before).
void store_midpoint_momenta(const model::MovingBodies& bodies, std::span<const double> before,
                            std::span<const double> after, double share_after, model::State& state);

}  // namespace tumble::simulate
