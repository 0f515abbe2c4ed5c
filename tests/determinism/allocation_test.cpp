// A warm step does not use the heap: it reuses the memory of the step before.
#include <doctest/doctest.h>

#include <string>

#include "determinism/heap.h"
#include "support/simulate.h"

using namespace tumble;

namespace {

// Number of allocations in the steps from `warm` to `until`, after the steps before.
size_t count_allocations(const model::Model& model, simulate::Method method, double warm, double until) {
  simulate::Simulation simulation = support::make_simulation(model, {.method = method});
  REQUIRE(simulation.run_until(warm));
  const size_t before = heap::allocations;
  const bool good = simulation.run_until(until);
  const size_t after = heap::allocations;
  REQUIRE(good);
  return after - before;
}

}  // namespace

TEST_CASE("a warm leapfrog step allocates nothing") {
  for (const std::string name : {"chain", "hand", "heavy-stack", "gyroscope", "stiff-chain"}) {
    CAPTURE(name);
    CHECK(count_allocations(support::load(name).model, simulate::Method::fast, 1, 1.5) == 0);
  }
}

TEST_CASE("a warm Runge-Kutta step allocates nothing") {
  for (const std::string name : {"t-handle", "double-pendulum", "chain", "four-bar"}) {
    CAPTURE(name);
    CHECK(count_allocations(support::load(name).model, simulate::Method::precise, 1, 1.5) == 0);
  }
}
