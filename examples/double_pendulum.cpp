// A double pendulum built in code: two rods, two hinges, no scene file.
#include <cstdio>

#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/runge_kutta/stepper.h"

using namespace tumble;
using model::Vec3;

int main() {
  model::ModelBuilder builder("double pendulum");
  model::BodySpec rod;
  rod.shapes.push_back({.shape = collision::Box{Vec3(1, 0.05, 0.05)}});
  rod.name = "upper", rod.X_WB.translation = Vec3(0.5, 0, 0);
  const model::BodyId upper = builder.add_body(rod);
  rod.name = "lower", rod.X_WB.translation = Vec3(1.5, 0, 0);
  const model::BodyId lower = builder.add_body(rod);
  builder.add_joint({.name = "shoulder", .type = model::JointType::hinge, .b = upper, .axis = Vec3::UnitZ()});
  builder.add_joint({.name = "elbow",
                     .type = model::JointType::hinge,
                     .a = upper,
                     .b = lower,
                     .at = Vec3(1, 0, 0),
                     .axis = Vec3::UnitZ()});
  const model::Model model = builder.finish().value();

  simulate::RungeKuttaStepper driver(model, {.accuracy = 1e-9});
  simulate::RungeKuttaMemory control;
  model::State state = start_state(model);
  while (state.time < 2 && driver.step(state, control).good())
    std::printf("t %.4f  lower rod at %8.5f %8.5f m\n", state.time, state.position(lower).x(),
                state.position(lower).y());
}
