// A heavy symmetric top, compared with an independent solution: its equations about the fixed point, in body
// axes and extended precision, by a method of another family with steps so short that its error is below
// 1e-15.
#include <doctest/doctest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <ctime>

#include "tumble/dynamics/energy.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Quat;
using math::Vec3;
using model::BodyId;

namespace {

// A disc of 1 kg with 20 rev/s about its axis. Its centre is 0.2 m from the point that holds it. It is
// released without precession. By the formula of the fast top one revolution takes 8.05 s.
constexpr double kRadius = 0.2, kThickness = 0.02, kArm = 0.2, kSpin = 2 * math::kPi * 20, kDuration = 8,
                 kWeight = 9.81;
constexpr double kAxial = kRadius * kRadius / 2,
                 kAcross = (3 * kRadius * kRadius + kThickness * kThickness) / 12;

model::Model gyroscope() {
  model::ModelBuilder builder("gyroscope");
  model::BodySpec disc;
  disc.name = "disc";
  disc.X_WB.translation = Vec3(kArm, 0, 0);
  disc.angular_velocity = Vec3(kSpin, 0, 0);
  disc.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(kAxial, kAcross, kAcross)};
  const BodyId body = builder.add_body(disc);
  builder.add_joint({.name = "tip", .type = model::JointType::nail, .b = body});
  return builder.finish().value();
}

Quat exact_orientation() {
  using Number = long double;
  using State = std::array<Number, 7>;  // quaternion, angular velocity in body axes
  const Number axial = kAxial, across = Number(kAcross) + Number(kArm) * Number(kArm);
  const auto slope = [&](const State& y, State& s, Number) {
    const auto [w, x, yy, z, p, q, r] = y;
    // the weight in body axes acts at (arm, 0, 0)
    const Number down_y = -(1 - 2 * (x * x + z * z)), down_z = -2 * (yy * z - w * x);
    const Number moment = Number(kWeight) * Number(kArm);
    s = {(-x * p - yy * q - z * r) / 2,
         (w * p + yy * r - z * q) / 2,
         (w * q - x * r + z * p) / 2,
         (w * r + x * q - yy * p) / 2,
         0,
         ((across - axial) * r * p - moment * down_z) / across,
         ((axial - across) * p * q + moment * down_y) / across};
  };
  State y{1, 0, 0, 0, Number(kSpin), 0, 0};
  constexpr int steps = 40000;
  boost::numeric::odeint::runge_kutta_fehlberg78<State, Number> method;
  const Number h = Number(kDuration) / steps;
  for (int i = 0; i < steps; ++i) method.do_step(slope, y, h * i, h);
  return Quat::from_wxyz(static_cast<double>(y[0]), static_cast<double>(y[1]), static_cast<double>(y[2]),
                         static_cast<double>(y[3]))
      .normalized();
}

struct Errors {
  double precession, spin, gap, energy, cpu;
};

Errors run(double accuracy, const Quat& exact) {
  const model::Model model = gyroscope();
  const clock_t begin = clock();
  simulate::Simulation simulation = support::make_simulation(model, {.accuracy = accuracy});
  const model::State& state = simulation.state();
  const double energy = dynamics::compute_balance(model, state).energy();
  dynamics::ConstrainedBodies bodies(model);
  Errors errors{};
  while (state.time < kDuration) {
    REQUIRE(simulation.step().good());
    errors.gap = std::max(errors.gap, bodies.compute_gap(state.time, state.y.data()).error);
    errors.energy =
        std::max(errors.energy, std::abs(dynamics::compute_balance(model, state).energy() / energy - 1));
  }
  const model::State end = simulation.state_at(kDuration);
  errors.cpu = static_cast<double>(clock() - begin) / CLOCKS_PER_SEC;
  const Quat q = end.orientation(BodyId(0));
  const Vec3 axis = q * Vec3::UnitX(), wanted = exact * Vec3::UnitX();
  errors.precession = std::abs(math::atan2(-axis.z(), axis.x()) - math::atan2(-wanted.z(), wanted.x()));
  errors.spin = std::abs((exact.conjugate() * q).to_rotation_vector().x());
  MESSAGE("accuracy " << accuracy << ": precession " << errors.precession << " rad, spin " << errors.spin
                      << " rad, gap " << errors.gap << " m, energy " << errors.energy << ", "
                      << 1e3 * errors.cpu << " ms");
  return errors;
}

}  // namespace

TEST_CASE("a gyroscope precesses and spins like the exact top, and its tip is held to rounding") {
  const Quat exact = exact_orientation();
  const Errors usual = run(1e-6, exact), fine = run(1e-10, exact);
  CHECK(usual.precession < 1e-7);
  CHECK(usual.spin < 5e-6);
  CHECK(usual.gap < 1e-12);
  CHECK(fine.precession < 1e-11);
  CHECK(fine.spin < 1e-9);
  CHECK(fine.gap < 1e-12);
  CHECK(fine.energy < 1e-12);
}
