// What joints pass on in fast steps. A kick with the impulses l of rows and laws, over the time k = (h- + h)/2, is a force l/k from the middle of
// the step before to that of the step after; so over a step of h
//   impulse = h/2 (l/k at its start) + h/2 (l/k at its end),   or, where something is hit at its end, + (what the half step before
//   that takes) + (what joints pass on in the impact)
// and impulses are exactly what changes the momenta that are told.
#include <algorithm>

#include "tumble/dynamics/joint_reactions.h"
#include "tumble/model/joint_forces.h"
#include "tumble/simulate/leapfrog/accounting.h"
#include "tumble/simulate/leapfrog/stepper.h"

namespace tumble::simulate {

using dynamics::ConeConstraint;
using dynamics::kNone;
using model::BodyMotion;
using model::State;

void add_to(std::vector<double>& sum, std::span<const double> x, double times) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += times * x[i];
}

// Of the last of cones_, or of those before drives.
std::vector<LeapfrogStepper::LimitPush> LeapfrogStepper::pushes_of_limits(
    const std::vector<size_t>& limits) const {
  std::vector<LimitPush> pushes;
  const size_t first = cones_.size() - drives_.size() - limits.size();
  for (size_t i = 0; i < limits.size(); ++i) pushes.push_back({limits[i], cones_[first + i].impulse.x()});
  std::sort(pushes.begin(), pushes.end(), [](const auto& x, const auto& y) { return x.limit < y.limit; });
  return pushes;
}

// The row that a law with a largest effort has among the last cones_, if any.
const ConeConstraint* LeapfrogStepper::row_of_drive(size_t law, Laws laws) const {
  const auto drive = std::find(drives_.begin(), drives_.end(), law);
  if (laws != Laws::over || drive == drives_.end()) return nullptr;
  return &cones_[cones_.size() - static_cast<size_t>(drives_.end() - drive)];
}

std::vector<double> LeapfrogStepper::collect_reactions(std::span<const double> l,
                                                       const std::vector<LimitPush>& limits,
                                                       std::span<const double> v, Laws laws) {
  std::vector<double> reactions(model_->joints().size() * model::kReactionSize);
  const double t = problem_.time();
  const std::span<const BodyMotion> motions = problem_.motions();
  double* out = reactions.data();
  for (const model::JointParts& joint : model_->joints()) {
    const BodyMotion &a = motion_of(joint.a, motions), &b = motion_of(joint.b, motions);
    dynamics::JointReaction reaction;
    if (joint.constraint)
      reaction.add_rows(*model_->constraints()[*joint.constraint], t, a, b,
                        &l[problem_.matrix().first_row(*joint.constraint)]);
    for (const LimitPush& push : limits) {
      if (push.limit < joint.first_limit || push.limit >= joint.end_limit) continue;
      const double multiplier = -push.impulse;
      reaction.add_rows(*model_->limits()[push.limit], t, a, b, &multiplier);
    }
    for (size_t k = joint.first_force; laws != Laws::none && k < joint.end_force; ++k) {
      const dynamics::KickProblem::Passed passed = problem_.passed_on(k, v, row_of_drive(k, laws));
      reaction.add_wrench(model_->forces()[k]->a() == joint.b ? passed.on_a : passed.on_b);
      const auto is_it = [&](const auto& law) { return law.get() == model_->forces()[k].get(); };
      if (std::any_of(joint.drives.begin(), joint.drives.end(), is_it)) reaction.add_effort(passed.effort);
    }
    reaction.write(joint, b, out);
    out += model::kReactionSize;
  }
  return reactions;
}

// Contacts and limits were hit: what that does to the joints, beside what it does to velocities.
void LeapfrogStepper::note_hit(const std::vector<size_t>& limits) {
  std::vector<double> x(problem_.size(), 0.0), l(problem_.matrix().rows(), 0.0);
  for (const ConeConstraint& cone : cones_)
    for (const auto& [node, G] : {std::pair(cone.a, &cone.G_a), std::pair(cone.b, &cone.G_b)})
      if (node != kNone)
        Eigen::Map<dynamics::KktSolver::Vec6>(&x[6 * static_cast<size_t>(node)]) +=
            G->transpose() * cone.impulse;
  problem_.matrix().clear_addition();
  problem_.matrix().factor();
  problem_.matrix().solve(x.data(), l.data());
  add_to(hit_impulses_, collect_reactions(l, pushes_of_limits(limits), {}, Laws::none), 1);
}

void LeapfrogStepper::pass_on(const LeapfrogMemory& control, const LeapfrogMemory& after, bool impact,
                              State& end) {
  add_to(end.impulses, control.reactions, 0.5 * control.next_step);
  if (impact)
    add_to(end.impulses, hit_impulses_, 1);
  else
    add_to(end.impulses, after.reactions, 0.5 * control.next_step);
}

std::vector<double> LeapfrogStepper::reactions_at(const State& state) {
  LeapfrogMemory control, after;
  control.momenta = problem_.momenta_of(state);
  after.left = h_;
  LeapfrogReport report;
  State start = state;
  const LeapfrogOptions options = options_;
  options_.reactions = true;
  kick(start, control, 0, after, report);
  options_ = options;
  return after.reactions;
}

}  // namespace tumble::simulate
