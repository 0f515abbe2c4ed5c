#include "tumble/model/joints.h"

#include "tumble/core/require.h"

namespace tumble::model {

Joint::Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
             double target)
    : Constraint(std::move(name), to_string(type), a, b, kind_of(type).rows),
      joint_type_(type),
      holds_point_(kind_of(type).holds_point),
      kind_(&kind_of(type)),
      frames_(frames),
      target_(target) {}

Joint::Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
             std::vector<Curve> script)
    : Constraint(std::move(name), to_string(type), a, b,
                 kind_of(type).rows + static_cast<int>(script.size())),
      joint_type_(type),
      holds_point_(kind_of(type).holds_point && script.empty()),
      kind_(&kind_of(type)),
      frames_(frames),
      script_(std::move(script)) {
  TUMBLE_REQUIRE(script_.size() == (kind_->has_rotation_vector() ? 3u : 1u), "one curve per coordinate");
}

bool Joint::is_angle(int row) const {
  return row >= first_script_row() ? kind_->coordinate != JointCoordinate::travel : row >= kind_->lengths;
}

std::vector<double> Joint::switch_times() const {
  std::vector<double> times;
  for (const Curve& curve : script_)
    for (const double t : curve.switch_times()) times.push_back(t);
  return times;
}

void Joint::add_script_rows(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  const int i = first_script_row();
  if (kind_->has_rotation_vector()) {
    const math::Taylor r[3] = {script_[0].at(t), script_[1].at(t), script_[2].at(t)};
    return rows::set_followed_rotation_rows(out, i, frames_, a, b, rows::follow_rotation_vector(r));
  }
  const math::Taylor x = script_[0].at(t);
  rows::set_coordinate_row(out, i, kind_->scalar(), frames_, a, b, x.value);
  out.value[i] -= x.value;
  out.rate[i] = -x.first;
  out.bias[i] -= x.second;
}

void Joint::evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  kind_->set_rows(frames_, target_, a, b, out);
  if (!script_.empty()) add_script_rows(t, a, b, out);
}

}  // namespace tumble::model
