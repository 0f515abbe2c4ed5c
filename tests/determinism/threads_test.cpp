// Threads share a model; each has its own state and simulation, and there is no other shared data. So threads
// get the same bits as serial runs. ThreadSanitizer checks this test in ./test --long.
#include <doctest/doctest.h>

#include <thread>

#include "support/simulate.h"

using namespace tumble;

namespace {

constexpr size_t kThreads = 4;
constexpr double kUntil = 0.5;  // s

// Calls run(i) in one thread for each i.
template <typename Run>
void in_threads(Run run) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads that share one model get the bits of a single thread") {
  const scene::Scene scene = support::load("orbit");
  const model::State alone = support::simulate_to(scene.model, kUntil);
  std::vector<model::State> states(kThreads);
  in_threads([&](size_t i) { states[i] = support::simulate_to(scene.model, kUntil); });
  for (const model::State& state : states) CHECK(state.y == alone.y);
}

TEST_CASE("threads that each read and run a scene do not disturb each other") {
  const char* const names[kThreads] = {"t-handle", "orbit", "projectile", "t-handle"};
  std::vector<model::State> together(kThreads);
  in_threads([&](size_t i) { together[i] = support::simulate_to(support::load(names[i]).model, kUntil); });
  for (size_t i = 0; i < kThreads; ++i)
    CHECK(together[i].y == support::simulate_to(support::load(names[i]).model, kUntil).y);
}
