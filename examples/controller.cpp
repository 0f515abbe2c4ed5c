// A controller with a memory. It holds a pole upright on a hinge against gravity and against a wind that it
// does not know. It senses and acts before every step:
//   torque = -(P angle + D speed + I sum of angle over time)
// The sum is user data of the run, so that a saved run has it. Exits with 1 unless the pole stands upright at
// the end, and a run that was saved and restored in the middle ends in the same bits.
#include <cmath>
#include <cstdio>

#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;

constexpr const char* kScene = R"(
<scene name="pole">
  <body name="pole" position="0 0.5 0" rotate="0 0 1 5deg"> <box size="0.05 1 0.05"/> </body>
  <joint name="foot" type="hinge" b="pole" at="0 0 0" axis="0 0 1"/>
  <force name="wind" body="pole" value="3 0 0"/>
</scene>)";
constexpr double kP = 60, kI = 80, kD = 10;  // N m/rad, N m/(rad s), N m s/rad
constexpr double kPeriod = 0.005;            // s, between two actions

static void control(simulate::Simulation& simulation, core::BodyId pole) {
  // Sense.
  const model::State& state = simulation.state();
  const Vec3 x = state.position(pole);
  const double angle = std::atan2(-x.x(), x.y());  // rad, from upright
  const double speed = angular_velocity(simulation.model(), state, pole).z();

  // Remember. The time makes a second call for the same state harmless.
  std::vector<double> memory = simulation.user_data();
  if (memory.empty()) memory = {0, state.time};
  double &sum = memory[0], &last_time = memory[1];
  sum += angle * (state.time - last_time);
  last_time = state.time;
  simulation.set_user_data(memory);

  // Act, in the next step.
  const double torque = -(kP * angle + kD * speed + kI * sum);
  const core::Diagnostics refused = simulation.push(pole, {.torque = Vec3(0, 0, torque)});
  if (!refused.empty()) std::puts(to_string(refused.front()).c_str());
}

static bool balance_until(double end, simulate::Simulation& simulation, core::BodyId pole) {
  while (simulation.time() < end) {
    control(simulation, pole);
    if (!simulation.step().good()) return std::puts(simulation.failure().c_str()), false;
  }
  return true;
}

int main() {
  const model::Model model = scene::load_scene_text(kScene).value().model;
  const core::BodyId pole = model.find_body("pole").value();
  const simulate::SimulationOptions options{.fixed_step = kPeriod, .live = {.pushed = {pole}}};
  simulate::Simulation simulation = simulate::Simulation::create(model, options).value();

  if (!balance_until(4, simulation, pole)) return 1;
  const std::string saved = simulation.save();
  if (!balance_until(10, simulation, pole)) return 1;

  simulate::Simulation other = simulate::Simulation::create(model, options).value();
  if (!other.restore(saved).empty() || !balance_until(10, other, pole)) return 1;
  const bool same = other.time() == simulation.time() && other.state().y == simulation.state().y;

  const Vec3 x = simulation.state().position(pole);
  const double learned = kI * simulation.user_data()[0];  // N m: against the wind, 3 N at 0.5 m
  std::printf("pole leans by %.1e rad, torque against the wind %.6f N m; restored run: %s\n",
              std::atan2(-x.x(), x.y()), learned, same ? "the same bits" : "different");
  return same && std::abs(x.x()) < 1e-6 && std::abs(learned + 1.5) < 1e-4 ? 0 : 1;
}
