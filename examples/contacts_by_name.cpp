// Who touches whom, and how hard. Two boxes stand on a floor, and a ball falls on the upper one.
// Prints at every frame the impulse that each pair of bodies has exchanged since the frame before.
// Exits with 1 unless, at the end, each body carries the weight of all that is above it. Over the whole run
// the ball must get as much impulse from contact as gravity took: it begins at rest and ends at rest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

constexpr double kGravity = 9.81, kDuration = 2, kFps = 20;
constexpr const char* kTower = R"(
<scene name="tower">
  <body name="floor" fixed="true"> <plane normal="0 1 0"/> </body>
  <body name="lower" position="0 0.1 0"> <box size="0.4 0.2 0.4"/> </body>
  <body name="upper" position="0 0.3 0"> <box size="0.3 0.2 0.3"/> </body>
  <body name="ball" position="0 1 0"> <sphere radius="0.1"/> </body>
</scene>)";

int main() {
  const scene::Scene scene = scene::load_scene_text(kTower).value();
  const simulate::SimulationOptions options{.duration = kDuration, .fps = kFps, .contacts = true};
  simulate::Simulation simulation = simulate::Simulation::create(scene.model, options).value();

  using Pair = std::pair<std::string, std::string>;  // names, sorted
  std::map<Pair, double> impulses;                   // N s, in the last frame
  double on_ball = 0;                                // N s, in all frames
  while (const std::optional<simulate::Event> event = simulation.next()) {
    const auto* frame = std::get_if<simulate::Frame>(&*event);
    if (!frame) continue;
    // A pair may touch at several points: each is one row. Add them up.
    impulses.clear();
    for (const model::ContactRow& point : frame->contacts)
      impulses[std::minmax(point.a, point.b)] += point.normal_impulse;
    for (const auto& [pair, impulse] : impulses)
      std::printf("t = %.2f s: %-5s and %-5s %8.4f N s\n", frame->state->time, pair.first.c_str(),
                  pair.second.c_str(), impulse);
    if (impulses.contains({"ball", "upper"})) on_ball += impulses[{"ball", "upper"}];
  }
  if (!simulation.failure().empty()) return std::puts(simulation.failure().c_str()), 1;

  const auto mass = [&](const char* name) { return scene.model.body(*scene.model.find_body(name)).mass; };
  const double ball = mass("ball"), upper = mass("upper"), lower = mass("lower");
  const auto carries = [&](const Pair& pair, double load) {
    const double weight = load * kGravity / kFps;  // as an impulse, N s per frame
    return std::abs(impulses[pair] - weight) < 1e-6 * weight;
  };
  const bool all = carries({"ball", "upper"}, ball) && carries({"lower", "upper"}, ball + upper) &&
                   carries({"floor", "lower"}, ball + upper + lower);
  const double taken = ball * kGravity * kDuration;
  std::printf("the ball got %.6f N s, gravity took %.6f N s\n", on_ball, taken);
  return all && std::abs(on_ball - taken) < 1e-6 * taken ? 0 : 1;
}
