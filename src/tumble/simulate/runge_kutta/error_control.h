// How large the error of a step is, and how long the next step may be.
//   error = max over bodies of the norm of (position, orientation, momentum, angular momentum), each in units of what it may be wrong by:
//   step_share accuracy (h/T) (r, 1, m V, m r V), but no less than rounding                                       (1)
#pragma once

#include <array>

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/simulate/runge_kutta/types.h"
#include "tumble/simulate/scales.h"

namespace tumble::simulate {

/// The error of a step that was tried.
struct StepError {
  double error = 0;          // in tolerances: good up to 1
  core::BodyId worst;        // the body that has it
  bool by_rounding = false;  // some tolerance is what rounding allows, not what was asked for
};

class ErrorNorm {
 public:
  ErrorNorm(const model::Model& model, const Scales& scales, double accuracy,
            const RungeKuttaParameters& par);

  /// What a step may be wrong by in one quantity of a moving body.
  struct BodyScale {
    core::BodyId body;
    double squared[4];  // of position, orientation, momentum, angular momentum, at a share of 1
  };
  const std::vector<BodyScale>& bodies() const { return bodies_; }
  double tolerance() const { return tolerance_; }  // step_share accuracy

  /// Of the step just tried from y, which took that share of T.
  StepError measure_step(const dynamics::StepMethod& method, const std::vector<double>& y,
                         double share) const;
  /// Size (1) of a change of y.
  double measure(const double* change, const std::vector<double>& y, double share) const;

 private:
  struct Weights {
    std::array<double, 4> of;  // one over what may be wrong, squared
    bool by_rounding = false;
  };
  Weights compute_weights(const BodyScale& scale, const std::vector<double>& y, double share,
                          const double* end) const;

  double tolerance_, round_off_, third_order_weight_;
  std::vector<BodyScale> bodies_;
};

/// A first step, from the slopes at y and a little further along [Hairer, Norsett, Wanner I, II.4].
double choose_first_step(const ErrorNorm& norm, const RungeKuttaParameters& par, double time_scale, double t,
                         const std::vector<double>& y, dynamics::StepMethod& method,
                         dynamics::EquationsOfMotion& equations);
/// memory.next_step and last_error, after an accepted step of h.
void choose_next_step(const RungeKuttaParameters& par, double h, double error, double exponent,
                      bool after_rejection, RungeKuttaMemory& memory);

}  // namespace tumble::simulate
