// A warm step leaves the heap alone: all memory that a step needs is kept from the one before.
#include <doctest/doctest.h>

#include <string>

#include "determinism/heap.h"
#include "support/simulate.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;

namespace {

// Allocations in the steps from `warm` to `until`, after those before.
template <class Stepper, class Memory, class Options>
size_t count_allocations(const model::Model& model, double accuracy, double warm, double until) {
  Stepper stepper(model, Options{.accuracy = accuracy});
  Memory memory;
  model::State state = simulate::prepare_start(model, accuracy).value().state;
  while (state.time < warm) REQUIRE(stepper.step(state, memory).good());
  const size_t before = heap::allocations;
  bool good = true;
  while (good && state.time < until) good = stepper.step(state, memory).good();
  const size_t after = heap::allocations;
  REQUIRE(good);
  return after - before;
}

}  // namespace

TEST_CASE("a warm leapfrog step allocates nothing") {
  for (const std::string name : {"chain", "hand", "heavy-stack", "gyroscope", "stiff-chain"}) {
    CAPTURE(name);
    const scene::Scene scene = support::load(name);
    CHECK(count_allocations<simulate::LeapfrogStepper, simulate::LeapfrogMemory, simulate::LeapfrogOptions>(
              scene.model, simulate::kDefaultFastAccuracy, 1, 1.5) == 0);
  }
}

TEST_CASE("a warm Runge-Kutta step allocates nothing") {
  for (const std::string name : {"t-handle", "double-pendulum", "chain", "four-bar"}) {
    CAPTURE(name);
    const scene::Scene scene = support::load(name);
    CHECK(count_allocations<simulate::RungeKuttaStepper, simulate::RungeKuttaMemory,
                            simulate::RungeKuttaOptions>(scene.model, simulate::kDefaultAccuracy, 1, 1.5) ==
          0);
  }
}
