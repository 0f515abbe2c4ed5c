// The shipped scenes with joints, and the claim each file opens with.
#include <doctest/doctest.h>

#include <cmath>

#include "support/simulate.h"
#include "tumble/dynamics/energy.h"
#include "tumble/dynamics/joint_report.h"
#include "tumble/simulate/start.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

constexpr double kJointError = 1e-12;  // m: positions below 10 m are doubles to 2e-15 m

BodyId id(const model::Model& model, const std::string& name) { return model.find_body(name).value(); }

struct Held {
  double drift = 0;        // of energy less work, as a part of the largest kinetic energy
  double joint_error = 0;  // m
};

// Steps a scene through its whole time from its closed start.
Held run(const model::Model& model, const std::function<void(const model::State&)>& look) {
  const core::Expected<model::State> start = simulate::prepare_start(model);
  REQUIRE(start);
  CHECK(start.diagnostics().empty());
  const model::RunOptions& wishes = model.run_options();
  simulate::PreciseOptions options;
  options.accuracy = wishes.accuracy.value_or(options.accuracy);
  simulate::PreciseDriver driver(model, options);
  dynamics::EquationsOfMotion equations(model);
  model::State state = *start;
  simulate::Control control;
  const dynamics::Balance first = dynamics::compute_balance(model, state);
  double drift = 0, largest = first.kinetic;
  Held held;
  look(state);
  while (state.time < wishes.duration) {
    REQUIRE(driver.step(state, control).good());
    const dynamics::Balance now = dynamics::compute_balance(model, state);
    drift = std::max(drift, std::abs(now.energy() - now.work - first.energy()));
    largest = std::max(largest, now.kinetic);
    held.joint_error = std::max(held.joint_error, equations.compute_gap(state.time, state.y.data()).error);
    look(state);
  }
  held.drift = drift / largest;
  return held;
}

}  // namespace

TEST_CASE("gyroscope: it does not fall, and goes round at about m g l / (I w)") {
  const scene::Scene scene = support::load("gyroscope");
  const model::Model& model = scene.model;
  const BodyId top = id(model, "gyroscope");
  const double I = 0.02, w = 40 * math::kPi, l = 0.2, g = 9.81;
  const double transverse = 0.02 * 0.5 + 0.02 * 0.02 / 12 + l * l;  // about the nail
  double lowest = 0, angle = 0, last = 0;
  const Held held = run(model, [&](const model::State& state) {
    const Vec3 arm = state.position(top) - Vec3(0, 0.5, 0);
    CHECK(std::abs(arm.norm() - l) < kJointError);
    lowest = std::min(lowest, arm.y());
    const double now = std::atan2(-arm.z(), arm.x());
    angle += std::remainder(now - last, 2 * math::kPi);
    last = now;
  });
  CHECK(held.drift < 1e-6);
  CHECK(held.joint_error < kJointError);
  // A fast top let go at rest nods through 2 m g l I1 / (I w)^2; the next term is smaller by about that angle squared.
  const double nod = 2 * g * l * transverse / (I * w * I * w);
  CHECK(-lowest / l == doctest::Approx(std::sin(nod)).epsilon(nod));
  CHECK(std::abs(angle / (8 * g * l / (I * w)) - 1) < nod);
}

TEST_CASE("double pendulum: the energy does not change and the hinges stay closed") {
  const scene::Scene scene = support::load("double-pendulum");
  const Held held = run(scene.model, [](const model::State&) {});
  CHECK(held.drift < 1e-9);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("chain: 25 links stay joined and keep their energy") {
  const scene::Scene scene = support::load("chain");
  const Held held = run(scene.model, [](const model::State&) {});
  CHECK(scene.model.constraints().size() == 25);
  CHECK(held.drift < 1e-6);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("four-bar: 17 of 20 rows count, and the coupler stays level while it swings") {
  const scene::Scene scene = support::load("four-bar");
  const model::Model& model = scene.model;
  const auto islands = dynamics::report_on_joints(model, start_state(model));
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].rows == 20);
  CHECK(islands[0].degrees_of_freedom() == 1);
  const BodyId coupler = id(model, "coupler");
  double left = 0, right = 0;
  const Held held = run(model, [&](const model::State& state) {
    CHECK((state.orientation(coupler) * Vec3::UnitX() - Vec3::UnitX()).norm() < 1e-9);
    left = std::min(left, state.position(coupler).x());
    right = std::max(right, state.position(coupler).x());
  });
  CHECK(held.drift < 1e-8);
  CHECK(held.joint_error < kJointError);
  // From 40 degrees to 40 degrees on the other side.
  const double swing = 0.3 * std::sin(40 * math::kPi / 180);
  CHECK(right == doctest::Approx(swing).epsilon(1e-6));
  CHECK(left < -0.95 * swing);
}

TEST_CASE("three nails: the table does not move under a rotor that shakes it") {
  const scene::Scene scene = support::load("three-nails");
  const model::Model& model = scene.model;
  const auto islands = dynamics::report_on_joints(model, start_state(model));
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].redundant_rows() == 3);
  CHECK(islands[0].degrees_of_freedom() == 1);
  const BodyId table = id(model, "table");
  const model::State start = start_state(model);
  const Held held = run(model, [&](const model::State& state) {
    CHECK((state.position(table) - start.position(table)).norm() < kJointError);
    CHECK(math::angle_between(state.orientation(table), start.orientation(table)) < kJointError);
  });
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("cardan: the universal joint runs unevenly as Cardan's law has it, the other evenly") {
  const scene::Scene scene = support::load("cardan");
  const model::Model& model = scene.model;
  const double bend = 40 * math::kPi / 180, c = std::cos(bend), s = std::sin(bend);
  const Vec3 in = Vec3::UnitX(), out(c, 0, s);
  const auto rate = [&](const model::State& state, const char* name, const Vec3& axis) {
    return angular_velocity(model, state, id(model, name)).dot(axis);
  };
  double slowest = 10, fastest = 0;
  const Held held = run(model, [&](const model::State& state) {
    // With a's yoke turned by phi out of the normal of the plane of both shafts:
    // w_out / w_in = cos b / (1 - sin^2 b sin^2 phi)
    const Vec3 yoke = state.orientation(id(model, "cardan-in")) *
                      (start_state(model).orientation(id(model, "cardan-in")).conjugate() * Vec3::UnitY());
    const double ratio = rate(state, "cardan-out", out) / rate(state, "cardan-in", in);
    CHECK(std::abs(ratio - c / (1 - s * s * yoke.z() * yoke.z())) < 1e-9);
    CHECK(std::abs(rate(state, "even-out", out) / rate(state, "even-in", in) - 1) < 1e-9);
    slowest = std::min(slowest, ratio);
    fastest = std::max(fastest, ratio);
  });
  CHECK(slowest == doctest::Approx(c).epsilon(1e-2));
  CHECK(fastest == doctest::Approx(1 / c).epsilon(5e-2));
  CHECK(held.drift < 1e-6);
  CHECK(held.joint_error < kJointError);
}
