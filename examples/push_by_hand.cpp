// A program at the controls: it loads a scene, pushes a body and moves a drive while the scene runs.
// A box lies on a floor with friction 0.5. Pushed with 0.4 of its weight it stays. Pushed with 0.7 it slides
// and speeds up by 0.2 g. An arm turns to the angle that its drive is set to. Exits with 1 if they do not.
#include <cmath>
#include <cstdio>

#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;

constexpr const char* kScene = R"(
<scene name="push">
  <body name="floor" fixed="true"> <plane normal="0 1 0"/> </body>
  <body name="box" position="0 0.1 0"> <box size="0.4 0.2 0.3"/> </body>
  <body name="arm" position="0 1 -2"> <box size="1 0.1 0.1"/> </body>
  <joint name="pivot" type="hinge" b="arm" at="0 1 -2" axis="0 1 0">
    <drive stiffness="100" damping="18"/>
  </joint>
</scene>)";

int main() {
  const scene::Scene scene = scene::load_scene_text(kScene).value();
  const core::BodyId box = scene.model.find_body("box").value(), arm = scene.model.find_body("arm").value();

  // Bodies that will be pushed are named at the start.
  const simulate::SimulationOptions options{.live = {.pushed = {box}}};
  simulate::Simulation simulation = simulate::Simulation::create(scene.model, options).value();
  const model::Model& model = simulation.model();

  // A push lasts until the next one. It acts from the next step on.
  const double weight = model.body(box).mass * 9.81;
  if (!simulation.push(box, {.force = Vec3(0.4 * weight, 0, 0)}).empty()) return 1;
  if (!simulation.run_until(1)) return std::puts(simulation.failure().c_str()), 1;
  const double moved = simulation.state().position(box).x();

  // Numbers of the scene are changed by their names in the scene file.
  if (!simulation.push(box, {.force = Vec3(0.7 * weight, 0, 0)}).empty()) return 1;
  if (!simulation.set("pivot.drive.target", 0.5).empty()) return 1;
  const double begin = simulation.time();
  if (!simulation.run_until(2)) return std::puts(simulation.failure().c_str()), 1;
  const model::State& state = simulation.state();
  const double speed = velocity(model, state, box).x(), expected = 0.2 * 9.81 * (state.time - begin);
  const double angle = 2 * std::asin(state.orientation(arm).y());

  // What cannot be is refused, with the reason. Then nothing has changed.
  for (const core::Diagnostic& refused : simulation.set("pivot.drive.stiffness", -1))
    std::puts(to_string(refused).c_str());

  std::printf("box: moved %.1e m, then at %.4f m/s of %.4f; arm at %.4f rad of 0.5\n", moved, speed, expected,
              angle);
  const bool stayed = std::abs(moved) < 1e-6, slid = std::abs(speed - expected) < 0.01 * expected;
  return stayed && slid && std::abs(angle - 0.5) < 1e-3 ? 0 : 1;
}
