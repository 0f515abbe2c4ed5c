// Results do not depend on addresses. Vector instructions start at aligned addresses, and numbers before them
// are rounded one by one. Memory may be at multiples of 32 bytes or 16 bytes beside them.
#include <doctest/doctest.h>

#include <string>

#include "determinism/heap.h"
#include "support/simulate.h"

using namespace tumble;

namespace {

model::State run(const scene::Scene& scene, double until) {
  simulate::Simulation simulation = support::make_simulation(scene.model, {.method = simulate::Method::fast});
  if (!simulation.run_until(until)) FAIL(simulation.failure());
  return simulation.state();
}

}  // namespace

TEST_CASE("other memory addresses change no bit") {
  for (const auto& run_of : {std::pair("hand", 0.6), std::pair("stairs", 0.6), std::pair("ragdoll", 2.6)}) {
    const std::string name = run_of.first;
    CAPTURE(name);
    const scene::Scene scene = support::load(name);
    std::vector<std::vector<double>> ends;
    for (const size_t bytes : {size_t{0}, heap::kAlignment / 2}) {
      heap::offset = bytes;
      ends.push_back(run(scene, run_of.second).y);
    }
    heap::offset = 0;
    CHECK(ends[0] == ends[1]);
  }
}
