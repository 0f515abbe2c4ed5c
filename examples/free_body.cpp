// The shortest useful program: load a scene, step, print.
//   example_free_body [SCENE.xml]      without a scene: a thrown, tumbling brick
#include <cstdio>

#include "tumble/scene/scene.h"
#include "tumble/simulate/runge_kutta/stepper.h"

using namespace tumble;

constexpr const char* kBrick = R"(
<scene name="brick">
  <body name="brick" position="0 1 0" velocity="2 5 0" angular-velocity="1 6 0.1">
    <box size="24cm 7cm 12cm"/>
  </body>
</scene>)";

int main(int argc, char** argv) {
  const scene::BundleFiles in_memory({scene::SceneFile{"brick.xml", kBrick}});
  const core::Expected<scene::Scene> scene =
      argc > 1 ? scene::load_scene(argv[1]) : scene::load_scene("brick.xml", in_memory);
  for (const core::Diagnostic& diagnostic : scene.diagnostics()) std::puts(to_string(diagnostic).c_str());
  if (!scene) return 1;

  const model::Model& model = scene->model;
  simulate::RungeKuttaStepper driver(model, {.accuracy = 1e-6});
  simulate::RungeKuttaMemory control;
  model::State state = start_state(model);
  while (state.time < 1) {
    const simulate::StepReport report = driver.step(state, control);
    if (!report.good()) return std::puts(describe(report, model, state.time).c_str()), 1;
    for (size_t i = 0; i < model.bodies().size(); ++i) {
      const model::BodyId body(i);
      const model::Vec3 x = state.position(body), w = angular_velocity(model, state, body);
      std::printf("t %.4f  %-8s at %7.4f %7.4f %7.4f m, turning at %6.3f rad/s\n", state.time,
                  model.body(body).name.c_str(), x.x(), x.y(), x.z(), w.norm());
    }
  }
  return 0;
}
