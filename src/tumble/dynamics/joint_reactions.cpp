#include "tumble/dynamics/joint_reactions.h"

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

SmoothReactions::LawAction SmoothReactions::law_action(size_t index, const model::JointLaw* drive) const {
  const model::ForceLaw& law = *bodies.model().forces()[index];
  const BodyMotion &a = motion_of(law.a(), bodies.motions()), &b = motion_of(law.b(), bodies.motions());
  LawAction action;
  law.apply(t, a, b, action.on_a, action.on_b);
  if (drive) action.effort = drive->effort(a, b);
  return action;
}

}  // namespace tumble::dynamics
