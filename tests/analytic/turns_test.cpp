// Hinges count their turns: springs wind up, servos rotate many turns, limits may be many turns away.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/energy.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

constexpr double kWheelInertia = 1;  // kg m^2

model::Model build_flywheel(double turning, model::JointSpec axle) {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec wheel;
  wheel.name = "wheel";
  wheel.angular_velocity = turning * Vec3::UnitZ();
  wheel.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(0.6, 0.6, kWheelInertia)};
  axle.b = builder.add_body(wheel);
  axle.name = "axle";
  axle.type = JointType::hinge;
  axle.axis = Vec3::UnitZ();
  builder.add_joint(axle);
  return support::finished(builder);
}

double turning_of(const model::Model& model, const model::State& state) {
  return angular_velocity(model, state, BodyId(0)).z();
}

}  // namespace

TEST_CASE("a spring wound up three turns unwinds as an oscillation of that amplitude") {
  constexpr double wound = 20, k = 4;  // rad; 2 rad/s
  const model::Model model = build_flywheel(0, {.zero = -wound, .stiffness = k});
  const double accuracy = 1e-8, kinetic = 0.5 * k * wound * wound;
  const dynamics::Balance first = dynamics::compute_balance(model, start_state(model));
  CHECK(std::abs(first.potential - kinetic) < support::round_off(20, kinetic));
  support::simulate_frames(model, 5, 20, {.accuracy = accuracy}, [&](const model::State& state) {
    REQUIRE(state.hinge_angles.size() == 1);
    const double x = wound * std::cos(2 * state.time), v = -2 * wound * std::sin(2 * state.time);
    CHECK(std::abs(state.hinge_angles[0] - x) < support::model(10 * accuracy * wound));
    CHECK(std::abs(turning_of(model, state) - v) < support::model(20 * accuracy * wound));
    const dynamics::Balance now = dynamics::compute_balance(model, state);
    CHECK(std::abs(now.energy() - first.energy()) < support::model(10 * accuracy) * kinetic);
  });
}

TEST_CASE("limits four turns apart are hit at the right times") {
  const model::Model model = build_flywheel(5, {.limits = model::Range{-10, 15}, .restitution = 0.5});
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  std::vector<double> hits;
  while (state.time < 30) {
    const simulate::StepReport report = simulation.step();
    REQUIRE(report.good());
    if (report.impacts > 0) hits.push_back(state.time);
    REQUIRE(state.hinge_angles[0] < 15 + 1e-9);
    REQUIRE(state.hinge_angles[0] > -10 - 1e-9);
  }
  REQUIRE(hits.size() == 2);
  CHECK(std::abs(hits[0] - 3) < 1e-8);   // 15 rad at 5 rad/s
  CHECK(std::abs(hits[1] - 13) < 1e-8);  // 25 rad back at 2.5
  CHECK(std::abs(turning_of(model, state) - 1.25) < 1e-9);
}

TEST_CASE("a servo rotates four turns to its target, and does not take the short way") {
  const double target = 8 * math::kPi;
  const model::Model model =
      build_flywheel(0, {.drives = {{.target = target, .stiffness = 100, .damping = 20}}});
  const model::State end = support::simulate_to(model, 4, {.accuracy = 1e-8});
  // critically damped: x = target (1 - (1 + 10 t) e^(-10 t))
  const double left = target * (1 + 10 * 4.0) * std::exp(-10 * 4.0);
  CHECK(std::abs(end.hinge_angles[0] - (target - left)) < support::model(1e-7 * target));
}

TEST_CASE("a script may go round, and the counted angle follows it") {
  model::JointSpec axle{.stiffness = 1};
  axle.script = {{.t = 0, .value = 0, .slope = 0}, {.t = 2, .value = 30, .slope = 0}};
  const model::Model model = build_flywheel(0, axle);
  const model::State end = support::simulate_to(model, 3, {});
  CHECK(std::abs(end.hinge_angles[0] - 30) < 1e-9);
  // the work of the script against the spring is stored in the spring
  const dynamics::Balance balance = dynamics::compute_balance(model, end);
  CHECK(std::abs(balance.potential - 0.5 * 30 * 30) < 1e-6);
  CHECK(std::abs(balance.work - 0.5 * 30 * 30) < 1e-6 * 450);
}

TEST_CASE("a hinge counts turns whichever of its bodies is fixed, and the scene's scales account for it") {
  constexpr double wound = 20;
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec wheel, frame;
  wheel.name = "wheel";
  wheel.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(0.6, 0.6, kWheelInertia)};
  frame.name = "frame";
  frame.fixed = true;
  model::JointSpec axle{.name = "axle", .type = JointType::hinge};
  axle.a = builder.add_body(wheel);
  axle.b = builder.add_body(frame);
  axle.axis = Vec3::UnitZ();
  axle.zero = -wound;
  axle.stiffness = 4;
  builder.add_joint(axle);
  const model::Model model = support::finished(builder);
  const model::State end = support::simulate_to(model, 1, {.accuracy = 1e-8});
  CHECK(std::abs(end.hinge_angles[0] - wound * std::cos(2.0)) < support::model(1e-7 * wound));
  // As far from rest as the first one, hence the same time.
  const model::Model other = build_flywheel(0, {.zero = -wound, .stiffness = 4});
  CHECK(simulate::compute_scales(model).time ==
        doctest::Approx(simulate::compute_scales(other).time).epsilon(1e-12));
  const model::Model slack = build_flywheel(0, {.zero = -wound / 100, .stiffness = 4});
  CHECK(simulate::compute_scales(other).time < simulate::compute_scales(slack).time);
}
