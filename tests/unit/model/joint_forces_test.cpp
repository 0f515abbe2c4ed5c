#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tumble/math/quat.h"
#include "tumble/model/force_laws.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/limits.h"

using namespace tumble;
using namespace tumble::model;
using math::Mat3;
using math::Quat;
using math::Vec3;

namespace {

const core::BodyId kUpper(0), kLower(1);

JointFrames tilted_frames() {
  const Mat3 J = Quat::from_rotation_vector(Vec3(0.4, 1.1, -0.3)).to_matrix();
  return {Vec3(0.2, -0.5, 0.3), Vec3(-0.4, 0.8, 0.6), J, J};
}

struct Pair {
  BodyMotion a, b;
};

// Random poses. The rotation angle of b relative to a is at most `turn`.
Pair random_pair(unsigned seed, double turn, bool to_world) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    return Vec3(x, y, z);
  };
  Pair pair;
  if (!to_world) {
    pair.a.center = vector();
    pair.a.rotation = Quat::from_rotation_vector(2 * vector()).to_matrix();
    pair.a.velocity = vector();
    pair.a.angular_velocity = vector();
  }
  pair.b.center = pair.a.center + vector();
  pair.b.rotation =
      pair.a.rotation * Quat::from_rotation_vector(turn / std::sqrt(3.0) * vector()).to_matrix();
  pair.b.velocity = vector();
  pair.b.angular_velocity = vector();
  return pair;
}

BodyMotion shifted(BodyMotion body, int k, double s) {
  if (k < 3)
    body.center[k] += s;
  else
    body.rotation = Quat::from_rotation_vector(s * Vec3::Unit(k - 3)).to_matrix() * body.rotation;
  return body;
}

double part(const Wrench& wrench, int k) { return k < 3 ? wrench.force[k] : wrench.torque[k - 3]; }

using MakeLaw = std::function<std::shared_ptr<const ForceLaw>(core::BodyId a)>;

// Checks that the force is minus the gradient of the potential with respect to the motion of both bodies. It
// uses differences of order 4. Their error is h^4/30 times the fifth derivative, which is below 1e4 for
// stiffnesses near 10, and rounding 1e-14/h.
void check_conservative(const MakeLaw& make, double turn) {
  const double h = 1e-3, tolerance = 1e4 / 30 * h * h * h * h + 1e-14 / h * 10;
  for (const bool to_world : {false, true})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const auto law = make(to_world ? core::BodyId() : kUpper);
      const Pair p = random_pair(seed, turn, to_world);
      // The first body of a law to the world is b.
      const BodyMotion first = to_world ? p.b : p.a, second = to_world ? p.a : p.b;
      Wrench on_first, on_second;
      law->apply(0, first, second, on_first, on_second);
      for (int k = 0; k < 6; ++k) {
        const auto U = [&](double s) { return *law->potential(0, shifted(first, k, s), second); };
        const auto V = [&](double s) { return *law->potential(0, first, shifted(second, k, s)); };
        const auto slope = [&](const auto& f) {
          return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
        };
        CHECK(std::abs(part(on_first, k) + slope(U)) < tolerance);
        if (!to_world) CHECK(std::abs(part(on_second, k) + slope(V)) < tolerance);
      }
    }
}

// Checks that a law between two bodies does not change their total momentum and angular momentum.
void check_action_is_reaction(const ForceLaw& law, double turn) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Pair p = random_pair(seed, turn, false);
    Wrench on_a, on_b;
    law.apply(0, p.a, p.b, on_a, on_b);
    const Vec3 turning =
        p.a.center.cross(on_a.force) + on_a.torque + p.b.center.cross(on_b.force) + on_b.torque;
    const double rounding = 1e-14 * (1 + on_a.force.norm() + on_a.torque.norm()) * 10;
    CHECK((on_a.force + on_b.force).norm() < rounding);
    CHECK(turning.norm() < rounding);
  }
}

std::shared_ptr<const Limit> angle_limit(core::BodyId a) {
  return std::make_shared<CoordinateLimit>("l", "upper limit", a, kLower, 0, tilted_frames(),
                                           Coordinate::angle, Side::upper, 0.9, 0);
}
std::shared_ptr<const Limit> cone_limit(core::BodyId a) {
  return std::make_shared<ConeLimit>("l", "swing limit", a, kLower, 0, tilted_frames(), 1.4);
}
std::shared_ptr<const Limit> swing_limit(core::BodyId a) {
  return std::make_shared<SwingLimit>("l", "swing limit", a, kLower, 0, tilted_frames(),
                                      SwingLimit::Bounds{-0.9, 1.4, -1.2, 1.3});
}

}  // namespace

TEST_CASE("joint springs and comfort zones exert minus the gradient of their potential, equal and opposite") {
  const JointFrames f = tilted_frames();
  for (const Coordinate x : {Coordinate::angle, Coordinate::travel}) {
    const auto make = [&](core::BodyId a) {
      return std::make_shared<JointSpring>("s", a, kLower, f, x, 0.3, 7);
    };
    check_conservative(make, 1.5);
    check_action_is_reaction(*make(kUpper), 1.5);
  }
  const auto ball = [&](core::BodyId a) { return std::make_shared<BallSpring>("s", a, kLower, f, 7); };
  check_conservative(ball, 2.5);
  check_action_is_reaction(*ball(kUpper), 2.5);

  // With rotations of up to 1 rad, some states are inside the zones and some are outside. The tolerance also
  // holds for states within a few h of the border. The fourth derivative jumps at the border, which adds an
  // error of order h^3.
  const auto soft = [&](auto limit, double depth, double swing) {
    const auto make = [=](core::BodyId a) {
      return std::make_shared<ComfortSpring>("c", limit(a), ComfortZone{depth, 5, 0, swing});
    };
    check_conservative(make, 1.2);
    check_action_is_reaction(*make(kUpper), 1.2);
  };
  soft(angle_limit, 0.8, 0);
  soft(cone_limit, 1.2, 1.4);
  soft(swing_limit, 0.7, 0.9);
}

