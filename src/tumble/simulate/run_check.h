// Judges each step of a run by what the accuracy promises: energy, joints, bodies held in place, progress. A
// promise that can no longer be kept ends the run. What the run can go on with is a warning.
#pragma once

#include <string>

#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/simulate/run_statistics.h"
#include "tumble/simulate/simulation_options.h"
#include "tumble/simulate/warning_list.h"

namespace tumble::simulate {

/// J: K(0) + U_springs(0) + sum of m (g T)^2/2. A scene at rest has an energy scale, too.
double compute_least_energy_scale(const model::Model& model, const dynamics::Balance& start);

class RunCheck {
 public:
  /// `state` is the end of the step to judge.
  RunCheck(const model::Model& model, const SimulationOptions& options, const model::State& state)
      : model_(model), options_(options), state_(state) {}

  /// Warns of what happened inside a step.
  void warn_of_step(const StepReport& step, bool limited_by_rounding, WarningList& warnings) const;
  /// The joint that is open farthest beyond its tolerance, or null. `joints` is that of the last
  /// compute_gap().
  const model::Constraint* find_open_joint(const dynamics::ConstrainedBodies& joints) const;
  /// Warns of figures of the whole run. Sets the status of the step if the run must end.
  void judge(const RunStatistics& statistics, const model::Constraint* open, StepReport& step,
             WarningList& warnings) const;
  /// Says why a step that judge() refused ends the run.
  std::string describe_failure(const RunStatistics& statistics, const StepReport& step) const;

 private:
  bool has_promise() const;
  std::string first(const std::string& more) const;
  std::string names(const StepReport& step) const;

  const model::Model& model_;
  const SimulationOptions& options_;
  const model::State& state_;
};

}  // namespace tumble::simulate
