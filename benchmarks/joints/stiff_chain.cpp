// Cost of a step of the fast method for stiff bodies with joints, compared with the figures of 2011: the
// linearised step alone, and the whole step, which closes the joints. Also growth of instructions with the
// number of links. Callgrind counts the instructions of stiff_steps, a program in the same folder.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "measure.h"
#include "support/stiff_scenes.h"
#include "tumble/dynamics/kick_problem.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

namespace {

constexpr double kStep = 1.0 / 60;  // s
struct Figure {
  int links, steps;
  double linear, whole, paper;  // s: required, required, and measured in 2011; 0: none
};
constexpr Figure kFigures[] = {{10, 400, 0, 0, 0},
                               {100, 400, 0, 0, 0},
                               {1000, 200, 0.35e-3, 0.9e-3, 22e-3},
                               {10000, 60, 4e-3, 10e-3, 285e-3}};
constexpr double kHandAsked = 15e-6, kHandPaper = 0.36e-3;  // s
constexpr double kMostSpread = 0.05;  // largest variation of instructions per link from 100 links on
constexpr int kFreeSteps = 10;
constexpr double kFastest = 1e3;  // m/s or rad/s: above the speeds of the falling chain

// Median time of a linearised step and of a whole step. A step that is halved is solved again for the shorter
// time, and each attempt counts as a step. Linearised steps restart after kFreeSteps, because the end of a
// long chain whips, its joints, which are not closed, break, and steps with NaN velocities have another cost.
// If steps are short, several are timed together, because reading the clock takes half a microsecond.
struct Cost {
  double linear = 0, whole = 0;  // s
  int halved = 0;                // steps
  bool good = true;
};

Cost measure(const model::Model& model, int steps, int at_once = 1) {
  Cost cost;
  dynamics::KickProblem problem(model);
  const model::State start = start_state(model);
  model::State state;
  std::vector<double> momenta, v, l, linear, whole;
  std::vector<dynamics::LawHistory> laws;
  for (int k = 0; k < steps; k += at_once) {
    if (k % kFreeSteps == 0) state = start, momenta = problem.momenta_of(start);
    const double begin = bench::thread_seconds();
    for (int i = 0; i < at_once; ++i) {
      problem.solve_without_contacts(state, {momenta, laws}, (k + i) % kFreeSteps == 0 ? 0.5 * kStep : kStep,
                                     kStep, kStep, v, l);
      problem.drift(v, kStep, state);
      problem.compute_momenta(v, momenta);
      laws = problem.law_history();
    }
    linear.push_back((bench::thread_seconds() - begin) / at_once);
    for (const double u : v) cost.good = cost.good && std::abs(u) < kFastest;
  }
  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.method = simulate::Method::fast, .fixed_step = kStep}).value();
  for (int k = 0; k < steps && cost.good; k += at_once) {
    const double begin = simulation.timings().steps;
    int attempts = 0;
    for (int i = 0; i < at_once; ++i) {
      const simulate::StepReport report = simulation.step();
      cost.good = cost.good && report.good();
      // Each attempt has one factorisation. The very first step has an additional kick.
      attempts += report.factorisations;
      if (report.halved > 0) ++cost.halved;
    }
    whole.push_back((simulation.timings().steps - begin) / attempts);
  }
  cost.linear = bench::median(linear);
  if (!whole.empty()) cost.whole = bench::median(whole);
  return cost;
}

// Instructions of one step, or 0 without valgrind. The first step, which computes the order of elimination,
// is not counted.
double count_instructions(const std::filesystem::path& program, int links) {
  constexpr int steps = 3;
  const std::filesystem::path counts = std::filesystem::temp_directory_path() / "tumble_stiff_chain";
  const std::string command =
      "valgrind --tool=callgrind '--toggle-collect=take_step*' --callgrind-out-file=" + counts.string() +
      " '" + program.string() + "' " + std::to_string(links) + " " + std::to_string(steps) +
      " >/dev/null 2>&1 && sed -n 's/^summary: //p' " + counts.string();
  double total = 0;
  if (FILE* output = popen(command.c_str(), "r")) {
    if (std::fscanf(output, "%lf", &total) != 1) total = 0;
    pclose(output);
  }
  std::filesystem::remove(counts);
  return total / steps;
}

bool instructions(const std::filesystem::path& program) {
  std::printf("%7s %40s\n", "links", "instructions of a linearised step, per link");
  double least = 1e300, most = 0;
  for (const Figure& figure : kFigures) {
    const double count = count_instructions(program, figure.links) / figure.links;
    if (count == 0) {
      std::printf("callgrind counted nothing\n");
      return false;
    }
    std::printf("%7d %40.0f\n", figure.links, count);
    if (figure.links >= 100) least = std::min(least, count), most = std::max(most, count);
  }
  const bool met = most <= (1 + kMostSpread) * least;
  std::printf("they differ by %.1f %% from 100 links on (asked %.0f)%s\n", 100 * (most / least - 1),
              100 * kMostSpread, met ? "" : "  missed");
  return met;
}

bool chains() {
  bool good = true;
  std::printf("%7s %10s %8s %8s %10s %8s %8s %8s %16s\n", "links", "linear ms", "asked", "ns/link",
              "whole ms", "asked", "ns/link", "2011 ms", "steps halved");
  for (const Figure& f : kFigures) {
    const Cost cost = measure(support::stiff_chain(f.links, {}), f.steps);
    const bool met = cost.good && (f.linear == 0 || (cost.linear <= f.linear && cost.whole <= f.whole));
    std::printf("%7d %10.4f %8.2f %8.0f %10.4f %8.2f %8.0f %8.0f %9d of %3d%s\n", f.links, 1e3 * cost.linear,
                1e3 * f.linear, 1e9 * cost.linear / f.links, 1e3 * cost.whole, 1e3 * f.whole,
                1e9 * cost.whole / f.links, 1e3 * f.paper, cost.halved, f.steps, met ? "" : "  missed");
    good = good && met;
  }
  return good;
}

bool the_hand() {
  const Cost cost = measure(support::hand(), 2000, kFreeSteps);
  const bool met = cost.good && cost.whole <= kHandAsked;
  std::printf("hand, us: %.2f linear, %.2f whole (asked %.0f; 2011: %.0f)%s\n\n", 1e6 * cost.linear,
              1e6 * cost.whole, 1e6 * kHandAsked, 1e6 * kHandPaper, met ? "" : "  missed");
  return met;
}

}  // namespace

int main() {
  const bool chain = chains(), hand = the_hand();
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return instructions(self.parent_path() / "stiff_steps") && chain && hand ? 0 : 1;
}
