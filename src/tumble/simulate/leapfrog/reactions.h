// What joints pass on in a kick. A kick with the impulses l of rows and laws, over the time k = (h- + h)/2, is a force l/k from the
// middle of the drift before to that of the drift after; so over a step of h
//   impulse = h/2 (l/k at its start) + h/2 (l/k at its end),
// or, where something is hit at its end, + (impulse of the half step before the impact) + (impulse of the impact).
// These impulses are exactly what changes the momenta that states report.
#pragma once

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// The impulse of a limit.
struct LimitImpulse {
  size_t limit;
  double impulse;  // N s or N m s
};

/// Which force laws act: none, as in an impact; those of the half step before it; those of a whole kick.
enum class ActingLaws { none, before_impact, kick };

/// model::kReactionSize numbers a joint, integrated over the kick that `problem` is assembled for (N s, N m s). `limits` are sorted.
void compute_reactions(const model::Model& model, dynamics::KickProblem& problem,
                       std::span<const double> lambda, std::span<const LimitImpulse> limits,
                       std::span<const double> v, ActingLaws laws, const ConstraintSet& cones,
                       std::vector<double>& reactions);

/// Of every law, force and torque on a and on b: its impulse in the kick that `problem` is assembled for, over its time.
void compute_law_forces(const model::Model& model, dynamics::KickProblem& problem, std::span<const double> v,
                        ActingLaws laws, const ConstraintSet& cones, std::vector<double>& forces);

/// sum += factor x.
void add_scaled(std::vector<double>& sum, std::span<const double> x, double factor);

}  // namespace tumble::simulate
