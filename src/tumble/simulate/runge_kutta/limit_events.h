// Limits of joints in smooth motion: when one is reached, what the hit does, when one that carries a load lets go.
// Events are located in time, and limits that carry a load are equations of the motion.
// dynamics/joint_limits.h says why the leapfrog stepper treats impacts at limits in another way.
#pragma once

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/simulate/runge_kutta/parameters.h"

namespace tumble::simulate {

class LimitEvents {
 public:
  /// `accuracy` and `time` (s, that of the scene) say which bounces are too small to be followed.
  LimitEvents(const model::Model& model, dynamics::EquationsOfMotion& equations, double accuracy, double time,
              const RungeKuttaParameters& parameters);

  bool empty() const { return model_->limits().empty(); }
  /// The first part of the step just tried, 0 to 1, after which a limit is passed or an active one would have to
  /// pull; 1 if the whole step is free of that.
  double find_event(dynamics::StepMethod& method, double t, double h, size_t size);
  /// At such a time: the impulses of the limits that are hit, then which limits act from here on. Returns the number of
  /// hits.
  int resolve(double t, double* y);
  /// Limits that were moved away, or are pulled by forces that have changed, act no longer.
  void let_go(double t, const double* y);
  /// The limit that no impulse could stop in the last `resolve`, because other joints drive into it; or none.
  const model::Constraint* overrun() const { return overrun_; }

 private:
  double slack_of(size_t limit) const { return par_.limit_slack * dynamics::unit_of_limit(*model_, limit); }
  // Per s: speeds below are rounding.
  double least_speed_of(size_t limit) const {
    return par_.limit_round_off * dynamics::unit_of_limit(*model_, limit) / time_;
  }
  bool is_active(int limit) const;
  bool is_any_passed(const std::vector<dynamics::LimitState>& limits) const;
  bool is_pulled(double t, const double* y);
  void choose_active(double t, const double* y, std::vector<int> candidates);

  const model::Model* model_;
  dynamics::EquationsOfMotion* equations_;
  double accuracy_, time_;
  RungeKuttaParameters par_;
  std::vector<dynamics::LimitState> limits_;  // scratch
  std::vector<double> y_, slope_;             // scratch
  const model::Constraint* overrun_ = nullptr;
};

}  // namespace tumble::simulate
