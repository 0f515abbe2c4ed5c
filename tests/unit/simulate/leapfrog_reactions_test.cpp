// Joint reactions of leapfrog steps, compared with Newton's laws.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/runge_kutta/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::BodyId;
using model::JointType;
using model::Vec3;

namespace {

constexpr double kWeightPerMass = 9.81;

BodyId add_link(model::ModelBuilder& builder, const std::string& name, const Vec3& center, double mass) {
  model::BodySpec link;
  link.name = name;
  link.X_WB = {math::Quat(), center};
  link.inertia = model::GivenInertia{.mass = mass, .moments = mass * Vec3(0.02, 0.03, 0.04)};
  return builder.add_body(link);
}

struct ReportedRun {
  model::Model model;
  simulate::LeapfrogStepper stepper;
  model::State state;
  simulate::LeapfrogMemory memory;

  ReportedRun(const model::Model& m, const simulate::LeapfrogOptions& options)
      : model(m),
        stepper(model, options),
        state(simulate::prepare_start(model, options.accuracy).value().state) {}
  simulate::StepReport step() {
    const simulate::StepReport report = stepper.step(state, memory);
    REQUIRE(report.good());
    return report;
  }
  Vec3 force(size_t joint) const {
    const double* f = &state.impulses[model::kReactionSize * joint];
    return Vec3(f[0], f[1], f[2]);
  }
};

// An arm driven by a script, and a whip on a ball joint with spring, damping, a weak drive and a swing limit
// that it hits.
model::Model build_fast_whip() {
  model::ModelBuilder builder;
  const BodyId arm = add_link(builder, "arm", Vec3(0.5, 0, 0), 2);
  const BodyId whip = add_link(builder, "whip", Vec3(1, -0.3, 0.1), 1);
  builder.add_joint(
      {.name = "shoulder",
       .type = JointType::hinge,
       .b = arm,
       .axis = Vec3::UnitZ(),
       .script = {{.t = 0, .value = 0, .slope = 0}, {.t = 0.4, .value = 1.2}, {.t = 1, .value = -0.6}}});
  model::JointSpec elbow{.name = "elbow",
                         .type = JointType::ball,
                         .a = arm,
                         .b = whip,
                         .at = Vec3(1, 0, 0),
                         .axis = Vec3(0, -1, 0),
                         .swing = {0.9},
                         .restitution = 0.5,
                         .stiffness = 2,
                         .damping = 0.05};
  elbow.drives = {{.stiffness = 1, .damping = 0.1, .max_force = 0.3}};
  builder.add_joint(elbow);
  return support::finished(builder);
}

}  // namespace

TEST_CASE("joints of a hanging chain at rest carry the weight below them, from the first instant") {
  model::ModelBuilder builder("chain");
  BodyId above;
  for (int i = 0; i < 5; ++i) {
    const BodyId link = add_link(builder, "link" + std::to_string(i), Vec3(0, -0.5 - i, 0), 1 + i);
    builder.add_joint({.name = "joint" + std::to_string(i),
                       .type = JointType::ball,
                       .a = above,
                       .b = link,
                       .at = Vec3(0, -i, 0)});
    above = link;
  }
  ReportedRun run(support::finished(builder), {.reactions = true});
  const std::vector<double> at_start = run.stepper.reactions_at(run.state);
  while (run.state.time < 1) run.step();
  double below = 0;
  for (size_t i = 5; i-- > 0;) {
    below += (1 + static_cast<double>(i)) * kWeightPerMass;
    const double* reaction = &at_start[model::kReactionSize * i];
    CHECK((Vec3(reaction[0], reaction[1], reaction[2]) - Vec3(0, below, 0)).norm() < 1e-9 * below);
    CHECK((run.force(i) / run.state.time - Vec3(0, below, 0)).norm() < 1e-9 * below);
    CHECK(Vec3(reaction[3], reaction[4], reaction[5]).norm() < 1e-9 * below);
  }
}

