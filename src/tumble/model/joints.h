// Joints as rows (model/joint_rows.h has the blocks and their equations), translations first:
//   nail, ball             point                                        3
//   universal              point, axis of a . axis2 of b = c            4     a Cardan joint; c = 0 if they start square
//   constant-velocity      point, rotation about the axis               4     as much turn out as in, at any bend
//   hinge                  point, 2 dot: across . axis = 0              5
//   fixed                  point, 3 rotation                            6
//   slider                 2 planes along the axis, 3 rotation          5
//   cylindrical            2 planes along the axis, 2 dot               4
//   distance               distance                                     1
//   point-on-plane         plane across the axis                        1
//   point-on-line          2 planes along the axis                      2
// The coordinate of hinge, slider and cylindrical joint (angle, travel, travel) may follow a script s(t) by one row more,
//   C = coordinate - s(t),   dC/dt = -s',   bias includes -s''                                                       (1)
// an angle being taken on the turn nearest to s(t), so that nobody need remember how often it went round; that of a ball
// joint, the rotation vector, by three.
#pragma once

#include <memory>
#include <optional>

#include "tumble/model/curve.h"
#include "tumble/model/joint_rows.h"

namespace tumble::model {

enum class JointType {
  nail,
  ball,
  universal,
  constant_velocity,
  hinge,
  slider,
  cylindrical,
  fixed,
  distance,
  point_on_plane,
  point_on_line
};

/// As a scene file spells it, e.g. "constant-velocity".
const char* to_string(JointType type);
std::optional<JointType> find_joint_type(const std::string& name);

class Joint final : public Constraint {
 public:
  /// `target` is the length of a distance joint, or the cosine between the two axes of a universal one; those are the
  /// first columns of frames.R_AJ and frames.R_BJ.
  Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
        double target = 0);
  /// With a script: one curve (hinge, slider, cylindrical), or three for the rotation vector (ball).
  Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
        std::vector<Curve> script);

  JointType joint_type() const { return joint_type_; }
  const JointFrames& frames() const { return frames_; }
  int first_script_row() const override { return rows() - static_cast<int>(script_.size()); }
  bool moves() const override { return !script_.empty(); }
  std::vector<double> switch_times() const override;
  bool is_angle(int row) const override;
  const JointFrames* held_point() const override {
    return rows() == 3 && joint_type_ <= JointType::ball ? &frames_ : nullptr;
  }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override;

 private:
  void add_script_rows(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const;

  JointType joint_type_;
  JointFrames frames_;
  double target_ = 0;
  std::vector<Curve> script_;
};

}  // namespace tumble::model
