#include <doctest/doctest.h>

#include <cmath>

#include "support/kepler.h"
#include "support/simulate.h"
#include "tumble/simulate/archive.h"
#include "tumble/simulate/first_contact.h"
#include "tumble/simulate/run_statistics.h"
#include "tumble/simulate/runge_kutta/stepper.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

model::BodySpec ball(const std::string& name, const Vec3& at) {
  model::BodySpec body;
  body.name = name;
  body.X_WB.translation = at;
  body.shapes.push_back({collision::Sphere{0.1}, {}, {}, true, {}});
  return body;
}

}  // namespace

TEST_CASE("a step can be repeated: the same state and memory lead to the same bits") {
  const model::Model model = support::Kepler(1, 1, 0.5).model(0.1);
  simulate::RungeKuttaStepper stepper(model, {});
  simulate::RungeKuttaMemory memory;
  model::State state = start_state(model);
  for (int i = 0; i < 5; ++i) REQUIRE(stepper.step(state, memory).good());
  const model::State before = state;
  const simulate::RungeKuttaMemory memory_before = memory;
  REQUIRE(stepper.step(state, memory).good());
  const model::State first = state;
  REQUIRE(stepper.step(state, memory).good());  // continue, then go back
  model::State again = before;
  simulate::RungeKuttaMemory memory_again = memory_before;
  REQUIRE(stepper.step(again, memory_again).good());
  CHECK(again.y == first.y);
  CHECK(again.time == first.time);
  // and with a stepper that has never seen this run
  simulate::RungeKuttaStepper other(model, {});
  again = before;
  memory_again = memory_before;
  REQUIRE(other.step(again, memory_again).good());
  CHECK(again.y == first.y);
  CHECK(again.work == first.work);
}

TEST_CASE("a state that was changed by hand is accepted") {
  const model::Model model = support::single_body({1, 2, 3}, {0.1, 2, 0.1});
  simulate::RungeKuttaStepper stepper(model, {});
  simulate::RungeKuttaMemory memory;
  model::State state = start_state(model);
  for (int i = 0; i < 5; ++i) REQUIRE(stepper.step(state, memory).good());
  state.set_angular_momentum(BodyId(0), Vec3(3, 0, 0));
  state.set_momentum(BodyId(0), Vec3(1, 0, 0));
  const double t = state.time;
  const Vec3 x = state.position(BodyId(0));
  while (state.time < t + 2) REQUIRE(stepper.step(state, memory).good());
  CHECK((state.position(BodyId(0)) - x - Vec3(state.time - t, 0, 0)).norm() < 1e-12);
  CHECK((state.angular_momentum(BodyId(0)) - Vec3(3, 0, 0)).norm() == 0);
}

TEST_CASE("steps end exactly at the switch of a force, and the impulse is exact") {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  const BodyId id = builder.add_body(ball("ball", Vec3::Zero()));
  const double from = 1.0 / 3, to = 0.7;
  builder.add_force(std::make_shared<model::AppliedForce>("push", id, Vec3(3, 0, 0), model::Frame::world,
                                                          Vec3::Zero(), from, to));
  const model::Model model = support::finished(builder);
  std::vector<double> times;
  support::simulate_steps(model, 2, {}, [&](const model::State& s) { times.push_back(s.time); });
  CHECK(std::count(times.begin(), times.end(), from) == 1);
  CHECK(std::count(times.begin(), times.end(), to) == 1);
  const model::State end = support::simulate_to(model, 2);
  CHECK(std::abs(end.momentum(id).x() - 3 * (to - from)) < 1e-15);
  const double m = model.body(id).mass, v = 3 * (to - from) / m;
  CHECK(std::abs(end.position(id).x() - (0.5 * 3 / m * (to - from) * (to - from) + v * (2 - to))) < 1e-13);
  CHECK(std::abs(end.work[0] - 0.5 * m * v * v) < 1e-13 * end.work[0]);
}

