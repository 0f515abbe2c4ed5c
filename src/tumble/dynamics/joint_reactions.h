// What joints pass on from a to b: with l the multipliers of a joint's rows and active limits (equation (5) of
// equations_of_motion.h), F and T force and torque of its springs, dampers and drives on b, r the arm of its point on b,
//   f = F - sum J_bv^T l,   tau = T - sum J_bw^T l - r x f                                                       (1)
//   effort = what its drives exert along the coordinate, and -l of the row that holds it to a script              (2)
// The effort on a ball joint is the length of the torque. Where l are impulses, so are f, tau and effort.
#pragma once

#include <span>

#include "tumble/dynamics/linear/constraint_solver.h"
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

/// Fills model::kReactionSize numbers per joint. `rows` are the multipliers where the bodies are; without `laws` those of
/// the rows are all there is, as in an impact.
void compute_reactions(const model::Model& model, double t, std::span<const model::BodyMotion> motions,
                       const ConstraintSolver& constraints, const double* rows, bool laws, double* out);

}  // namespace tumble::dynamics
