// Joint reactions and forces of laws in a kick. A kick has the impulses l of rows and laws and the duration
// k = (h- + h)/2. It stands for a force l/k from the middle of the drift before it to the middle of the drift
// after it. Hence over a step of h
//   impulse = h/2 (l/k at its start) + h/2 (l/k at its end).
// If there is an impact at the end, the second term is replaced by
//   (impulse of the half step before the impact) + (impulse of the impact).
// The momenta that states report change by exactly these impulses.
#pragma once

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// The impulse of a limit.
struct LimitImpulse {
  size_t limit;
  double impulse;  // N s or N m s
};

/// Which force laws act: none, those of the half step before an impact, very stiff ones in an impact, those
/// of a kick, or their contributions to the nodal shift (dynamics/kick_laws.h).
enum class ActingLaws { none, before_impact, impact, kick, nodal_shift };

/// Reactions of all joints, model::kReactionSize numbers each, integrated over the kick that `problem` is
/// assembled for (N s, N m s). `limits` are sorted.
void compute_kick_reactions(const model::Model& model, dynamics::KickProblem& problem,
                            std::span<const double> lambda, std::span<const LimitImpulse> limits,
                            std::span<const double> v, ActingLaws laws, const ConstraintSet& cones,
                            std::vector<double>& reactions);

/// For every law, force and torque on a and on b: its impulse in the kick that `problem` is assembled for,
/// divided by the duration of the kick.
void compute_law_forces(const model::Model& model, dynamics::KickProblem& problem, std::span<const double> v,
                        ActingLaws laws, const ConstraintSet& cones, std::vector<double>& forces);

/// sum += factor x.
void add_scaled(std::vector<double>& sum, std::span<const double> x, double factor);

}  // namespace tumble::simulate
