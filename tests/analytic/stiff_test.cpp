// Stiff joints: the implicit method takes over by itself, and the results agree with closed forms.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/energy.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

struct Tally {
  int steps = 0, implicit = 0;
};

// A wheel on an axle with spring and damping: I x'' + d x' + k x = 0.
model::Model build_wheel(double inertia, double damping, double stiffness) {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec wheel;
  wheel.name = "wheel";
  wheel.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(inertia, inertia, 1.5 * inertia)};
  const BodyId id = builder.add_body(wheel);
  builder.add_joint({.name = "axle",
                     .type = JointType::hinge,
                     .b = id,
                     .axis = Vec3::UnitZ(),
                     .stiffness = stiffness,
                     .damping = damping,
                     .rest = 1});
  return support::finished(builder);
}

// Ten links held horizontally by springs and dampers.
model::Model build_stiff_beam(double stiffness, double damping) {
  model::ModelBuilder builder;
  BodyId before;
  for (int i = 0; i < 10; ++i) {
    model::BodySpec link;
    link.name = "link" + std::to_string(i);
    link.X_WB = {math::Quat(), Vec3(0.1 * i + 0.05, 0, 0)};
    link.inertia = model::GivenInertia{.mass = 0.16, .moments = Vec3(4e-5, 1.5e-4, 1.5e-4)};
    const BodyId id = builder.add_body(link);
    builder.add_joint({.name = "joint" + std::to_string(i),
                       .type = JointType::ball,
                       .a = before,
                       .b = id,
                       .at = Vec3(0.1 * i, 0, 0),
                       .stiffness = stiffness,
                       .damping = damping});
    before = id;
  }
  return support::finished(builder);
}

Tally count_steps(const model::Model& model, double t_end, double accuracy, model::State& state) {
  simulate::Simulation simulation = support::make_simulation(model, {.accuracy = accuracy});
  Tally tally;
  while (simulation.time() < t_end) {
    const simulate::StepReport report = simulation.step();
    REQUIRE(report.good());
    ++tally.steps;
    tally.implicit += report.implicit ? 1 : 0;
  }
  state = simulation.state_at(t_end);
  return tally;
}

}  // namespace

TEST_CASE("an overdamped wheel creeps as the closed form says, in steps of its slow time scale") {
  constexpr double k = 10, d = 10, I = 1.5e-6;  // rates 1 and 6.7e6 per second
  const model::Model model = build_wheel(1e-6, d, k);
  const double root = std::sqrt(d * d - 4 * I * k), slow = -2 * k / (d + root), fast = -(d + root) / (2 * I);
  for (const double accuracy : {1e-5, 1e-7}) {
    model::State state;
    const Tally tally = count_steps(model, 2, accuracy, state);
    // x - 1 = a e^(slow t) + b e^(fast t), x = x' = 0 at the start
    const double a = fast / (slow - fast), x = 1 + a * std::exp(2 * slow);
    const double angle = state.orientation(BodyId(0)).to_rotation_vector().z();
    MESSAGE("accuracy " << accuracy << ": " << tally.steps << " steps, " << tally.implicit
                        << " implicit, error " << std::abs(angle - x));
    CHECK(std::abs(angle - x) < support::model(10 * accuracy));
    CHECK(tally.implicit > 0);
    CHECK(tally.steps < 2 / (3 / -fast) / 1000);  // explicit steps are stable to about 3 / |fast|
  }
}

TEST_CASE("a stiff, damped beam bends as at a finer accuracy, and its joints stay closed") {
  const model::Model model = build_stiff_beam(1e4, 1e3);
  model::State coarse, fine;
  const Tally tally = count_steps(model, 0.5, 1e-5, coarse), more = count_steps(model, 0.5, 1e-8, fine);
  double apart = 0;
  for (size_t i = 0; i < 10; ++i)
    apart = std::max(apart, (coarse.position(BodyId(i)) - fine.position(BodyId(i))).norm());
  MESSAGE(tally.steps << " steps, " << tally.implicit << " implicit, " << apart
                      << " m apart; finer: " << more.steps);
  CHECK(tally.implicit > tally.steps / 2);
  CHECK(apart < support::model(10 * 1e-5 * 0.1));
  CHECK((fine.position(BodyId(9)) - Vec3(0.95, 0, 0)).norm() > 1e-6);  // it does bend
}

TEST_CASE("soft joints stay with the explicit method") {
  const model::Model model = build_wheel(1, 0.1, 10);
  model::State state;
  CHECK(count_steps(model, 5, 1e-6, state).implicit == 0);
}
