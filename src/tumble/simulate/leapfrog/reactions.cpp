#include "tumble/simulate/leapfrog/reactions.h"

#include "tumble/dynamics/joint_reactions.h"

namespace tumble::simulate {

using dynamics::KickProblem;
using math::Vec3;

namespace {

// Source of dynamics::compute_joint_reactions(): impulses of the kick that `problem` is assembled for.
struct KickReactions {
  KickProblem& problem;
  std::span<const double> lambda;
  std::span<const LimitImpulse> limits;
  std::span<const double> v;
  ActingLaws laws;
  const ConstraintSet& cones;

  const double* multipliers(size_t constraint) const {
    return &lambda[problem.matrix().first_row(constraint)];
  }
  size_t limit_count() const { return limits.size(); }
  size_t limit(size_t i) const { return limits[i].limit; }
  double limit_multiplier(size_t i) const { return -limits[i].impulse; }
  bool has_laws() const { return laws != ActingLaws::none; }
  dynamics::LawImpulses law_action(size_t law, const model::JointLaw*) const {
    if (laws == ActingLaws::nodal_shift) return problem.compute_nodal_shift(law, v);
    if (laws == ActingLaws::impact) return problem.compute_resistance_impulses(law);
    return problem.compute_law_impulses(law, v, laws == ActingLaws::kick ? cones.actuator_of(law) : nullptr);
  }
};

}  // namespace

void add_scaled(std::vector<double>& sum, std::span<const double> x, double factor) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * x[i];
}

void compute_kick_reactions(const model::Model& model, KickProblem& problem, std::span<const double> lambda,
                            std::span<const LimitImpulse> limits, std::span<const double> v, ActingLaws laws,
                            const ConstraintSet& cones, std::vector<double>& reactions) {
  reactions.resize(model.joints().size() * model::kReactionSize);
  dynamics::compute_joint_reactions(model, problem.time(), problem.motions(),
                                    KickReactions{problem, lambda, limits, v, laws, cones}, reactions.data());
}

void compute_law_forces(const model::Model& model, KickProblem& problem, std::span<const double> v,
                        ActingLaws laws, const ConstraintSet& cones, std::vector<double>& forces) {
  forces.resize(kLawForceSize * model.forces().size());
  const double both = problem.step_before() + problem.step(), inverse = both > 0 ? 2 / both : 0;
  double* out = forces.data();
  for (size_t k = 0; k < model.forces().size(); ++k) {
    const dynamics::LawImpulses impulses =
        problem.compute_law_impulses(k, v, laws == ActingLaws::kick ? cones.actuator_of(k) : nullptr);
    for (const Vec3* x :
         {&impulses.on_a.force, &impulses.on_a.torque, &impulses.on_b.force, &impulses.on_b.torque})
      for (int i = 0; i < 3; ++i) *out++ = inverse * (*x)[i];
  }
}

}  // namespace tumble::simulate
