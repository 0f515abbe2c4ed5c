// Joint limits: they are hit at the times of the closed form, gain no energy, and come to rest.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/energy.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;

namespace {

constexpr double kTorque = 3, kInertia = 2, kStart = 0.7, kBounce = 0.5;
constexpr double kAcceleration = kTorque / kInertia;

// A wheel that a constant torque rotates towards its stop at -kStart; no gravity.
model::Model wheel(double restitution) {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec body;
  body.name = "wheel";
  body.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(1.5, 1, kInertia)};
  const BodyId id = builder.add_body(body);
  builder.add_joint({.name = "axle",
                     .type = model::JointType::hinge,
                     .b = id,
                     .axis = Vec3::UnitZ(),
                     .limits = model::Range{-kStart, 1},
                     .restitution = restitution});
  builder.add_force(
      std::make_shared<model::AppliedTorque>("pull", id, Vec3(0, 0, -kTorque), model::Frame::world));
  return builder.finish().value();
}

double angle(const model::State& state) { return state.orientation(BodyId(0)).to_rotation_vector().z(); }

}  // namespace

TEST_CASE("a limit is hit at the closed-form times and ends at rest") {
  const model::Model model = wheel(kBounce);
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  // It falls for sqrt(2 s/a), then flies for 2 e^k v/a after hit k; the sum of these times is finite.
  double expected = std::sqrt(2 * kStart / kAcceleration), speed = kAcceleration * expected;
  const double rest = expected * (1 + 2 * kBounce / (1 - kBounce));
  double last = 0;
  double kinetic = 1e300, deepest = 0;
  int hits = 0;
  while (state.time < 10) {
    const simulate::StepReport report = simulation.step();
    REQUIRE(report.good());
    deepest = std::max(deepest, -kStart - angle(state));
    if (report.impacts == 0) continue;
    const double now = dynamics::compute_balance(model, state).kinetic;
    CHECK(now < kinetic);
    kinetic = now;
    ++hits;
    last = state.time;
    speed *= kBounce;
    if (hits <= 8) CHECK(std::abs(state.time - expected) < 1e-8);
    expected += 2 * speed / kAcceleration;
  }
  CHECK(hits > 8);
  CHECK(deepest < 1e-9);
  CHECK(last < rest + 1e-8);  // from then on the limit balances the torque
  CHECK(std::abs(angle(state) + kStart) < 1e-12);
  CHECK(dynamics::compute_balance(model, state).kinetic == 0);
}

TEST_CASE("a heavy subtree does not push a fast joint through its stop") {
  // two links with masses 1 : 1000; the light one meets its stop at 20 rad/s
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec light, heavy;
  light.name = "light";
  light.X_WB.translation = Vec3(0.5, 0, 0);
  light.velocity = Vec3(0, -10, 0);
  light.angular_velocity = Vec3(0, 0, -20);
  light.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(0.01, 0.1, 0.1)};
  heavy.name = "heavy";
  heavy.X_WB.translation = Vec3(1.5, 0, 0);
  heavy.velocity = Vec3(0, -30, 0);
  heavy.angular_velocity = Vec3(0, 0, -20);
  heavy.inertia = model::GivenInertia{.mass = 1000, .moments = Vec3(10, 100, 100)};
  const BodyId a = builder.add_body(light), b = builder.add_body(heavy);
  builder.add_joint({.name = "base",
                     .type = model::JointType::hinge,
                     .b = a,
                     .axis = Vec3::UnitZ(),
                     .limits = model::Range{-1, 1},
                     .restitution = 0.3});
  builder.add_joint({.name = "elbow",
                     .type = model::JointType::hinge,
                     .a = a,
                     .b = b,
                     .at = Vec3(1, 0, 0),
                     .axis = Vec3::UnitZ(),
                     .limits = model::Range{-0.5, 0.5}});
  const model::Model model = builder.finish().value();
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  const double start = dynamics::compute_balance(model, state).energy();
  double deepest = 0, gained = 0;
  int hits = 0;
  while (state.time < 1) {
    const double before = dynamics::compute_balance(model, state).energy();
    const simulate::StepReport report = simulation.step();
    REQUIRE(report.good());
    hits += report.impacts;
    const double first = angle(state), second = state.orientation(b).to_rotation_vector().z() - first;
    deepest = std::max({deepest, std::abs(first) - 1, std::abs(second) - 0.5});
    gained = std::max(gained, dynamics::compute_balance(model, state).energy() - before);
  }
  CHECK(hits >= 2);
  CHECK(deepest < 1e-9);
  CHECK(gained < 1e-9 * start);  // the integrator's own drift per step at this accuracy
}

TEST_CASE("frames before a hit that ends at rest show the fall, and those after it the rest") {
  model::ModelBuilder builder;
  model::BodySpec weight;
  weight.name = "weight";
  weight.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(0.1, 0.1, 0.1)};
  const BodyId id = builder.add_body(weight);
  builder.add_joint({.name = "rail",
                     .type = model::JointType::slider,
                     .b = id,
                     .axis = Vec3(0, -1, 0),
                     .limits = model::Range{-1, 0.5}});
  const model::Model model = support::finished(builder);
  const double accuracy = 1e-6;
  support::simulate_frames(model, 0.5, 200, {.accuracy = accuracy}, [&](const model::State& state) {
    const double fallen = 0.5 * 9.81 * state.time * state.time;
    CHECK(std::abs(state.position(id).y() + std::min(fallen, 0.5)) < support::model(10 * accuracy));
  });
}

TEST_CASE("a load that rests on a driven car continues to move when the car stops at once") {
  model::ModelBuilder builder;
  model::BodySpec car, load;
  car.name = "car";
  car.inertia = model::GivenInertia{.mass = 5, .moments = Vec3(1, 1, 1)};
  load = car;
  load.name = "load";
  load.inertia->mass = 1;
  const BodyId a = builder.add_body(car), b = builder.add_body(load);
  builder.add_joint({.name = "lift",
                     .type = model::JointType::slider,
                     .b = a,
                     .axis = Vec3::UnitY(),
                     .script = {{.t = 0, .value = 0, .slope = 4}, {.t = 0.5, .value = 2, .slope = 4}}});
  builder.add_joint({.name = "floor",
                     .type = model::JointType::slider,
                     .a = a,
                     .b = b,
                     .axis = Vec3::UnitY(),
                     .limits = model::Range{0, 5}});
  const model::Model model = support::finished(builder);
  const model::State end = support::simulate_to(model, 0.6, {});
  CHECK(std::abs(end.position(a).y() - 2) < support::model(1e-9));
  CHECK(std::abs(end.position(b).y() - (2 + 4 * 0.1 - 0.5 * 9.81 * 0.01)) < support::model(1e-6));
}
