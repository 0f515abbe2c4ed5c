// Changes that are planned before the run: ice that becomes rough under a sliding block, then a pull on the
// block, then nothing. The block slides at 2 m/s without friction for 0.5 s. With friction 0.4 it stops after
// another v^2 / (2 mu g). The pull lifts it off the ground, and when it is let go it falls back. Exits with 1
// if it does not.
#include <cmath>
#include <cstdio>

#include "tumble/model/input_events.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;

namespace {

const char* const kScene = R"(<scene>
  <material name="ice" friction="0"/>
  <body name="ground" fixed="true"><plane normal="0 1 0" material="ice"/></body>
  <body name="block" position="0 0.1 0" velocity="2 0 0"><box size="0.2 0.2 0.2" material="ice"/></body>
</scene>)";

}  // namespace

int main() {
  const scene::BundleFiles files(std::vector<scene::SceneFile>{{"ice.xml", kScene}});
  const core::Expected<scene::Scene> scene = scene::load_scene("ice.xml", files);
  if (!scene) return 1;

  model::InputEvents events;
  events.set(0.5, "ice.friction", 0.4);
  events.pull(1.5, "block", {.to = Vec3(1.5, 1, 0), .stiffness = 400, .damping = 100});
  events.release(3, "block");

  simulate::SimulationOptions options = simulate::requested_options(scene->model);
  options.inputs = std::make_shared<const model::InputEvents>(events);
  core::Expected<simulate::Simulation> simulation = simulate::Simulation::create(scene->model, options);
  for (const core::Diagnostic& fault : simulation.diagnostics()) std::puts(to_string(fault).c_str());
  if (!simulation) return 1;

  const core::BodyId block(1);
  double x = 0, lifted = 0;
  if (!simulation->run_until(1.4)) return 1;
  x = simulation->state().position(block).x();
  if (!simulation->run_until(2.9)) return 1;
  lifted = simulation->state().position(block).y();
  if (!simulation->run_until(4)) return 1;
  const double fallen = simulation->state().position(block).y();

  const double expected = 2 * 0.5 + 2 * 2 / (2 * 0.4 * 9.81);
  std::printf("stopped at %.3f m of %.3f, lifted to %.3f m, fell back to %.3f m\n", x, expected, lifted,
              fallen);
  return std::abs(x - expected) < 0.02 * expected && lifted > 0.7 && std::abs(fallen - 0.1) < 1e-2 ? 0 : 1;
}
