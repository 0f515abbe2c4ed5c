// A double pendulum built in code: two rods, two hinges, no scene file. Prints its frames and the statistics
// of the run. Exits with 1 unless energy is kept to a millionth of the kinetic energy.
#include <cstdio>

#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

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

  // The run hands out events, one at a time: frames at k/fps, rows of the log, warnings, steps.
  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.duration = 2, .fps = 25, .accuracy = 1e-9}).value();
  while (const std::optional<simulate::Event> event = simulation.next())
    if (const auto* frame = std::get_if<simulate::Frame>(&*event))
      std::printf("t %.4f  lower rod at %8.5f %8.5f m\n", frame->state->time,
                  frame->state->position(lower).x(), frame->state->position(lower).y());
  if (!simulation.failure().empty()) return std::puts(simulation.failure().c_str()), 1;

  simulation.finish();
  for (const core::NamedNumber& number : simulation.statistics().values())
    std::printf("%-20s %g\n", number.name.c_str(), number.value);
  return simulation.statistics().max_energy_drift() < 1e-6 ? 0 : 1;
}
