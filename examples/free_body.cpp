// The shortest useful program: load a scene, step, print.
//   example_free_body [SCENE.xml]      without a scene: a thrown, tumbling brick
// Exits with 1 unless the centre of the brick flies along a parabola, however it tumbles.
#include <cmath>
#include <cstdio>

#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

constexpr const char* kBrick = R"(
<scene name="brick">
  <body name="brick" position="0 1 0" velocity="2 5 0" angular-velocity="1 6 0.1">
    <box size="24cm 7cm 12cm"/>
  </body>
</scene>)";

int main(int argc, char** argv) {
  const core::Expected<scene::Scene> scene =
      argc > 1 ? scene::load_scene(argv[1]) : scene::load_scene_text(kBrick);
  for (const core::Diagnostic& diagnostic : scene.diagnostics()) std::puts(to_string(diagnostic).c_str());
  if (!scene) return 1;

  // The method follows from the scene: fast where bodies can collide, else precise.
  core::Expected<simulate::Simulation> simulation = simulate::Simulation::create(scene->model);
  for (const core::Diagnostic& diagnostic : simulation.diagnostics())
    std::puts(to_string(diagnostic).c_str());
  if (!simulation) return 1;
  const model::Model& model = simulation->model();
  while (simulation->time() < 1) {
    if (!simulation->step().good()) return std::puts(simulation->failure().c_str()), 1;
    const model::State& state = simulation->state();
    for (size_t i = 0; i < model.bodies().size(); ++i) {
      const model::BodyId body(i);
      const model::Vec3 x = state.position(body), w = angular_velocity(model, state, body);
      std::printf("t %.4f  %-8s at %7.4f %7.4f %7.4f m, turning at %6.3f rad/s\n", state.time,
                  model.body(body).name.c_str(), x.x(), x.y(), x.z(), w.norm());
    }
  }
  if (argc > 1) return 0;
  const double t = simulation->time(), height = 1 + 5 * t - 0.5 * 9.81 * t * t;
  return std::abs(simulation->state().position(core::BodyId(0)).y() - height) < 1e-9 ? 0 : 1;
}
