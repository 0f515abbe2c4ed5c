// The Runge-Kutta stepper: error-controlled integration of smooth motion. A step is
//   attempt          y(t) -> y(t + h) and an error estimate; if it is too large, again with a shorter h
//   find_event       if a joint limit is reached or released inside the step, the step ends there
//   close_joints     projection on the joint constraints
//   finish_step      projection on the rotational energy; velocity jumps of scripts; impacts at limits
// Steps end exactly at the switch of a force.
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

  /// Advances `state` by one step. On failure the state is unchanged, and the memory must not be used
  /// further.
  StepReport step(model::State& state, RungeKuttaMemory& memory);
  /// Dense output: the state at a time inside the last step, if that was a good one.
  void state_at(double time, model::State& state);

  /// To be called when numbers of the model have changed. The dense output of the last step is lost.
  void model_changed() { equations_.update_weights(), path_ = {}; }
  /// To be called after model_changed(): the next step from `state` chooses its length anew, and limits that
  /// would pull are released.
  void restart_from(const model::State& state, RungeKuttaMemory& memory);

  const Scales& scales() const { return scales_; }
  /// The fixed step in use, if any.
  std::optional<double> fixed_step() const { return options_.fixed_step; }
  /// True if rounding, not `accuracy`, has set the tolerance for longer than a start takes.
  bool limited_by_rounding() const { return limited_by_rounding_; }
  long long evaluations() const { return equations_.evaluations(); }

 private:
  // A trial step.
  struct Trial {
    double h = 0;                 // s, requested
    double end = 0, taken = 0;    // s: its end, and its length as the difference of times
    bool reaches_switch = false;  // it ends at the switch of a force
    bool meets_limit = false;     // it ends where a joint limit is reached or released
    bool finite = true;           // the last trial was finite
    StepError error = {};
  };
  // The last accepted step, for state_at().
  struct Path {
    double start = 0, end = -1;  // s
    double smooth_until = 0;     // s, the next switch after its start
    std::vector<double> y_end;   // its end, after the events there
    std::vector<int> limits;     // active limits in it
  };

  bool closes_joints() const { return equations_.has_constraints() && !options_.baumgarte; }
  void begin(const model::State& state, RungeKuttaMemory& memory);
  void choose_method(bool continues, RungeKuttaMemory& memory);
  void set_end(double t, Trial& trial) const;
  void attempt(double t, Trial& trial);
  const model::Constraint* close_joints(double t);
  void finish_step(const Trial& trial, RungeKuttaMemory& memory, StepReport& report);
  StepReport fail(StepStatus status, const Trial& trial, StepReport report);
  // Fills y_. Returns true if the state is, bit for bit, the end of the last step.
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
  std::vector<double> y_;  // start of the current step, then its end
  double share_ = 1;       // length of the last trial in T, at most 1
  Path path_;
  bool limited_by_rounding_ = false;
};

}  // namespace tumble::simulate
