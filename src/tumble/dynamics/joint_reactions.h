// Joint reactions: the force f and torque tau that a joint exerts on its body b. Let l be the multipliers of
// the joint's rows and active limits (equation (5) of equations_of_motion.h), F and T the force and torque of
// its springs, dampers and drives on b, and r the lever arm of the joint's point on b. Then
//   f = F - sum J_bv^T l,   tau = T - sum J_bw^T l - r x f                                                (1)
//   effort = what its drives exert along the coordinate, and -l of the row that enforces a script         (2)
// The effort of a ball joint is the magnitude of the torque. If l are impulses, so are f, tau and effort.
#pragma once

#include <algorithm>
#include <span>

#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

/// Sums (1) and (2) of one joint.
class JointReaction {
 public:
  /// Adds rows between the joint's bodies, with their multipliers l.
  void add_rows(const model::Constraint& constraint, double t, const model::BodyMotion& a,
                const model::BodyMotion& b, const double* l);
  /// Adds a wrench on b, about its centre of mass.
  void add_wrench(const model::Wrench& on_b);
  void add_effort(double effort) { effort_ += effort; }
  /// Writes model::kReactionSize numbers.
  void write(const model::JointParts& joint, const model::BodyMotion& b, double* out) const;

 private:
  model::Wrench wrench_;
  double effort_ = 0;
};

/// Fills model::kReactionSize numbers per joint. `Source` provides what acts on the bodies:
///   const double* multipliers(size_t constraint)       of its rows
///   size_t limit_count(), limit(size_t i)              active limits, ascending
///   double limit_multiplier(size_t i)                  of one of these
///   bool has_laws()                                    false in an impact, in which force laws do not act
///   law_action(size_t law, const model::JointLaw* drive)   wrenches on_a and on_b; of a drive, its effort
template <class Source>
void compute_joint_reactions(const model::Model& model, double t, std::span<const model::BodyMotion> motions,
                             const Source& source, double* out) {
  size_t limit = 0;  // joints have ascending limits
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

/// Source for smooth motion and for impulses in it: the multipliers in bodies.rows(), and the laws at time t.
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