TEST_CASE("dampers and drives of joints exert equal and opposite forces on a and b") {
  const JointFrames f = tilted_frames();
  for (const Coordinate x : {Coordinate::angle, Coordinate::travel}) {
    check_action_is_reaction(JointDamper("d", kUpper, kLower, f, x, 3), 1.5);
    check_action_is_reaction(JointDrive("d", kUpper, kLower, f, x, 0.5, 0.2, 3, 4, 5), 1.5);
  }
  check_action_is_reaction(BallDrive("d", kUpper, kLower, f, Vec3(1, 2, 3), 3, 4, 5), 1.5);
  check_action_is_reaction(ComfortDamper("d", angle_limit(kUpper), {0.8, 5, 3, 0}), 1.2);
  check_action_is_reaction(ComfortDamper("d", cone_limit(kUpper), {1.2, 5, 3, 1.4}), 1.2);
}

TEST_CASE(
    "the effort of a hinge drive is k (target - angle) + d (velocity - rate), up to its largest effort") {
  JointFrames f;  // the axis is x
  BodyMotion body;
  body.rotation = Quat::from_axis_angle(Vec3(1, 0, 0), 0.3).to_matrix();
  body.angular_velocity = Vec3(0.5, 0, 0);
  const auto effort = [&](double max) {
    const JointDrive drive("d", {}, kLower, f, Coordinate::angle, 1, 2, 10, 4, max);
    Wrench on, world;
    drive.apply(0, body, {}, on, world);
    CHECK((on.torque - Vec3(drive.effort(body, {}), 0, 0)).norm() < 1e-14);
    return drive.effort(body, {});
  };
  CHECK(effort(100) == doctest::Approx(10 * 0.7 + 4 * 1.5).epsilon(1e-14));
  CHECK(effort(3) == 3);
  const JointDrive motor("m", {}, kLower, f, Coordinate::angle, 0, -2, 0, 4, kForever);
  CHECK(motor.effort(body, {}) == doctest::Approx(4 * -2.5).epsilon(1e-14));
}

TEST_CASE("the torque of a ball drive is along the shortest rotation, up to its largest effort") {
  JointFrames f;
  BodyMotion body;
  const Vec3 r(0.3, -0.4, 1.2);
  body.rotation = Quat::from_rotation_vector(r).to_matrix();
  body.angular_velocity = Vec3(1, 0, 0);
  const BallDrive drive("d", {}, kLower, f, Vec3(0, 2, 0), 10, 3, kForever),
      weak("d", {}, kLower, f, Vec3(0, 2, 0), 10, 3, 2);
  const Vec3 torque = -10 * r + 3 * (Vec3(0, 2, 0) - Vec3(1, 0, 0));
  CHECK((drive.torque(body, {}) - torque).norm() < 1e-13);
  CHECK((weak.torque(body, {}) - 2 * torque.normalized()).norm() < 1e-13);
}

TEST_CASE("the effort of a comfort zone is zero at its border and 2 kappa D at the limit") {
  JointFrames f;
  const auto limit = std::make_shared<CoordinateLimit>("l", "upper limit", core::BodyId(), kLower, 0, f,
                                                       Coordinate::angle, Side::upper, 1.0, 0.0);
  const auto cone = std::make_shared<ConeLimit>("l", "swing limit", core::BodyId(), kLower, 0, f, 1.0);
  const double kappa = 5, depth = 0.4, d = 3;
  const auto torque = [&](const ForceLaw& law, const Vec3& axis, double angle, double speed) {
    BodyMotion body;
    body.rotation = Quat::from_rotation_vector(angle * axis).to_matrix();
    body.angular_velocity = speed * axis;
    Wrench on, world;
    law.apply(0, body, {}, on, world);
    return on.torque.dot(axis);
  };
  const Vec3 x = Vec3::Unit(0), y = Vec3::Unit(1);
  const ComfortSpring hinge_spring("c", limit, {depth, kappa, d, 0}),
      swing_spring("c", cone, {depth, kappa, d, 1.0});
  const ComfortDamper hinge_damper("c", limit, {depth, kappa, d, 0}),
      swing_damper("c", cone, {depth, kappa, d, 1.0});
  for (const double angle : {0.2, 0.6, 0.7, 0.8, 1.0}) {
    const double s = std::max(0.0, (angle - 0.6) / 0.4);
    const double spring = -kappa * depth * (s + s * s * s), damper = -d * s * (2 - s) * 1.5;
    CHECK(std::abs(torque(hinge_spring, x, angle, 0) - spring) < 1e-13);
    CHECK(std::abs(torque(swing_spring, y, angle, 0) - spring) < 1e-13);
    CHECK(std::abs(torque(hinge_damper, x, angle, 1.5) - damper) < 1e-13);
    CHECK(std::abs(torque(swing_damper, y, angle, 1.5) - damper) < 1e-13);
  }
}
