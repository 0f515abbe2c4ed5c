// The Runge-Kutta stepper: error-controlled integration of smooth motion. A step is
//   attempt          y(t) -> y(t + h) and an estimate of the error; too large: again with a shorter h
//   find_event       a joint limit is reached or lets go inside it: the same motion, up to there
//   close_joints     joints are closed by projection
//   finish_step      rotational energy is what torques have made of it; jerks of scripts, impacts at limits
// Steps end exactly where a force is switched.
#pragma once

#include "tumble/dynamics/joint_projection.h"
#include "tumble/model/state.h"
#include "tumble/simulate/runge_kutta/error_control.h"
#include "tumble/simulate/runge_kutta/limit_events.h"
#include "tumble/simulate/runge_kutta/step_methods.h"
#include "tumble/simulate/step_report.h"

namespace tumble::simulate {

class RungeKuttaStepper {
 public:
  RungeKuttaStepper(const model::Model& model, const RungeKuttaOptions& options);
  RungeKuttaStepper(const RungeKuttaStepper&) = delete;  // its parts point to each other
  RungeKuttaStepper& operator=(const RungeKuttaStepper&) = delete;

  /// Advances `state` by one step. On failure the state is untouched, and the memory is not to be used further.
  StepReport step(model::State& state, RungeKuttaMemory& memory);
  /// The state at a time inside the last step, if it was a good one.
  void state_at(double time, model::State& state);

  /// The model's numbers have changed: nothing can be looked up inside the last step any more.
  void model_changed() { equations_.update_weights(), path_ = {}; }
  /// After that: the next step starts from `state` with a length of its own, and limits that no longer carry let go.
  void begin_anew(const model::State& state, RungeKuttaMemory& memory);

  const Scales& scales() const { return scales_; }
  /// The fixed step in use, if any.
  std::optional<double> fixed_step() const { return options_.fixed_step; }
  /// True when rounding, not `accuracy`, set the tolerance for longer than a start takes.
  bool limited_by_rounding() const { return limited_by_rounding_; }
  long long evaluations() const { return equations_.evaluations(); }

 private:
  // A step that is tried.
  struct Trial {
    double h = 0;                 // s, asked for
    double end = 0, taken = 0;    // s: where it ends, and its length as time has it
    bool reaches_switch = false;  // it ends where a force is switched
    bool meets_limit = false;     // it ends where a joint limit is reached or lets go
    bool finite = true;           // the last one ended in numbers
    StepError error = {};
  };
  // The last accepted step, for state_at().
  struct Path {
    double start = 0, end = -1;  // s
    double smooth_until = 0;     // s, the next switch after its start
    std::vector<double> y_end;   // where it led, after what happened at its end
    std::vector<int> limits;     // that carried a load in it
  };

  bool closes_joints() const { return equations_.has_constraints() && !options_.baumgarte; }
  void begin(const model::State& state, RungeKuttaMemory& memory);
  void choose_method(bool continues, RungeKuttaMemory& memory);
  void place(double t, Trial& trial) const;
  void attempt(double t, Trial& trial);
  const model::Constraint* close_joints(double t);
  void finish_step(const Trial& trial, RungeKuttaMemory& memory, StepReport& report);
  StepReport fail(StepStatus status, const Trial& trial, StepReport report);
  // Fills y_; true if the state is, bit for bit, where the last step ended.
  bool load(const model::State& state, RungeKuttaMemory& memory);
  // Counted angles in y_.
  const double* hinge_angles() const { return y_.data() + equations_.layout().angles_at; }

  const model::Model* model_;
  RungeKuttaOptions options_;
  Scales scales_;
  ErrorNorm norm_;
  std::vector<double> switch_times_;  // ascending
  dynamics::EquationsOfMotion equations_;
  dynamics::JointProjection projection_;
  StepMethods methods_;
  LimitEvents limits_;
  std::vector<double> y_;  // where the step at hand begins, then where it ends
  double share_ = 1;       // of the last step tried: in T, at most 1
  Path path_;
  bool limited_by_rounding_ = false;
};

}  // namespace tumble::simulate
