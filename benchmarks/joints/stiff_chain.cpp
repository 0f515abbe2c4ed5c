// What a step of the fast driver costs on stiff jointed bodies, beside the figures of 2011: the linearised step alone, and the whole one
// that closes the joints; and how instructions grow with the number of links (callgrind counts them in stiff_steps, which lies beside
// this program).
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "measure.h"
#include "support/stiff_scenes.h"
#include "tumble/simulate/fast.h"

using namespace tumble;

namespace {

constexpr double kStep = 1.0 / 60;  // s
constexpr int kSizes[] = {10, 100, 1000, 10000};
struct Figure {
  int links;
  double linear, whole, paper;  // s; asked, asked, measured in 2011; 0: none
};
constexpr Figure kFigures[] = {{1000, 0.35e-3, 0.9e-3, 22e-3}, {10000, 4e-3, 10e-3, 285e-3}};
constexpr double kHandAsked = 15e-6, kHandPaper = 0.36e-3;  // s

// Median time of a step: the linearised one, and the driver's.
struct Cost {
  double linear = 0, whole = 0;  // s
  bool good = true;
};

Cost measure(const model::Model& model, int steps) {
  Cost cost;
  model::State state = start_state(model);
  dynamics::StepProblem problem(model);
  std::vector<double> momenta = problem.momenta_of(state), v, l, linear, whole;
  double kick = 0.5 * kStep;
  for (int k = 0; k < steps; ++k, kick = kStep) {
    const double begin = bench::thread_seconds();
    problem.assemble(state, momenta, kick, kStep, {});
    v.assign(problem.b().begin(), problem.b().end());
    l.assign(problem.c().begin(), problem.c().end());
    problem.matrix().clear_addition();
    problem.matrix().factor();
    problem.matrix().solve(v.data(), l.data());
    problem.drift(v, kStep, state);
    momenta = problem.momenta_from(v);
    linear.push_back(bench::thread_seconds() - begin);
  }
  state = start_state(model);
  simulate::FastDriver driver(model, {.fixed_step = kStep});
  simulate::FastControl control;
  for (int k = 0; k < steps && cost.good; ++k) {
    const double begin = bench::thread_seconds();
    cost.good = driver.step(state, control).good;
    whole.push_back(bench::thread_seconds() - begin);
  }
  cost.linear = bench::median(linear), cost.whole = bench::median(whole);
  return cost;
}

}  // namespace

int main() {
  bool good = true;
  std::printf("%7s %22s %22s\n", "links", "linearised, ms (per link, ns)", "whole, ms (per link, ns)");
  for (const int links : kSizes) {
    const Cost cost = measure(support::stiff_chain(links, {}), links < 1000 ? 400 : links < 10000 ? 100 : 30);
    std::printf("%7d %12.4f %9.0f %12.4f %9.0f%s\n", links, 1e3 * cost.linear, 1e9 * cost.linear / links,
                1e3 * cost.whole, 1e9 * cost.whole / links, cost.good ? "" : "  failed");
  }
  const Cost hand = measure(support::hand(), 2000);
  std::printf("hand: %.2f us linearised, %.2f us whole\n", 1e6 * hand.linear, 1e6 * hand.whole);
  return good ? 0 : 1;
}
