// Single steps: read states inside a step, undo it, and repeat it. When does a ball that is thrown upwards
// from 1 m with 5 m/s reach the ground? Exits with 1 if the answer differs from the closed form.
#include <cmath>
#include <cstdio>

#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

int main() {
  model::ModelBuilder builder;
  model::BodySpec spec;
  spec.name = "ball";
  spec.X_WB.translation = model::Vec3(0, 1, 0);
  spec.velocity = model::Vec3(0, 5, 0);
  spec.shapes.emplace_back().shape = collision::Sphere{0.1};
  const core::BodyId ball = builder.add_body(spec);
  const core::Expected<model::Model> model = builder.finish();
  if (!model) return 1;

  simulate::Simulation simulation = simulate::Simulation::create(*model, {.accuracy = 1e-9}).value();
  std::string before;  // the run before its last step
  do {
    before = simulation.save();
    if (!simulation.step().good()) return 1;
  } while (simulation.state().position(ball).y() > 0);

  // The ground lies inside the last step. Halve the interval on the dense output: no step is made for it.
  double early = simulation.step_start().state.time, late = simulation.time();
  while (late - early > 1e-12) {
    const double middle = 0.5 * (early + late);
    (simulation.state_at(middle).position(ball).y() > 0 ? early : late) = middle;
  }

  // Taken back and taken again, the step ends in the same bits.
  const model::State state = simulation.state();
  if (!simulation.restore(before).empty() || !simulation.step().good()) return 1;
  const bool same = simulation.time() == state.time && simulation.state().y == state.y;

  const double g = 9.81, exact = (5 + std::sqrt(25 + 2 * g * 1)) / g;
  std::printf("centre at the ground at %.12f s, exactly %.12f s; step taken again: %s\n", late, exact,
              same ? "the same bits" : "different");
  return same && std::abs(late - exact) < 1e-9 ? 0 : 1;
}
