// Steps by hand: look inside a step, take it back, and take it again. When does a ball thrown from 1 m at
// 5 m/s upwards come back to the ground? Exits with 1 if the answer is not that of the closed formula.
#include <cmath>
#include <cstdio>

#include "tumble/model/model_builder.h"
#include "tumble/simulate/runge_kutta/stepper.h"

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

  // A state and a control are plain values: a copy is all it takes to come back.
  simulate::RungeKuttaStepper driver(*model, {.accuracy = 1e-9});
  simulate::RungeKuttaMemory control, control_before;
  model::State state = start_state(*model), before;
  do {
    before = state;
    control_before = control;
    if (!driver.step(state, control).good()) return 1;
  } while (state.position(ball).y() > 0);

  // The ground lies inside the last step. Halve the interval on the dense output: no step is made for it.
  model::State inside;
  double early = before.time, late = state.time;
  while (late - early > 1e-12) {
    const double middle = 0.5 * (early + late);
    driver.state_at(middle, inside);
    (inside.position(ball).y() > 0 ? early : late) = middle;
  }

  // Taken back and taken again, the step ends in the same bits.
  model::State again = before;
  if (!driver.step(again, control_before).good()) return 1;
  const bool same =
      again.time == state.time && again.y == state.y && control_before.next_step == control.next_step;

  const double g = 9.81, exact = (5 + std::sqrt(25 + 2 * g * 1)) / g;
  std::printf("centre at the ground at %.12f s, exactly %.12f s; step taken again: %s\n", late, exact,
              same ? "the same bits" : "different");
  return same && std::abs(late - exact) < 1e-9 ? 0 : 1;
}
