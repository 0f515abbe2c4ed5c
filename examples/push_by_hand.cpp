// A program that sets inputs between steps: a force on a box and the target of a drive. The box is on a floor
// with friction 0.5. Pushed with 0.4 of its weight it stays at rest; pushed with 0.7 it accelerates with
// 0.2 g. An arm moves to the target of its drive. Exits with 1 if they do not.
#include <cmath>
#include <cstdio>

#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

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

  const simulate::SimulationOptions options{.live = {.pushed = {box}}};
  simulate::Simulation simulation = simulate::Simulation::create(builder.finish().value(), options).value();
  const model::Model& model = simulation.model();

  const double weight = model.body(box).mass * 9.81;
  if (!simulation.push(box, {.force = Vec3(0.4 * weight, 0, 0)}).empty()) return 1;
  if (!simulation.run_until(1)) return std::puts(simulation.failure().c_str()), 1;
  const double stayed = simulation.state().position(box).x();

  if (!simulation.push(box, {.force = Vec3(0.7 * weight, 0, 0)}).empty()) return 1;
  if (!simulation.set("pivot.drive.target", 0.5).empty()) return 1;
  const double begin = simulation.time();
  if (!simulation.run_until(2)) return std::puts(simulation.failure().c_str()), 1;
  const model::State& state = simulation.state();
  const double speed = velocity(model, state, box).x(), expected = 0.2 * 9.81 * (state.time - begin);
  const double angle = 2 * std::asin(state.orientation(arm).y());

  for (const core::Diagnostic& refused : simulation.set("pivot.drive.stiffness", -1))
    std::puts(to_string(refused).c_str());
  std::printf("box: moved %.1e m, then at %.4f m/s of %.4f; arm at %.4f rad of 0.5\n", stayed, speed,
              expected, angle);
  return std::abs(stayed) < 1e-6 && std::abs(speed - expected) < 0.01 * expected &&
                 std::abs(angle - 0.5) < 1e-3
             ? 0
             : 1;
}