TEST_CASE("two attracting bodies that meet stop the run, with body and time named and the state unchanged") {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  const BodyId a = builder.add_body(ball("a", Vec3(-1, 0, 0))),
               b = builder.add_body(ball("b", Vec3(1, 0, 0)));
  builder.add_force(std::make_shared<model::InverseSquare>("pull", a, b, 10));
  const model::Model model = support::finished(builder);
  simulate::RungeKuttaStepper stepper(model, {});
  simulate::RungeKuttaMemory memory;
  model::State state = start_state(model), before;
  simulate::StepReport report;
  for (int i = 0; i < 100000 && report.good(); ++i) {
    before = state;
    report = stepper.step(state, memory);
    if (report.good()) REQUIRE(state.time > before.time);  // every step must advance time
  }
  REQUIRE_FALSE(report.good());
  CHECK(state.y == before.y);
  CHECK(state.time == before.time);
  for (const double value : state.y) CHECK(std::isfinite(value));
  const std::string text = describe(report, model, state.time);
  CHECK(text.find("body \"") != std::string::npos);
  CHECK(text.find("t = ") != std::string::npos);
  // a head-on fall from rest takes pi/2 sqrt(mu d^3/(2 k)), d the distance
  const double mu = model.body(a).mass / 2, exact = math::kPi / 2 * std::sqrt(mu * 8 / (2 * 10));
  CHECK(state.time == doctest::Approx(exact).epsilon(1e-3));
}

TEST_CASE("a body at rest stays at rest, bit for bit, in few steps") {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  builder.add_body(ball("ball", Vec3(1, 2, 3)));
  const model::Model model = support::finished(builder);
  const model::State start = start_state(model);
  const long steps =
      support::simulate_steps(model, 1000, {}, [&](const model::State& s) { CHECK(s.y == start.y); });
  CHECK(steps < 100);
}

TEST_CASE("far from the origin the stepper reports that rounding limits it, and continues") {
  model::ModelBuilder builder;
  model::BodySpec body = ball("far", Vec3(1e6, 0, 0));
  body.angular_velocity = Vec3(0, 3, 0);
  builder.add_body(body);
  const model::Model model = support::finished(builder);
  simulate::RungeKuttaStepper stepper(model, {.accuracy = 1e-11});
  simulate::RungeKuttaMemory memory;
  model::State state = start_state(model);
  int steps = 0;
  for (; state.time < 1; ++steps) REQUIRE(stepper.step(state, memory).good());
  CHECK(stepper.limited_by_rounding());
  CHECK(steps < 1000);
}

TEST_CASE("a slow start or weak gravity does not make a spring's motion singular") {
  for (const double omega : {0.0, 1e-9, 1e-6, 1e-3})
    for (const double gravity : {0.0, 1e-15, 1e-12, 1e-9}) {
      model::ModelBuilder builder;
      builder.set_gravity(Vec3(0, -gravity, 0));
      model::BodySpec left = ball("left", Vec3(-0.5, 0, 0));
      left.angular_velocity = Vec3(0, omega, 0);
      const BodyId a = builder.add_body(left), b = builder.add_body(ball("right", Vec3(0.5, 0, 0)));
      builder.add_force(
          std::make_shared<model::Spring>("spring", a, Vec3(0, 0.1, 0), b, Vec3::Zero(), 0.8, 50));
      const model::Model model = support::finished(builder);
      const long steps = support::simulate_steps(model, 5, {}, [](const model::State&) {});
      CHECK(steps < 2000);
    }
}

TEST_CASE(
    "scales: median size; time from gravity, else from speed, else from acceleration, else one second") {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3(0, 0, -4));
  builder.add_body(ball("ball", Vec3::Zero()));
  simulate::Scales scales = simulate::compute_scales(support::finished(builder));
  CHECK(scales.length == doctest::Approx(0.1));
  CHECK(scales.time == doctest::Approx(std::sqrt(0.1 / 4)));

  model::ModelBuilder spinning;
  spinning.set_gravity(Vec3::Zero());
  model::BodySpec body = ball("ball", Vec3::Zero());
  body.velocity = Vec3(3, 0, 0);
  body.angular_velocity = Vec3(0, 20, 0);
  spinning.add_body(body);
  CHECK(simulate::compute_scales(support::finished(spinning)).time == doctest::Approx(0.1 / 5));

  model::ModelBuilder pushed;
  pushed.set_gravity(Vec3::Zero());
  const BodyId id = pushed.add_body(ball("ball", Vec3::Zero()));
  pushed.add_force(
      std::make_shared<model::AppliedForce>("push", id, Vec3(5, 0, 0), model::Frame::world, Vec3::Zero()));
  const model::Model model = support::finished(pushed);
  CHECK(simulate::compute_scales(model).time == doctest::Approx(std::sqrt(0.1 * model.body(id).mass / 5)));

  model::ModelBuilder still;
  still.set_gravity(Vec3::Zero());
  still.add_body(ball("ball", Vec3::Zero()));
  CHECK(simulate::compute_scales(support::finished(still)).time == doctest::Approx(1));
}

