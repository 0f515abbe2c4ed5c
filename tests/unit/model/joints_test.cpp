#include <doctest/doctest.h>

#include <cmath>

#include "support/constraint_check.h"
#include "support/tolerance.h"
#include "tumble/math/quat.h"
#include "tumble/model/auto_constraint.h"
#include "tumble/model/joints.h"

using namespace tumble;
using namespace tumble::model;
using math::kPi;
using math::Mat3;
using math::Quat;
using math::Vec3;

namespace {

const core::BodyId kLeft(0), kRight(1);

const JointType kEveryType[] = {
    JointType::nail,       JointType::ball,           JointType::universal,     JointType::constant_velocity,
    JointType::hinge,      JointType::slider,         JointType::cylindrical,   JointType::fixed,
    JointType::distance,   JointType::point_on_plane, JointType::point_on_line, JointType::line_on_line,
    JointType::orientation};

// Arbitrary frames with oblique axes. The joint axes coincide if the two bodies have the same rotation.
JointFrames some_frames() {
  const Mat3 J = Quat::from_rotation_vector(Vec3(0.3, -0.8, 0.5)).to_matrix();
  return {Vec3(0.2, -0.5, 0.3), Vec3(-0.4, 0.1, 0.6), J, J};
}

// The points of a distance joint are some metres apart, because its direction changes fast if they are close.
JointFrames frames_of(JointType type) {
  JointFrames frames = some_frames();
  if (type == JointType::distance) frames.arm_B *= 8;
  // The lines are far from parallel, also after small rotations of the bodies.
  if (type == JointType::line_on_line)
    frames.R_BJ = frames.R_BJ * Quat::from_axis_angle(Vec3::UnitY(), 1.3).to_matrix();
  return frames;
}

double target_of(JointType type) {
  return type == JointType::distance ? 0.7 : type == JointType::universal ? 0.1 : 0;
}

// An independent implementation of the same joints, with C only.
class PlainJoint final : public AutoConstraint<PlainJoint> {
 public:
  explicit PlainJoint(const Joint& joint)
      : AutoConstraint<PlainJoint>(joint.name(), joint.type(), joint.a(), joint.b(), joint.rows()),
        joint_(joint) {}
  bool is_angle(int row) const override { return joint_.is_angle(row); }

  template <typename S>
  void value(const S&, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    using Vec = Eigen::Matrix<S, 3, 1>;
    using Mat = Eigen::Matrix<S, 3, 3>;
    const JointFrames& f = joint_.frames();
    const Vec gap = b.center + b.rotation * f.arm_B.cast<S>() - a.center - a.rotation * f.arm_A.cast<S>();
    const Mat F_a = a.rotation * f.R_AJ.cast<S>(), F_b = b.rotation * f.R_BJ.cast<S>();
    const Mat D = F_a.transpose() * F_b;
    const Vec local = F_a.transpose() * gap;
    // Twice the vector part of the quaternion of D.
    const S root = sqrt(1.0 + D(0, 0) + D(1, 1) + D(2, 2));
    const S turn[3] = {(D(2, 1) - D(1, 2)) / root, (D(0, 2) - D(2, 0)) / root, (D(1, 0) - D(0, 1)) / root};
    const auto point = [&] { C[0] = gap[0], C[1] = gap[1], C[2] = gap[2]; };
    switch (joint_.joint_type()) {
      case JointType::nail:
      case JointType::ball:
        point();
        break;
      case JointType::universal:
        point(), C[3] = D(0, 0) - target_of(JointType::universal);
        break;
      case JointType::constant_velocity:
        point(), C[3] = turn[0];
        break;
      case JointType::hinge:
        point(), C[3] = D(1, 0), C[4] = D(2, 0);
        break;
      case JointType::fixed:
        point(), C[3] = turn[0], C[4] = turn[1], C[5] = turn[2];
        break;
      case JointType::slider:
        C[0] = local[1], C[1] = local[2], C[2] = turn[0], C[3] = turn[1], C[4] = turn[2];
        break;
      case JointType::cylindrical:
        C[0] = local[1], C[1] = local[2], C[2] = D(1, 0), C[3] = D(2, 0);
        break;
      case JointType::distance:
        C[0] = sqrt(gap.dot(gap)) - target_of(JointType::distance);
        break;
      case JointType::point_on_plane:
        C[0] = local[0];
        break;
      case JointType::point_on_line:
        C[0] = local[1], C[1] = local[2];
        break;
      case JointType::line_on_line: {
        const Vec n = F_a.col(0).cross(F_b.col(0));
        C[0] = n.dot(gap) / sqrt(n.dot(n));
        break;
      }
      case JointType::orientation:
        C[0] = turn[0], C[1] = turn[1], C[2] = turn[2];
        break;
    }
  }

