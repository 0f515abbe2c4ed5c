// What ends a run, and what is a warning: holds, freezes, open joints, steps that become short, energy.
#include "tumble/simulate/run_check.h"

#include <doctest/doctest.h>

#include "support/simulate.h"

using namespace tumble;
using model::BodyId;
using simulate::RunCheck, simulate::RunStatistics, simulate::StepReport, simulate::StepStatus;

namespace {

// Two balls on a hinge.
model::Model make_hinged_balls() {
  model::ModelBuilder builder("pair");
  for (const double x : {0.0, 1.0}) {
    model::BodySpec spec;
    spec.name = x == 0 ? "left" : "right", spec.X_WB.translation = {x, 0, 0};
    spec.shapes = {{.shape = collision::Sphere{0.1}}};
    builder.add_body(spec);
  }
  builder.add_joint({.name = "pivot",
                     .type = model::JointType::hinge,
                     .a = BodyId(0),
                     .b = BodyId(1),
                     .at = {0.5, 0, 0},
                     .axis = {0, 0, 1}});
  return support::finished(builder);
}

struct JudgedRun {
  model::Model model = make_hinged_balls();
  model::State state = start_state(model);
  simulate::SimulationOptions options = {.method = simulate::Method::fast, .accuracy = 1e-3};
  RunStatistics statistics{{.kinetic = 1}, 1};
  simulate::WarningList warnings;
  std::string failure;

  // Judges a step as a simulation does.
  StepStatus take(StepReport step, const model::Constraint* open = nullptr) {
    statistics.count_step(step);
    statistics.count_joints(open != nullptr);
    const RunCheck check(model, options, state);
    check.warn_of_step(step, false, warnings);
    check.judge(statistics, open, step, warnings);
    if (!step.good()) failure = check.describe_failure(statistics, step);
    return step.status;
  }
};

StepReport held_step() {
  StepReport step;
  step.h = 0.01, step.holds = 1, step.near_a = BodyId(0), step.near_b = BodyId(1);
  return step;
}

StepReport plain_step(double h = 0.01) {
  StepReport step;
  step.h = h;
  return step;
}

}  // namespace

TEST_CASE("three holds are warned of with both bodies, a fourth ends a short run") {
  JudgedRun run;
  for (int i = 0; i < 3; ++i) CHECK(run.take(held_step()) == StepStatus::done);
  REQUIRE(run.warnings.texts().size() == 1);
  CHECK(run.warnings.texts()[0].find("held in place") != std::string::npos);
  CHECK(run.warnings.texts()[0].find("bodies \"left\" and \"right\"") != std::string::npos);
  CHECK(run.take(held_step()) == StepStatus::held);
  CHECK(run.failure.find("bodies \"left\" and \"right\"") != std::string::npos);
}

TEST_CASE("a long run may hold bodies in a thousandth of its steps") {
  JudgedRun run;
  for (int i = 0; i < 5000; ++i) REQUIRE(run.take(plain_step()) == StepStatus::done);
  for (int i = 0; i < 5; ++i) CHECK(run.take(held_step()) == StepStatus::done);
  CHECK(run.take(held_step()) == StepStatus::held);
}

TEST_CASE("bodies may freeze in one step, not in two in a row") {
  StepReport frozen = held_step();
  frozen.freezes = 1;
  JudgedRun run;
  CHECK(run.take(frozen) == StepStatus::done);
  CHECK(run.take(plain_step()) == StepStatus::done);
  CHECK(run.take(frozen) == StepStatus::done);
  CHECK(run.take(frozen) == StepStatus::held);
  CHECK(run.warnings.texts().size() == 2);
}

TEST_CASE("a joint that stays open ends the run and is named") {
  JudgedRun run;
  const model::Constraint* pivot = run.model.constraints()[0].get();
  for (int i = 0; i < 3; ++i) CHECK(run.take(plain_step(), pivot) == StepStatus::done);
  CHECK(run.warnings.has("a joint was open by more than the accuracy allows"));
  CHECK(run.take(plain_step()) == StepStatus::done);  // closed again
  for (int i = 0; i < 3; ++i) CHECK(run.take(plain_step(), pivot) == StepStatus::done);
  CHECK(run.take(plain_step(), pivot) == StepStatus::joints_open);
  CHECK(run.failure.find("joint \"pivot\"") != std::string::npos);
}

TEST_CASE("a joint is open if its gap exceeds accuracy times the size of its bodies") {
  JudgedRun run;
  dynamics::ConstrainedBodies joints(run.model);
  const double size = run.model.size_of(*run.model.constraints()[0]);
  const auto find_open = [&](double gap) {
    model::State moved = run.state;
    moved.y[0] += gap;
    joints.compute_gap(0, moved.y.data());
    return RunCheck(run.model, run.options, run.state).find_open_joint(joints) != nullptr;
  };
  CHECK_FALSE(find_open(0.99e-3 * size));
  CHECK(find_open(1.01e-3 * size));
  // A fixed step of the precise method promises nothing.
  run.options.method = simulate::Method::precise;
  run.options.fixed_step = 0.1;
  CHECK_FALSE(find_open(1.01e-3 * size));
}

TEST_CASE("steps that become a thousand times shorter are warned of, then end the run") {
  JudgedRun run;
  CHECK(run.take(plain_step()) == StepStatus::done);
  int steps = 0;
  StepStatus status = StepStatus::done;
  for (; status == StepStatus::done && steps < 100000; ++steps) {
    status = run.take(plain_step(0.99e-5));
    if (steps < 1500) CHECK(run.warnings.texts().empty());  // the first window has the long step
  }
  CHECK(status == StepStatus::stalled);
  CHECK(run.warnings.texts().size() == 1);
  CHECK(steps == 21 * simulate::Streaks::kWindow - 1);
  // Steps that are just long enough are no stall.
  JudgedRun slow;
  CHECK(slow.take(plain_step()) == StepStatus::done);
  for (int i = 0; i < 30000; ++i) REQUIRE(slow.take(plain_step(1.01e-5)) == StepStatus::done);
  CHECK(slow.warnings.texts().empty());
}
