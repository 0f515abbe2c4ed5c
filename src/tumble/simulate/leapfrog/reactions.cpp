#include "tumble/simulate/leapfrog/reactions.h"

#include <algorithm>

#include "tumble/dynamics/joint_reactions.h"
#include "tumble/model/joint_forces.h"

namespace tumble::simulate {

using dynamics::KickProblem;
using math::Vec3;
using model::BodyMotion;

void add_scaled(std::vector<double>& sum, std::span<const double> x, double factor) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * x[i];
}

void compute_reactions(const model::Model& model, KickProblem& problem, std::span<const double> lambda,
                       std::span<const LimitImpulse> limits, std::span<const double> v, ActingLaws laws,
                       const ConstraintSet& cones, std::vector<double>& reactions) {
  reactions.resize(model.joints().size() * model::kReactionSize);
  const double t = problem.time();
  const std::span<const BodyMotion> motions = problem.motions();
  double* out = reactions.data();
  for (const model::JointParts& joint : model.joints()) {
    const BodyMotion &a = motion_of(joint.a, motions), &b = motion_of(joint.b, motions);
    dynamics::JointReaction reaction;
    if (joint.constraint)
      reaction.add_rows(*model.constraints()[*joint.constraint], t, a, b,
                        &lambda[problem.matrix().first_row(*joint.constraint)]);
    auto limit = std::lower_bound(limits.begin(), limits.end(), joint.first_limit,
                                  [](const LimitImpulse& x, size_t i) { return x.limit < i; });
    for (; limit != limits.end() && limit->limit < joint.end_limit; ++limit) {
      const double multiplier = -limit->impulse;
      reaction.add_rows(*model.limits()[limit->limit], t, a, b, &multiplier);
    }
    for (size_t k = joint.first_force; laws != ActingLaws::none && k < joint.end_force; ++k) {
      const KickProblem::Passed passed =
          problem.passed_on(k, v, laws == ActingLaws::kick ? cones.actuator_of(k) : nullptr);
      reaction.add_wrench(model.forces()[k]->a() == joint.b ? passed.on_a : passed.on_b);
      const auto is_it = [&](const auto& law) { return law.get() == model.forces()[k].get(); };
      if (std::any_of(joint.drives.begin(), joint.drives.end(), is_it)) reaction.add_effort(passed.effort);
    }
    reaction.write(joint, b, out);
    out += model::kReactionSize;
  }
}

void compute_law_forces(const model::Model& model, KickProblem& problem, std::span<const double> v,
                        ActingLaws laws, const ConstraintSet& cones, std::vector<double>& forces) {
  forces.resize(kLawForceSize * model.forces().size());
  const double both = problem.step_before() + problem.step(), inverse = both > 0 ? 2 / both : 0;
  double* out = forces.data();
  for (size_t k = 0; k < model.forces().size(); ++k) {
    const KickProblem::Passed passed =
        problem.passed_on(k, v, laws == ActingLaws::kick ? cones.actuator_of(k) : nullptr);
    for (const Vec3* x : {&passed.on_a.force, &passed.on_a.torque, &passed.on_b.force, &passed.on_b.torque})
      for (int i = 0; i < 3; ++i) *out++ = inverse * (*x)[i];
  }
}

}  // namespace tumble::simulate
