// A program at the controls: a force on a box and the aim of a drive, set between steps. A box on a floor with friction 0.5 stays where it is when it is pushed
// with 0.4 of its weight, and slides with 0.2 g when it is pushed with 0.7; an arm beside it goes where its drive is told to.
// Exits with 1 if they do not.
#include <cmath>
#include <cstdio>

#include "tumble/model/live_model.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::Vec3;

namespace {

model::BodySpec make_box(const char* name, const Vec3& place, const Vec3& size) {
  model::BodySpec spec;
  spec.name = name;
  spec.X_WB.translation = place;
  spec.shapes.emplace_back().shape = collision::Box{size};  // of the default material: friction 0.5
  return spec;
}

}  // namespace

int main() {
  model::ModelBuilder builder;
  model::BodySpec ground;
  ground.name = "floor";
  ground.fixed = true;
  ground.shapes.emplace_back().shape = collision::Plane{Vec3(0, 1, 0)};
  builder.add_body(ground);
  const core::BodyId box = builder.add_body(make_box("box", Vec3(0, 0.1, 0), Vec3(0.4, 0.2, 0.3)));
  const core::BodyId arm = builder.add_body(make_box("arm", Vec3(0, 1, -2), Vec3(1, 0.1, 0.1)));

  builder.add_joint({.name = "pivot",
                     .type = model::JointType::hinge,
                     .b = arm,
                     .at = Vec3(0, 1, -2),
                     .axis = Vec3(0, 1, 0),
                     .drives = {{.stiffness = 100, .damping = 18}}});

  // A copy that may change while it runs, with a hand on the box.
  model::LiveModel live(builder.finish().value(), {.pushed = {box}});
  const model::Model& model = live.model();

  simulate::LeapfrogStepper driver(model, {});
  simulate::LeapfrogMemory control;
  model::State state = simulate::prepare_start(model, simulate::kDefaultFastAccuracy).value().state;
  const auto run_until = [&](double t) {
    while (state.time < t) {
      const simulate::StepReport report = driver.step(state, control);
      if (!report.good()) return std::puts(describe(report, model, state.time).c_str()), false;
    }
    return true;
  };

  const double weight = model.body(box).mass * 9.81;
  if (!live.push(box, {.force = Vec3(0.4 * weight, 0, 0)})) return 1;
  if (!run_until(1)) return 1;
  const double stayed = state.position(box).x();

  if (!live.push(box, {.force = Vec3(0.7 * weight, 0, 0)})) return 1;
  if (!live.set("pivot.drive.target", 0.5)) return 1;
  const double begin = state.time;
  if (!run_until(2)) return 1;
  const double speed = velocity(model, state, box).x(), expected = 0.2 * 9.81 * (state.time - begin);
  const double angle = 2 * std::asin(state.orientation(arm).y());

  std::printf("box: moved %.1e m, then at %.4f m/s (%.4f without delay); arm at %.4f rad of 0.5\n", stayed,
              speed, expected, angle);
  // What is set between steps acts from the end of the next one on.
  const double late = 0.2 * 9.81 * 2 * driver.step_length();
  return std::abs(stayed) < 1e-6 && std::abs(speed - expected) < late && std::abs(angle - 0.5) < 1e-3 ? 0 : 1;
}
