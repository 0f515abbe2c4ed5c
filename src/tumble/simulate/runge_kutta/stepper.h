// The precise driver: error-controlled integration of smooth motion, stopping exactly where a force is
// switched.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/dynamics/integrators/esdirk.h"
#include "tumble/dynamics/integrators/runge_kutta.h"
#include "tumble/model/state.h"
#include "tumble/simulate/runge_kutta/limit_events.h"
#include "tumble/simulate/scales.h"
#include "tumble/simulate/step_report.h"
#include "tumble/simulate/tolerances.h"

namespace tumble::simulate {

struct RungeKuttaOptions {
  double accuracy = kDefaultAccuracy;
  const dynamics::Tableau* method = &dynamics::dormand_prince_8();
  bool quergs = false;
  std::optional<double> fixed_step = {};  // s; a must for methods without an error estimate
  bool reactions = false;                 // fills model::State::impulses
  /// k (1/s^2) and d (1/s) of Baumgarte's feedback: joints are held by it, not closed. To show the drift of 2007.
  std::optional<std::array<double, 2>> baumgarte = {};
};

/// What, beside the state, decides the next step. Saved with a checkpoint, so that a resumed run has the same
/// bits.
struct RungeKuttaMemory {
  double next_step = 0;  // s; 0: not chosen yet
  double last_error =
      0;  // logarithm of that of the last accepted step, in tolerances; 0: none, or no influence
  /// Of each body, the account of its energy of rotation as torques have made it (J), and what the account refers to
  /// (1/(kg m^2)): K and c of (4) in dynamics/equations_of_motion.h. Empty: to be opened from the state.
  std::vector<double> rotation_account = {}, rotation_reference = {};
  double time_at_rounding = 0;  // s, the last steps that had their tolerance set by rounding
  int tiny_steps = 0;           // the last so many got nowhere
  /// Stiffness: whether the implicit method is at work; steps since it was last asked which method fits; how many times in
  /// a row the answer was the other one.
  bool implicit = false;
  int steps_since_look = 0, looks_for_other = 0;
  int patience = kStiffLooks;  // so many answers bring the implicit one to work
  /// Slope of the implicit method at its last end, and that end; empty otherwise.
  std::vector<double> slope = {}, slope_at = {};
  /// Limits of joints that carry a load; indices into Model::limits(), ascending.
  std::vector<int> active_limits = {};
};

template <class Archive>
void archive(Archive& ar, RungeKuttaMemory& m) {
  ar(m.next_step, m.last_error, m.time_at_rounding, m.implicit, m.steps_since_look, m.looks_for_other,
     m.patience, m.tiny_steps, m.active_limits, m.rotation_account, m.rotation_reference, m.slope,
     m.slope_at);
}

class RungeKuttaStepper {
 public:
  RungeKuttaStepper(const model::Model& model, const RungeKuttaOptions& options);
  RungeKuttaStepper(const RungeKuttaStepper&) = delete;  // its parts point to each other
  RungeKuttaStepper& operator=(const RungeKuttaStepper&) = delete;

  /// Advances `state` by one step. On failure the state is untouched.
  StepReport step(model::State& state, RungeKuttaMemory& control);
  /// The state at a time inside the last step, if it was a good one.
  void state_at(double time, model::State& state);

  const Scales& scales() const { return scales_; }
  /// The fixed step in use, if any.
  std::optional<double> fixed_step() const { return fixed_step_; }
  /// True when rounding, not `accuracy`, set the tolerance for longer than a start takes.
  bool limited_by_rounding() const { return limited_by_rounding_; }
  long long evaluations() const { return equations_.evaluations(); }

 private:
  // What a step may be wrong by, squared, for each of the four quantities of a moving body.
  struct BodyScale {
    core::BodyId body;
    double squared[4];
  };
  double next_switch(double t) const;
  bool closes_joints() const { return equations_.has_constraints() && !options_.baumgarte; }
  double choose_first_step(double t);
  // What its errors are divided by, squared and inverted.
  struct Weights {
    std::array<double, 4> of;
    bool by_rounding = false;  // some weight is what rounding lets one have, not what is asked for
  };
  Weights compute_weights(const BodyScale& scale, double share, const double* end) const;
  StepReport fail(StepStatus status, StepReport report);
  // Closes the joints of y_ at the end of a step. If that is not possible, the one that stays open.
  const model::Constraint* close_joints(double t);
  // The largest error of any body in the step just tried, in units of what it is allowed.
  double compute_error(core::BodyId& worst);
  double measure(const double* change, double share) const;
  void choose_method(bool continues, RungeKuttaMemory& control);
  void end_step(bool reaches_switch, bool meets_limit, RungeKuttaMemory& control, StepReport& report);
  double estimate_fastest_rate(double t);
  bool watch_stiffness(double t, RungeKuttaMemory& control);
  // Turns each body of y_ by the least angle that gives its rotation the energy the torques have given it.
  void project_rotations(double h, RungeKuttaMemory& control);
  // Keeps a body's account if the state agrees with it to rounding, else opens one. Settling twice changes nothing, so that
  // a resumed run goes on with the same bits.
  void settle_account(size_t body, RungeKuttaMemory& control);
  // Fills y_; true if the state is, bit for bit, where the last step ended.
  bool load(const model::State& state, RungeKuttaMemory& control);
  void store(double time, model::State& state) const;
  // 0 if the step just tried ended in numbers, else infinity and the body where it did not.
  double check_finite(core::BodyId& culprit) const;
  static void choose_next(double h, double error, double exponent, bool after_rejection,
                          RungeKuttaMemory& control);

  const model::Model* model_;
  RungeKuttaOptions options_;
  Scales scales_;
  std::optional<double> fixed_step_;
  std::vector<BodyScale> body_scales_;
  std::vector<double> switch_times_;  // ascending
  dynamics::EquationsOfMotion equations_;
  dynamics::RungeKutta explicit_;
  std::optional<dynamics::Esdirk> implicit_;   // made when first needed
  dynamics::StepMethod* method_ = &explicit_;  // of the last step tried
  LimitEvents limits_;
  std::vector<int> step_limits_;  // active in the last step
  std::vector<double> y_;         // scratch
  std::vector<double> y_end_;     // where the last accepted step led, after what happened at its end
  double share_ = 1;              // the last step tried, in T, at most 1: its part of the error allowed per T
  double step_start_ = 0, step_end_ = -1;  // of the last accepted step
  double smooth_until_ = 0;                // the next switch after its start
  core::BodyId worst_;                     // the body with the largest error in the last step tried
  bool by_rounding_ = false;               // Weights::by_rounding of the step just tried
  bool limited_by_rounding_ = false;
};

}  // namespace tumble::simulate