TEST_CASE(
    "run statistics: gain is relative to the lowest point, drift to the start, both in units of the "
    "energy scale") {
  const auto balance = [](double kinetic, double potential, double work) {
    dynamics::Balance b;
    b.kinetic = kinetic;
    b.potential = potential;
    b.work = work;
    return b;
  };
  simulate::RunStatistics statistics(balance(1, 9, 0));
  statistics.add_balance(balance(4, 5, 0));    // lost 1
  statistics.add_balance(balance(4, 7, 1.5));  // 9.5 after work: gained 0.5 above the least
  CHECK(statistics.max_energy_gain() == doctest::Approx(0.5 / 5));
  CHECK(statistics.max_energy_drift() == doctest::Approx(1.0 / 5));
  CHECK(statistics.energy_scale() == 5);  // 10 - 5
  CHECK(statistics.energy_start() == 10);
  CHECK(statistics.energy_end() == 11);
  simulate::RunStatistics again;
  REQUIRE(simulate::from_bytes(simulate::to_bytes(statistics), again));
  CHECK(simulate::to_bytes(again) == simulate::to_bytes(statistics));
  statistics.add_balance(balance(NAN, 0, 0));
  statistics.add_balance(balance(1, 1, 0));
  CHECK(std::isnan(statistics.max_energy_drift()));  // NaN is not hidden
}

TEST_CASE("bodies that touch or overlap are found, ignored ones are not") {
  model::ModelBuilder builder;
  builder.add_body(ball("a", Vec3(0, 1, 0)));
  builder.add_body(ball("b", Vec3(0.15, 1, 0)));
  model::BodySpec floor;
  floor.name = "floor";
  floor.fixed = true;
  floor.shapes.push_back({collision::Plane{Vec3::UnitY()}, {}, {}, true, {}});
  builder.add_body(floor);
  builder.ignore_pair(BodyId(0), BodyId(1));
  const model::Model model = support::finished(builder);
  model::State state = start_state(model);
  simulate::FirstContactSearch search(model, 1e-6);
  CHECK_FALSE(search.find(state).has_value());
  state.set_position(BodyId(1), Vec3(0, 0.05, 0));
  const auto meeting = search.find(state);
  REQUIRE(meeting);
  CHECK(meeting->a == BodyId(1));
  CHECK(meeting->b == BodyId(2));

  model::ModelBuilder pair;
  pair.add_body(ball("a", Vec3(0, 1, 0)));
  pair.add_body(ball("b", Vec3(0.15, 1, 0)));
  const model::Model close = support::finished(pair);
  CHECK(simulate::FirstContactSearch(close, 1e-6).find(start_state(close)).has_value());
}

TEST_CASE("a start that is too fast for doubles ends with a report, not in an endless loop") {
  model::ModelBuilder builder;
  model::BodySpec body;
  body.name = "b";
  body.velocity = model::Vec3(1e300, 0, 0);  // its square is infinite
  body.inertia = model::GivenInertia{.mass = 1, .moments = model::Vec3(1, 1, 1)};
  builder.add_body(body);
  const model::Model model = builder.finish().value();
  simulate::RungeKuttaStepper stepper(model, {});
  simulate::RungeKuttaMemory memory;
  model::State state = start_state(model);
  CHECK(!stepper.step(state, memory).good());
  CHECK(state.time == 0);
}
