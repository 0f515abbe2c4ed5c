#include "tumble/model/joints.h"

#include <array>

#include "tumble/core/require.h"

namespace tumble::model {

namespace {

struct JointKind {
  JointType type;
  const char* name;
  int rows;
  int lengths;  // this many rows come first and measure lengths, the rest angles
};

constexpr std::array kJointKinds = {
    JointKind{JointType::nail, "nail", 3, 3},
    JointKind{JointType::ball, "ball", 3, 3},
    JointKind{JointType::universal, "universal", 4, 3},
    JointKind{JointType::constant_velocity, "constant-velocity", 4, 3},
    JointKind{JointType::hinge, "hinge", 5, 3},
    JointKind{JointType::slider, "slider", 5, 2},
    JointKind{JointType::cylindrical, "cylindrical", 4, 2},
    JointKind{JointType::fixed, "fixed", 6, 3},
    JointKind{JointType::distance, "distance", 1, 1},
    JointKind{JointType::point_on_plane, "point-on-plane", 1, 1},
    JointKind{JointType::point_on_line, "point-on-line", 2, 2},
};

const JointKind& kind_of(JointType type) { return kJointKinds[static_cast<size_t>(type)]; }

}  // namespace

const char* to_string(JointType type) { return kind_of(type).name; }

std::optional<JointType> find_joint_type(const std::string& name) {
  for (const JointKind& kind : kJointKinds)
    if (name == kind.name) return kind.type;
  return std::nullopt;
}

Joint::Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
             double target)
    : Constraint(std::move(name), to_string(type), a, b, kind_of(type).rows),
      joint_type_(type),
      frames_(frames),
      target_(target) {}

Joint::Joint(std::string name, JointType type, core::BodyId a, core::BodyId b, const JointFrames& frames,
             std::vector<Curve> script)
    : Constraint(std::move(name), to_string(type), a, b,
                 kind_of(type).rows + static_cast<int>(script.size())),
      joint_type_(type),
      frames_(frames),
      script_(std::move(script)) {
  TUMBLE_REQUIRE(script_.size() == (type == JointType::ball ? 3u : 1u), "one curve per coordinate");
}

bool Joint::is_angle(int row) const {
  const bool travels = joint_type_ == JointType::slider || joint_type_ == JointType::cylindrical;
  return row >= first_script_row() ? !travels : row >= kind_of(joint_type_).lengths;
}

std::vector<double> Joint::switch_times() const {
  std::vector<double> times;
  for (const Curve& curve : script_)
    for (const double t : curve.switch_times()) times.push_back(t);
  return times;
}

void Joint::add_script_rows(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  const int i = first_script_row();
  if (joint_type_ == JointType::ball) {
    const math::Taylor r[3] = {script_[0].at(t), script_[1].at(t), script_[2].at(t)};
    return rows::set_followed_rotation_rows(out, i, frames_, a, b, r);
  }
  const math::Taylor x = script_[0].at(t);
  const Coordinate coordinate = joint_type_ == JointType::hinge ? Coordinate::angle : Coordinate::travel;
  rows::set_coordinate_row(out, i, coordinate, frames_, a, b, x.value);
  out.value[i] -= x.value;
  out.rate[i] = -x.first;
  out.bias[i] -= x.second;
}

void Joint::evaluate(double time, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  using namespace rows;
  const Vec3 s = turned_by(a.rotation, frames_.arm_A), t = turned_by(b.rotation, frames_.arm_B);
  if (held_point()) return set_point_rows(out, 0, a, s, b, t);
  // The axis and the two directions across it, as a and b carry them.
  const auto axis_a = [&](int k) { return Vec3(a.rotation * frames_.R_AJ.col(k)); };
  const auto axis_b = [&](int k) { return Vec3(b.rotation * frames_.R_BJ.col(k)); };
  const auto keep_axes_parallel = [&](int i) {
    const Vec3 u_b = axis_b(0);
    set_dot_row(out, i, a, axis_a(1), b, u_b, 0);
    set_dot_row(out, i + 1, a, axis_a(2), b, u_b, 0);
  };
  const auto keep_on_axis = [&](int i) {
    set_plane_row(out, i, a, s, axis_a(1), b, t);
    set_plane_row(out, i + 1, a, s, axis_a(2), b, t);
  };

  switch (joint_type_) {
    case JointType::nail:
    case JointType::ball:
      set_point_rows(out, 0, a, s, b, t);
      break;
    case JointType::universal:
      set_point_rows(out, 0, a, s, b, t);
      set_dot_row(out, 3, a, axis_a(0), b, axis_b(0), target_);
      break;
    case JointType::constant_velocity:
      set_point_rows(out, 0, a, s, b, t);
      set_rotation_row(out, 3, compute_relative_rotation(frames_, a, b), 0, a, b);
      break;
    case JointType::hinge:
      set_point_rows(out, 0, a, s, b, t);
      keep_axes_parallel(3);
      break;
    case JointType::fixed:
      set_point_rows(out, 0, a, s, b, t);
      set_rotation_rows(out, 3, frames_, a, b);
      break;
    case JointType::slider:
      keep_on_axis(0);
      set_rotation_rows(out, 2, frames_, a, b);
      break;
    case JointType::cylindrical:
      keep_on_axis(0);
      keep_axes_parallel(2);
      break;
    case JointType::distance:
      set_distance_row(out, 0, a, s, b, t, target_);
      break;
    case JointType::point_on_plane:
      set_plane_row(out, 0, a, s, axis_a(0), b, t);
      break;
    case JointType::point_on_line:
      keep_on_axis(0);
      break;
  }
  if (!script_.empty()) add_script_rows(time, a, b, out);
}

}  // namespace tumble::model