TEST_CASE("a joint that holds an arm supports its moment, and one that carries a load its weight") {
  model::ModelBuilder builder("rest");
  const BodyId arm = add_link(builder, "arm", Vec3(5.5, 3, 0), 2);
  builder.add_joint({.name = "motor",
                     .type = JointType::hinge,
                     .b = arm,
                     .at = Vec3(5, 3, 0),
                     .axis = Vec3::UnitZ(),
                     .script = {{.t = 0, .value = 0}}});
  model::BodySpec ground, foot;
  ground.name = "ground", ground.fixed = true;
  ground.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}}};
  foot.name = "foot", foot.X_WB.translation = Vec3(0, 0.1, 0);
  foot.shapes = {{.shape = collision::Box{Vec3(0.4, 0.2, 0.4)}}};
  builder.add_body(ground);
  const BodyId under = builder.add_body(foot);
  const BodyId load = add_link(builder, "load", Vec3(0.05, 0.5, 0), 3);
  builder.add_joint({.name = "weld", .type = JointType::fixed, .a = under, .b = load, .at = Vec3(0, 0.2, 0)});
  ReportedRun run(support::finished(builder), {.reactions = true});
  while (run.state.time < 1) run.step();
  const double g = kWeightPerMass, t = run.state.time;
  CHECK((run.force(0) / t - Vec3(0, 2 * g, 0)).norm() < 1e-8 * g);
  CHECK(run.state.impulses[5] / t == doctest::Approx(g).epsilon(1e-8));
  CHECK(run.state.impulses[6] / t == doctest::Approx(g).epsilon(1e-8));
  // The tolerance is the contact offset, with contact solved to 1e-8: the box moves by less than rounding of
  // that.
  CHECK((run.force(1) / t - Vec3(0, 3 * g, 0)).norm() < 1e-6 * g);
  CHECK(run.state.impulses[model::kReactionSize + 5] / t == doctest::Approx(3 * g * 0.05).epsilon(1e-6));
}

TEST_CASE(
    "impulses of joints equal the change of the momenta that leapfrog steps report, with impacts, also "
    "inside a step") {
  ReportedRun run(build_fast_whip(), {.fixed_step = 1.0 / 120, .reactions = true});
  const model::State first = run.state;
  int impacts = 0;
  double worst = 0, largest = 0;
  const auto compare = [&](const model::State& state, const model::State& start) {
    const size_t n = model::kReactionSize;
    Vec3 passed[2];
    for (size_t j = 0; j < 2; ++j)
      for (size_t k = 0; k < 3; ++k)
        passed[j][static_cast<Eigen::Index>(k)] =
            state.impulses[n * j + k] - (start.impulses.empty() ? 0 : start.impulses[n * j + k]);
    const Vec3 weight = (state.time - start.time) * run.model.gravity();
    worst = std::max(
        {worst,
         (passed[0] - passed[1] + 2 * weight - state.momentum(BodyId(0)) + start.momentum(BodyId(0))).norm(),
         (passed[1] + weight - state.momentum(BodyId(1)) + start.momentum(BodyId(1))).norm()});
    largest = std::max(largest, passed[0].norm());
  };
  while (run.state.time < 1.5) {
    const model::State start = run.state;
    const double span = run.memory.h_next;
    impacts += run.step().impacts;
    compare(run.state, start);
    if (span > 0) {
      model::State inside;
      run.stepper.state_at(start.time + 0.3 * span, inside);
      compare(inside, start);
    }
  }
  compare(run.state, first);
  MESSAGE("impulses differ from the change of momentum by " << worst << " of " << largest << " N s");
  CHECK(impacts > 0);
  CHECK(worst < support::round_off(1e5, largest));
}

TEST_CASE("the reactions of leapfrog steps converge to those of precise motion with the square of the step") {
  const model::Model model = [] {
    model::ModelBuilder builder("pendulum");
    const BodyId bob = add_link(builder, "bob", Vec3(1, 0, 0), 3);
    builder.add_joint({.name = "string", .type = JointType::ball, .b = bob});
    return support::finished(builder);
  }();
  simulate::RungeKuttaStepper precise(model, {.accuracy = 1e-10, .reactions = true});
  simulate::RungeKuttaMemory memory;
  model::State state = simulate::prepare_start(model).value().state, exact;
  state.impulses.assign(model::kReactionSize, 0.0);
  while (state.time < 0.8) REQUIRE(precise.step(state, memory).good());
  precise.state_at(0.8, exact);
  std::vector<double> steps, errors;
  for (const int n : {32, 64, 128}) {
    ReportedRun run(model, {.fixed_step = 0.8 / n, .reactions = true});
    for (int i = 0; i < n; ++i) run.step();
    steps.push_back(0.8 / n);
    errors.push_back((run.force(0) - Vec3(exact.impulses[0], exact.impulses[1], exact.impulses[2])).norm());
  }
  MESSAGE("errors " << errors[0] << ", " << errors[1] << ", " << errors[2]);
  CHECK(support::fitted_slope(steps, errors) > 1.8);
  CHECK(errors[2] < 1e-3 * exact.impulses[1]);
}