 private:
  const Joint& joint_;
};

}  // namespace

TEST_CASE("J and bias of every joint are the derivatives of its C, between bodies and to the world") {
  for (const JointType type : kEveryType)
    for (const core::BodyId a : {kLeft, core::BodyId()}) {
      const Joint joint("j", type, a, kRight, frames_of(type), target_of(type));
      support::ConstraintCheck how;
      if (type == JointType::line_on_line) how.max_turn = 0.2;  // rad; the lines stay far from parallel
      CHECK(support::check_constraint(joint, how) == "");
    }
}

TEST_CASE("the rows of every joint are equal to those from automatic differentiation of its C") {
  // Rounding error of some tens of operations on numbers up to about 10.
  const double rounding = 1e-12;
  for (const JointType type : kEveryType)
    for (const core::BodyId a : {kLeft, core::BodyId()}) {
      const Joint joint("j", type, a, kRight, frames_of(type), target_of(type));
      support::ConstraintCheck how;
      if (type == JointType::line_on_line) how.max_turn = 0.2;
      CHECK(support::compare_constraints(joint, PlainJoint(joint), rounding, how) == "");
    }
}

TEST_CASE("rows that follow a script are the derivatives of coordinate minus script") {
  // Each curve has a single cubic piece over all times of the check.
  const std::vector<CurveKey> keys[3] = {
      {{-1, 0.3, -0.2}, {4, 0.8, 0.5}}, {{-1, -0.6, 0.4}, {4, 0.2, -0.1}}, {{-1, 0.5, 0}, {4, -0.7, 0.3}}};
  support::ConstraintCheck how;
  how.max_turn = 1;  // rad; the script has |r| < 1.3, so the relative rotation is below pi
  for (const core::BodyId a : {kLeft, core::BodyId()}) {
    for (const JointType type : {JointType::hinge, JointType::slider, JointType::cylindrical}) {
      const Joint joint("j", type, a, kRight, some_frames(), std::vector<Curve>{Curve(keys[0])});
      CHECK(joint.rows() == joint.first_script_row() + 1);
      CHECK(joint.is_angle(joint.first_script_row()) == (type == JointType::hinge));
      CHECK(joint.switch_times() == std::vector<double>{-1, 4});
      CHECK(support::check_constraint(joint, how) == "");
    }
    const Joint ball("j", JointType::ball, a, kRight, some_frames(),
                     std::vector<Curve>{Curve(keys[0]), Curve(keys[1]), Curve(keys[2])});
    CHECK(ball.rows() == 6);
    CHECK(support::check_constraint(ball, how) == "");
  }
}

TEST_CASE("a scripted hinge is satisfied at the script's angle, after any number of revolutions") {
  const JointFrames frames = some_frames();
  const Joint joint("j", JointType::hinge, {}, kRight, frames,
                    std::vector<Curve>{Curve({{0, 0, 0.0}, {10, 60, 0.0}})});
  for (const double t : {0.5, 2.0, 5.0, 9.0}) {
    const double angle = Curve({{0, 0, 0.0}, {10, 60, 0.0}}).at(t).value;
    BodyMotion b;
    b.rotation = Quat::from_axis_angle(frames.R_AJ.col(0), angle).to_matrix();
    ConstraintRows rows;
    joint.evaluate(t, {}, b, rows);
    CHECK(std::abs(rows.value[5]) < support::round_off(16, 60));
  }
}

TEST_CASE("a scripted ball joint is satisfied at the script's rotation vector") {
  const JointFrames frames = some_frames();
  const Vec3 r(0.4, -1.1, 0.9);  // along the joint's axes
  const Joint joint("j", JointType::ball, {}, kRight, frames,
                    std::vector<Curve>{Curve({{0, r.x()}}), Curve({{0, r.y()}}), Curve({{0, r.z()}})});
  BodyMotion b;
  b.rotation = Quat::from_rotation_vector(frames.R_AJ * r).to_matrix();
  ConstraintRows rows;
  joint.evaluate(1, {}, b, rows);
  for (int i = 3; i < 6; ++i) CHECK(std::abs(rows.value[i]) < support::round_off(16));
}

TEST_CASE("every joint type is found by its name in a scene file") {
  for (const JointType type : kEveryType) CHECK(find_joint_type(to_string(type)) == type);
  CHECK(std::string(to_string(JointType::constant_velocity)) == "constant-velocity");
  CHECK_FALSE(find_joint_type("joystick"));
}
