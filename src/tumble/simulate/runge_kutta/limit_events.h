// Joint limits in smooth motion: event location, impacts, and release of active limits. Active limits are
// equations of the motion. dynamics/joint_limits.h explains why the leapfrog stepper treats impacts at limits
// differently.
#pragma once

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/simulate/runge_kutta/parameters.h"

namespace tumble::simulate {

class LimitEvents {
 public:
  /// `accuracy` and `time` (s, the time scale of the scene) decide which bounces are too small to be
  /// resolved.
  LimitEvents(const model::Model& model, dynamics::EquationsOfMotion& equations, double accuracy, double time,
              const RungeKuttaParameters& parameters);

  bool empty() const { return model_->limits().empty(); }
  /// Event location in the step just tried: the first fraction, 0 to 1, after which a limit is passed or an
  /// active one would have to pull; 1 if there is none.
  double find_event(dynamics::StepMethod& method, double t, double h, size_t size);
  /// At such a time: applies the impulses of the limits that are hit, then chooses the active limits. Returns
  /// the number of hits.
  int resolve_event(double t, double* y);
  /// Deactivates limits that were moved away, or that would pull because forces have changed.
  void release(double t, const double* y);
  /// The limit that could not be kept in the last resolve_event(), because others drive into it; or null.
  const model::Constraint* overrun() const { return overrun_; }

 private:
  double slack_of(size_t limit) const { return par_.limit_slack * dynamics::unit_of_limit(*model_, limit); }
  // Per s: lower speeds are rounding.
  double least_speed_of(size_t limit) const {
    return par_.limit_round_off * dynamics::unit_of_limit(*model_, limit) / time_;
  }
  bool is_active(int limit) const;
  bool is_any_passed(const std::vector<dynamics::LimitState>& limits) const;
  bool is_any_pulling(double t, const double* y);
  bool apply_impulses(double t, const std::vector<int>& touching, const std::vector<int>& hit,
                      const std::vector<dynamics::LimitState>& before, double* y);
  bool apply_impulses(double t, const std::vector<int>& touching, const std::vector<double>& speeds,
                      const std::vector<double>& start, double* y);
  template <typename Evaluate>
  bool solve_complementarity(const std::vector<int>& candidates, Evaluate&& is_wrong,
                             std::vector<int>& acting);
  bool add_returning(double t, const std::vector<int>& touching, std::vector<int>& resting);
  bool choose_active(double t, const double* y, const std::vector<int>& candidates);

  const model::Model* model_;
  dynamics::EquationsOfMotion* equations_;
  double accuracy_, time_;
  RungeKuttaParameters par_;
  std::vector<dynamics::LimitState> limits_;  // scratch
  std::vector<double> y_, slope_;             // scratch
  const model::Constraint* overrun_ = nullptr;
};

}  // namespace tumble::simulate
