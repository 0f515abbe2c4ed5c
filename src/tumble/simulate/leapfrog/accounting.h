// Accounting of a step: contact events, work, and a check that the result is finite.
#pragma once

#include <chrono>

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// Adds its own lifetime to a sum (s).
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

/// Appends the impulse of a contact between two times, unless it is zero. h is the length of the drift after
/// the kick (s), 0 for an impact.
void add_contact_event(const StepContext& c, const contact::ContactPoint& point,
                       const dynamics::ConeConstraint& cone, std::span<const double> v, double from,
                       double to, double h, std::vector<contact::ContactEvent>& events);

/// How many contact points have an event. A point in an impact that carries afterwards counts once.
int count_contact_points(std::span<const contact::ContactEvent> events,
                         std::vector<contact::PointName>& scratch);

/// Rows of moving constraints, all together.
size_t count_script_rows(const model::Model& model);
/// Multipliers of the rows of moving constraints, N or N m.
void compute_script_forces(const model::Model& model, const dynamics::KickProblem& problem,
                           std::span<const double> lambda, double duration, std::vector<double>& forces);
/// Adds the work of scripts in a drift of h: mean force times mean speed, as add_work() does for laws.
void add_script_work(const model::Model& model, double h, std::span<const double> forces_start,
                     std::span<const double> forces_end, const model::State& start, model::State& end);

/// Adds to end.work the work of force laws in a step of h. Each of the kicks at its ends acts for h/2. The
/// velocity is the mean of those at the start and at the end. This is exactly the change of kinetic energy.
/// The work of a law that only dissipates is force times displacement in the drift, with its velocities
/// v_half, as for springs, whose work is the change of their energy; and it is never positive. So springs and
/// dampers that steps do not resolve are not counted against each other.
void add_work(const model::Model& model, const dynamics::KickProblem& problem, double h,
              std::span<const double> v_half, std::span<const double> forces_start,
              std::span<const double> forces_end, const model::State& start, std::vector<double>& scratch,
              model::State& end);

/// The first body whose state is not finite, or an invalid id.
core::BodyId find_not_finite(const model::State& state);

/// Sets P and L of a state from 6 numbers a node.
void store_momenta(const model::MovingBodies& bodies, std::span<const double> momenta, model::State& state);
/// Adds to P and L of a state 6 numbers a node.
void add_momenta(const model::MovingBodies& bodies, std::span<const double> momenta, model::State& state);
/// Adds to momenta, six numbers a node, the impulses of laws with these forces (Efforts::law_forces) in a
/// time, s.
void add_law_impulses(const dynamics::KickProblem& problem, std::span<const double> law_forces, double time,
                      std::span<double> momenta);
/// Sets LeapfrogMemory::other_forces from the solution of a kick.
void save_other_forces(const StepContext& c, const dynamics::KickProblem& problem,
                       std::span<const dynamics::ConeConstraint> cones, double duration,
                       LeapfrogMemory& next);
/// Sets the velocities of centres of mass in a drift of h to P/m, where they differ by the residual of a
/// contact problem only. A drift along another direction than P would change the angular momentum.
void match_velocities(const StepContext& c, std::span<const double> momenta, double h, std::span<double> v);
/// Sets P and L to before + share_after (after - before), from the momenta before and after a kick.
void store_midpoint_momenta(const model::MovingBodies& bodies, std::span<const double> before,
                            std::span<const double> after, double share_after, model::State& state);

}  // namespace tumble::simulate
