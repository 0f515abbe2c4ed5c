// Where memory lies is no part of a result. Vector instructions begin where it is aligned, what comes before is rounded one by one, and a
// program gets its memory now at multiples of 32 bytes, now 16 beside them.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "support/simulate.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

namespace {

constexpr size_t kAlignment = 32;  // bytes, of the widest vector instructions
size_t beside = 0;                 // bytes

}  // namespace

// What was allocated is kept just before what is handed out.
void* operator new(size_t size) {
  void* whole = std::malloc(size + 3 * kAlignment);
  if (!whole) throw std::bad_alloc();
  const auto first = (reinterpret_cast<std::uintptr_t>(whole) + 2 * kAlignment - 1) / kAlignment * kAlignment;
  void** place = reinterpret_cast<void**>(first + beside);
  place[-1] = whole;
  return place;
}
void operator delete(void* place) noexcept {
  if (place) std::free(static_cast<void**>(place)[-1]);
}
void operator delete(void* place, size_t) noexcept { operator delete(place); }

using namespace tumble;

namespace {

model::State run(const scene::Scene& scene, double until) {
  simulate::LeapfrogStepper driver(scene.model, {});
  simulate::LeapfrogMemory control;
  model::State state = simulate::prepare_start(scene.model, simulate::kDefaultFastAccuracy).value().state;
  while (state.time < until)
    if (!driver.step(state, control).good) FAIL("no number");
  return state;
}

}  // namespace

TEST_CASE("memory that lies elsewhere changes no bit") {
  for (const auto& run_of : {std::pair("hand", 0.6), std::pair("stairs", 0.6), std::pair("ragdoll", 2.6)}) {
    const std::string name = run_of.first;
    CAPTURE(name);
    const scene::Scene scene = support::load(name);
    std::vector<std::vector<double>> ends;
    for (const size_t bytes : {size_t{0}, kAlignment / 2}) {
      beside = bytes;
      ends.push_back(run(scene, run_of.second).y);
    }
    beside = 0;
    CHECK(ends[0] == ends[1]);
  }
}
