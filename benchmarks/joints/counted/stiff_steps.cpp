// stiff_steps N TIMES: makes TIMES linearised steps of a stiff chain of N links, after one that is not
// counted. Callgrind counts its instructions.
#include <cstdio>
#include <cstdlib>

#include "support/stiff_scenes.h"
#include "tumble/dynamics/kick_problem.h"

using namespace tumble;

struct Steps {
  const model::Model& model;
  dynamics::KickProblem problem{model};
  model::State state = start_state(model);
  std::vector<double> momenta = problem.momenta_of(state), v = {}, l = {};
  std::vector<dynamics::LawHistory> laws = {};

  void advance(double kick) {
    constexpr double kStep = 1.0 / 60;
    problem.solve_without_contacts(state, {momenta, laws}, kick, kStep, kStep, v, l);
    problem.drift(v, kStep, state);
    problem.compute_momenta(v, momenta);
    laws = problem.law_history();
  }
};

// Callgrind counts this function by its name, so it must not be inlined.
[[gnu::noinline]] void take_step(Steps& steps) { steps.advance(1.0 / 60); }

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const model::Model model =
      support::stiff_chain(static_cast<int>(std::strtol(arguments[1], nullptr, 10)), {});
  Steps steps{model};
  steps.advance(0.5 / 60);  // the first step computes the order of elimination
  for (long k = std::strtol(arguments[2], nullptr, 10); k > 0; --k) take_step(steps);
  std::printf("%g m\n", steps.state.position(model::BodyId(model.bodies().size() - 1)).y());
}
