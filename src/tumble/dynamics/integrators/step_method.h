// Interfaces of a one-step method for y' = f(t, y), explicit or implicit, and of the system that it solves.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace tumble::dynamics {

/// The right-hand side, and hooks of the system.
class OdeSystem {
 public:
  /// `has_custom_addition`: after_add() is to be called on every sum.
  explicit OdeSystem(bool has_custom_addition = false) : has_custom_addition_(has_custom_addition) {}
  virtual ~OdeSystem() = default;
  bool has_custom_addition() const { return has_custom_addition_; }
  virtual size_t size() const = 0;
  virtual void compute_slope(double t, const double* y, double* slope) = 0;
  /// Called on every sum y + h (...), before its slope is computed; does nothing by default.
  virtual void after_add(const double* y, double* sum) const;
  /// Projects the result of a whole step, e.g. quaternions to unit length.
  virtual void normalize(double* y) const;

  /// For implicit methods: prepares the Newton iteration for Y = c + g f(t, Y) near y, and performs one
  /// iteration. `residual` is c + g f(Y) - Y on entry and the change of Y on return. The default is
  /// fixed-point iteration.
  virtual void prepare_newton(double t, const double* y, double g);
  virtual void newton_step(const double* Y, double* residual);

 private:
  bool has_custom_addition_;
};

class StepMethod {
 public:
  virtual ~StepMethod() = default;

  /// The estimated error of a step falls as h to this power; 0: there is no estimate.
  virtual int error_exponent() const = 0;
  /// To be called if the next step does not continue the last one: its first slope is computed anew.
  virtual void restart() = 0;
  /// f(t, y) at the start of the next step; cached for it.
  virtual std::span<const double> prepare_start_slope(OdeSystem& system, double t, const double* y) = 0;
  /// Tries a step of h from (t, y). Returns false if its equations could not be solved. May be tried again
  /// from the same start with another h.
  virtual bool try_step(OdeSystem& system, double t, const double* y, double h) = 0;
  virtual std::span<const double> result() const = 0;  // y at t + h, normalised
  virtual std::span<const double> error() const = 0;   // its estimate
  /// A second estimate, which the stepper combines with the first; empty: none.
  virtual std::span<const double> second_error() const = 0;
  /// Accepts the step that was tried, with its end moved a little to `y`. The next step starts there.
  virtual void accept_at(const double* y) = 0;
  /// Dense output of the step that was tried or accepted last, at t + x h with 0 <= x <= 1, normalised.
  virtual void interpolate(OdeSystem& system, double x, double* y) = 0;
};

}  // namespace tumble::dynamics
