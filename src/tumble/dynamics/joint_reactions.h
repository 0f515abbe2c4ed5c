// What joints pass on from a to b: with l the multipliers of a joint's rows and active limits (equation (5) of
// equations_of_motion.h), F and T force and torque of its springs, dampers and drives on b, r the arm of its point on b,
//   f = F - sum J_bv^T l,   tau = T - sum J_bw^T l - r x f                                                       (1)
//   effort = what its drives exert along the coordinate, and -l of the row that holds it to a script              (2)
// The effort on a ball joint is the length of the torque. Where l are impulses, so are f, tau and effort.
#pragma once

#include <algorithm>
#include <span>

#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

/// What one joint passes on to its b: the sum of (1) and (2).
class JointReaction {
 public:
  /// Of rows between the joint's bodies, with their multipliers.
  void add_rows(const model::Constraint& constraint, double t, const model::BodyMotion& a,
                const model::BodyMotion& b, const double* l);
  /// On b, about its centre of mass.
  void add_wrench(const model::Wrench& on_b);
  void add_effort(double effort) { effort_ += effort; }
  /// model::kReactionSize numbers.
  void write(const model::JointParts& joint, const model::BodyMotion& b, double* out) const;

 private:
  model::Wrench wrench_;
  double effort_ = 0;
};

/// Fills model::kReactionSize numbers per joint. `Source` says what acts where the bodies are:
///   const double* multipliers(size_t constraint)       of its rows
///   size_t limit_count(), limit(size_t i)              limits that act, ascending
///   double limit_multiplier(size_t i)                  of one of these
///   bool has_laws()                                    false in an impact, in which laws have no part
///   law_action(size_t law, const model::JointLaw* drive)   its wrenches on_a and on_b, and, if it is a drive, effort
template <class Source>
void compute_reactions(const model::Model& model, double t, std::span<const model::BodyMotion> motions,
                       const Source& source, double* out) {
  size_t limit = 0;  // joints have their limits in ascending order
  for (const model::JointParts& joint : model.joints()) {
    const model::BodyMotion &a = motion_of(joint.a, motions), &b = motion_of(joint.b, motions);
    JointReaction on_b;
    if (joint.constraint)
      on_b.add_rows(*model.constraints()[*joint.constraint], t, a, b, source.multipliers(*joint.constraint));
    while (limit < source.limit_count() && source.limit(limit) < joint.first_limit) ++limit;
    for (; limit < source.limit_count() && source.limit(limit) < joint.end_limit; ++limit) {
      const double multiplier = source.limit_multiplier(limit);
      on_b.add_rows(*model.limits()[source.limit(limit)], t, a, b, &multiplier);
    }
    for (size_t k = joint.first_force; source.has_laws() && k < joint.end_force; ++k) {
      const model::ForceLaw* law = model.forces()[k].get();
      const auto drive = std::find_if(joint.drives.begin(), joint.drives.end(),
                                      [&](const auto& other) { return other.get() == law; });
      const bool drives = drive != joint.drives.end();
      const auto action = source.law_action(k, drives ? drive->get() : nullptr);
      on_b.add_wrench(law->a() == joint.b ? action.on_a : action.on_b);
      if (drives) on_b.add_effort(action.effort);
    }
    on_b.write(joint, b, out);
    out += model::kReactionSize;
  }
}

/// Source of smooth motion, or of an impulse in it: the multipliers that bodies.rows() holds, and laws as
/// they act at t.
struct SmoothReactions {
  const ConstrainedBodies& bodies;
  double t;
  bool laws;

  struct LawAction {
    model::Wrench on_a, on_b;
    double effort = 0;
  };
  const double* multipliers(size_t constraint) const {
    return &bodies.rows()[bodies.solver().first_row(constraint)];
  }
  size_t limit_count() const { return bodies.active_limits().size(); }
  size_t limit(size_t i) const { return static_cast<size_t>(bodies.active_limits()[i]); }
  double limit_multiplier(size_t i) const { return bodies.rows()[bodies.solver().first_row_of_limit(i)]; }
  bool has_laws() const { return laws; }
  LawAction law_action(size_t law, const model::JointLaw* drive) const;
};

}  // namespace tumble::dynamics
