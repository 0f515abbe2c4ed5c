// Step size control: the error of a step, and the length of the next step.
//   error = max over bodies of the norm of (position, orientation, momentum, angular momentum), each in units
//   of its tolerance, step_share accuracy (h/T) (r, 1, m V, m r V), but no less than rounding             (1)
#pragma once

#include <array>

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/simulate/runge_kutta/types.h"
#include "tumble/simulate/scales.h"

namespace tumble::simulate {

/// The error of a step that was tried.
struct StepError {
  double error = 0;          // in tolerances: accepted up to 1
  core::BodyId worst;        // the body with the largest error
  bool by_rounding = false;  // rounding, not the accuracy, sets some tolerance
};

class ErrorNorm {
 public:
  ErrorNorm(const model::Model& model, const Scales& scales, double accuracy,
            const RungeKuttaParameters& par);

  /// Tolerances of a moving body.
  struct BodyScale {
    core::BodyId body;
    double squared[4];  // of position, orientation, momentum, angular momentum, at a share of 1
  };
  const std::vector<BodyScale>& bodies() const { return bodies_; }
  double tolerance() const { return tolerance_; }  // step_share accuracy

  /// Error of the step just tried from y. `share` is the length of the step in units of T.
  StepError measure_step(const dynamics::StepMethod& method, const std::vector<double>& y,
                         double share) const;
  /// Size (1) of a change of y.
  double measure(const double* change, const std::vector<double>& y, double share) const;

 private:
  struct Weights {
    std::array<double, 4> of;  // 1/tolerance^2
    bool by_rounding = false;
  };
  Weights compute_weights(const BodyScale& scale, const std::vector<double>& y, double share,
                          const double* end) const;

  double tolerance_, round_off_, third_order_weight_;
  std::vector<BodyScale> bodies_;
};

/// Chooses a first step, from the slopes at y and a little further along [Hairer, Norsett, Wanner I, II.4].
double choose_first_step(const ErrorNorm& norm, const RungeKuttaParameters& par, double time_scale, double t,
                         const std::vector<double>& y, dynamics::StepMethod& method,
                         dynamics::EquationsOfMotion& equations);
/// Sets memory.next_step and last_error, after an accepted step of h (PI controller).
void choose_next_step(const RungeKuttaParameters& par, double h, double error, double exponent,
                      bool after_rejection, RungeKuttaMemory& memory);

}  // namespace tumble::simulate
