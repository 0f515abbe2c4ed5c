#include "tumble/dynamics/joint_reactions.h"

#include <algorithm>

#include "tumble/model/joint_forces.h"

namespace tumble::dynamics {

using model::BodyMotion;
using model::Vec3;

void JointReaction::add_rows(const model::Constraint& constraint, double t, const BodyMotion& a,
                             const BodyMotion& b, const double* l) {
  model::ConstraintRows rows;
  constraint.evaluate(t, a, b, rows);
  Vec3 script = Vec3::Zero();
  for (int i = 0; i < constraint.rows(); ++i) {
    const double* J = rows.J_b[i];
    const Vec3 torque = -l[i] * Vec3(J[3], J[4], J[5]);
    wrench_.force -= l[i] * Vec3(J[0], J[1], J[2]);
    wrench_.torque += torque;
    if (i >= constraint.first_script_row()) script += torque;
  }
  const int scripted = constraint.rows() - constraint.first_script_row();
  if (scripted == 1) effort_ -= l[constraint.first_script_row()];
  if (scripted > 1) effort_ += script.norm();
}

void JointReaction::add_wrench(const model::Wrench& on_b) {
  wrench_.force += on_b.force;
  wrench_.torque += on_b.torque;
}

void JointReaction::write(const model::JointParts& joint, const BodyMotion& b, double* out) const {
  const Vec3 f = wrench_.force, tau = wrench_.torque - (b.rotation * joint.arm_B).cross(f);
  std::copy_n(f.data(), 3, out);
  std::copy_n(tau.data(), 3, out + 3);
  out[6] = effort_;
}

void compute_reactions(const model::Model& model, double t, std::span<const BodyMotion> motions,
                       const ConstraintSolver& constraints, const double* rows, bool laws, double* out) {
  const std::vector<int>& active = constraints.active_limits();
  for (const model::JointParts& joint : model.joints()) {
    const BodyMotion &a = motion_of(joint.a, motions), &b = motion_of(joint.b, motions);
    JointReaction on_b;
    if (joint.constraint)
      on_b.add_rows(*model.constraints()[*joint.constraint], t, a, b,
                    rows + constraints.first_row(*joint.constraint));
    for (auto k = std::lower_bound(active.begin(), active.end(), static_cast<int>(joint.first_limit));
         k != active.end() && *k < static_cast<int>(joint.end_limit); ++k)
      on_b.add_rows(*model.limits()[static_cast<size_t>(*k)], t, a, b,
                    rows + constraints.first_row_of_limit(static_cast<size_t>(k - active.begin())));
    if (laws) {
      for (size_t k = joint.first_force; k < joint.end_force; ++k) {
        const model::ForceLaw& law = *model.forces()[k];
        model::Wrench first, second;
        law.apply(t, motion_of(law.a(), motions), motion_of(law.b(), motions), first, second);
        on_b.add_wrench(law.a() == joint.b ? first : second);
      }
      for (const auto& drive : joint.drives)
        on_b.add_effort(drive->effort(motion_of(drive->a(), motions), motion_of(drive->b(), motions)));
    }
    on_b.write(joint, b, out);
    out += model::kReactionSize;
  }
}

}  // namespace tumble::dynamics
