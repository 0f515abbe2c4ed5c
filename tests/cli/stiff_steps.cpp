// stiff_steps N TIMES: takes that many linearised steps of a stiff chain of N links, for callgrind to count.
#include <cstdio>
#include <cstdlib>

#include "support/stiff_scenes.h"
#include "tumble/dynamics/step_problem.h"

using namespace tumble;

// The step of 1/60 s; not inlined, so that it can be counted alone.
[[gnu::noinline]] void take_step(dynamics::StepProblem& problem, double kick, std::vector<double>& momenta,
                                 std::vector<double>& v, std::vector<double>& l, model::State& state) {
  constexpr double kStep = 1.0 / 60;
  problem.assemble(state, momenta, kick, kStep, {});
  v.assign(problem.b().begin(), problem.b().end());
  l.assign(problem.c().begin(), problem.c().end());
  problem.matrix().factor();
  problem.matrix().solve(v.data(), l.data());
  problem.drift(v, kStep, state);
  momenta = problem.momenta_from(v);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const model::Model model =
      support::stiff_chain(static_cast<int>(std::strtol(arguments[1], nullptr, 10)), {});
  dynamics::StepProblem problem(model);
  model::State state = start_state(model);
  std::vector<double> momenta = problem.momenta_of(state), v, l;
  for (long k = std::strtol(arguments[2], nullptr, 10); k > 0; --k)
    take_step(problem, 1.0 / 60, momenta, v, l, state);
  std::printf("%g m\n", state.position(model::BodyId(model.bodies().size() - 1)).y());
}
