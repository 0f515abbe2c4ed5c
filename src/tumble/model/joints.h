// A joint. Its rows are the rows of its type (model/joints: one file per type), followed by the rows of its
// script. A script s(t) prescribes the joint coordinate (angle, travel or rotation vector). It adds one row,
// or three rows for a rotation vector:
//   C = coordinate - s(t),   dC/dt = -s',   bias includes -s''                                            (1)
// An angle is taken on the branch nearest to s(t), so it need not be unwrapped. For rotation vectors, see
// joint_rows.h (8).
#pragma once

#include <memory>

#include "tumble/model/curve.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

class Joint final : public Constraint {
 public:
  /// `target` is the constant in the rows of the joint type: JointKind::compute_target.
  Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
        double target = 0);
  /// With a script: one curve for an angle or travel, three for a rotation vector.
  Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
        std::vector<Curve> script);

  JointType joint_type() const { return joint_type_; }
  const JointKind& kind() const { return *kind_; }
  const JointFrames& frames() const { return frames_; }
  int first_script_row() const override { return rows() - static_cast<int>(script_.size()); }
  bool moves() const override { return !script_.empty(); }
  std::vector<double> switch_times() const override;
  bool is_angle(int row) const override;
  const JointFrames* held_point() const override { return holds_point_ ? &frames_ : nullptr; }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override;

 private:
  void add_script_rows(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const;

  JointType joint_type_;
  bool holds_point_;
  const JointKind* kind_;
  JointFrames frames_;
  double target_ = 0;
  std::vector<Curve> script_;
};

}  // namespace tumble::model
