#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tumble/math/quat.h"
#include "tumble/model/force_laws.h"

using namespace tumble;
using namespace tumble::model;
using math::Quat;
using math::Vec3;

namespace {

std::mt19937 generator(11);
Vec3 random_vector() {
  std::normal_distribution<double> normal;
  return Vec3(normal(generator), normal(generator), normal(generator));
}
BodyMotion random_motion() {
  return {random_vector(), Quat::from_rotation_vector(random_vector()).to_matrix(), random_vector(),
          random_vector()};
}
const core::BodyId kA(0), kB(1);

}  // namespace

TEST_CASE("forces between two bodies are equal and opposite, about any point") {
  const Spring spring("s", kA, Vec3(0.1, 0, 0.2), kB, Vec3(0, 0.3, 0), 0.5, 20);
  const Damper damper("d", kA, Vec3(0.1, 0, 0.2), kB, Vec3(0, 0.3, 0), 3);
  const InverseSquare pull("p", kA, kB, 2.5);
  for (const ForceLaw* law : std::initializer_list<const ForceLaw*>{&spring, &damper, &pull})
    for (int n = 0; n < 100; ++n) {
      const BodyMotion a = random_motion(), b = random_motion();
      Wrench on_a, on_b;
      law->apply(0, a, b, on_a, on_b);
      CHECK((on_a.force + on_b.force).norm() < 1e-12 * (1 + on_a.force.norm()));
      const Vec3 moment = a.center.cross(on_a.force) + on_a.torque + b.center.cross(on_b.force) + on_b.torque;
      CHECK(moment.norm() < 1e-12 * (1 + on_a.force.norm()) * (1 + a.center.norm() + b.center.norm()));
      CHECK(on_a.force.norm() > 0);
    }
}

TEST_CASE("the power of a conservative law is minus the rate of its potential, by finite differences") {
  const Spring spring("s", kA, Vec3(0.1, 0, 0.2), kB, Vec3(0, 0.3, 0), 0.5, 20);
  const Spring tether("t", kA, Vec3(0.4, 0, 0), {}, Vec3(1, 2, 3), 0.2, 7);
  const InverseSquare pull("p", kA, kB, 2.5);
  const double dt = 1e-5;
  for (const ForceLaw* law : std::initializer_list<const ForceLaw*>{&spring, &tether, &pull})
    for (int n = 0; n < 50; ++n) {
      const BodyMotion a = random_motion(), b = law->b().valid() ? random_motion() : BodyMotion{};
      Wrench on_a, on_b;
      law->apply(0, a, b, on_a, on_b);
      double power = on_a.force.dot(a.velocity) + on_a.torque.dot(a.angular_velocity);
      power += on_b.force.dot(b.velocity) + on_b.torque.dot(b.angular_velocity);
      const auto moved = [](BodyMotion m, double t) {
        m.center += t * m.velocity;
        m.rotation = Quat::from_rotation_vector(t * m.angular_velocity).to_matrix() * m.rotation;
        return m;
      };
      const double later = *law->potential(0, moved(a, dt), moved(b, dt));
      const double earlier = *law->potential(0, moved(a, -dt), moved(b, -dt));
      const double scale = 1 + std::abs(power) + std::abs(later);
      // The error of a central difference is dt^2 times the third derivative, and rounding. The derivative is
      // largest for close bodies under `pull`.
      if ((a.center - b.center).norm() > 0.3)
        CHECK(std::abs((later - earlier) / (2 * dt) + power) < 1e-5 * scale);
    }
}

TEST_CASE("a damper never adds energy") {
  const Damper damper("d", kA, Vec3(0.1, 0, 0.2), kB, Vec3(0, 0.3, 0), 3);
  for (int n = 0; n < 200; ++n) {
    const BodyMotion a = random_motion(), b = random_motion();
    Wrench on_a, on_b;
    damper.apply(0, a, b, on_a, on_b);
    CHECK(on_a.force.dot(a.velocity) + on_a.torque.dot(a.angular_velocity) + on_b.force.dot(b.velocity) +
              on_b.torque.dot(b.angular_velocity) <=
          1e-12);
  }
  CHECK_FALSE(damper.potential(0, {}, {}).has_value());
}

TEST_CASE("the force of a spring of length zero is zero, not NaN, if its ends coincide") {
  const Spring spring("s", kA, Vec3::Zero(), kB, Vec3::Zero(), 0, 20);
  Wrench on_a, on_b;
  spring.apply(0, {}, {}, on_a, on_b);
  CHECK(on_a.force == Vec3::Zero());
}

TEST_CASE("timed forces act for from <= t < to; a force in the body frame rotates with the body") {
  const BodyMotion turned{Vec3::Zero(), Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 2).to_matrix(),
                          Vec3::Zero(), Vec3::Zero()};
  const AppliedForce force("f", kA, Vec3(1, 0, 0), Frame::body, Vec3(0, 0, 1), 1, 2);
  const AppliedTorque torque("t", kA, Vec3(1, 0, 0), Frame::world, 1, 2);
  for (const double t : {0.0, 0.999, 1.0, 1.5, 1.999, 2.0, 3.0}) {
    Wrench on, none;
    force.apply(t, turned, {}, on, none);
    const bool acts = t >= 1 && t < 2;
    CHECK((on.force - (acts ? Vec3(0, 1, 0) : Vec3(0, 0, 0))).norm() < 1e-15);
    CHECK((on.torque - (acts ? Vec3(-1, 0, 0) : Vec3(0, 0, 0))).norm() < 1e-15);
    Wrench twist;
    torque.apply(t, turned, {}, twist, none);
    CHECK(twist.torque == (acts ? Vec3(1, 0, 0) : Vec3(0, 0, 0)));
  }
  CHECK(force.switch_times() == std::vector<double>{1, 2});
}

TEST_CASE("drag opposes the velocity relative to the wind, not to the world") {
  const Drag drag("d", kA, 0.5, 2, Vec3(3, 0, 0));
  BodyMotion body;
  body.velocity = Vec3(3, 4, 0);
  Wrench on, none;
  drag.apply(0, body, {}, on, none);
  CHECK((on.force - Vec3(0, -(0.5 + 2 * 4) * 4, 0)).norm() < 1e-14);
}
