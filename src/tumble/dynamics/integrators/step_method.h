// What a driver asks of a one-step method for y' = f(t, y), explicit or implicit, and of the system it is to solve.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace tumble::dynamics {

/// The right-hand side, and the places where a system may have its own way.
class OdeSystem {
 public:
  /// A system that adds in its own way says so, and has after_add() called.
  explicit OdeSystem(bool adds_its_own_way = false) : adds_its_own_way_(adds_its_own_way) {}
  virtual ~OdeSystem() = default;
  bool adds_its_own_way() const { return adds_its_own_way_; }
  virtual size_t size() const = 0;
  virtual void compute_slope(double t, const double* y, double* slope) = 0;
  /// Called on every sum y + h (...), before its slope is taken; does nothing by default.
  virtual void after_add(const double* y, double* sum) const;
  /// Brings the result of a whole step back to where it belongs, e.g. quaternions to unit length.
  virtual void normalize(double* y) const;

  /// For implicit methods: gets ready to solve Y = c + g f(t, Y) near y by Newton's method, and takes one step of it:
  /// `residual` c + g f(Y) - Y on entry, what to add to Y on return. The default is fixed-point iteration.
  virtual void prepare_newton(double t, const double* y, double g);
  virtual void newton_step(const double* Y, double* residual);

 private:
  bool adds_its_own_way_;
};

class StepMethod {
 public:
  virtual ~StepMethod() = default;

  /// The estimated error of a step falls as h to this power; 0: there is no estimate.
  virtual int error_exponent() const = 0;
  /// The next step does not continue the last one: its first slope is made afresh.
  virtual void restart() = 0;
  /// f(t, y) at the start of the next step; kept for it.
  virtual std::span<const double> prepare_start_slope(OdeSystem& system, double t, const double* y) = 0;
  /// Tries a step of h from (t, y); false if its equations could not be solved. May be tried again from the same start with
  /// another h.
  virtual bool try_step(OdeSystem& system, double t, const double* y, double h) = 0;
  virtual std::span<const double> result() const = 0;  // y at t + h, normalised
  virtual std::span<const double> error() const = 0;   // its estimate
  /// A second estimate, to be combined with the first by the driver; empty: none.
  virtual std::span<const double> second_error() const = 0;
  /// Takes the step that was tried, its end moved a little to `y`: the next one starts there.
  virtual void accept_at(const double* y) = 0;
  /// The solution inside the step that was tried or accepted last, at t + x h with 0 <= x <= 1, normalised.
  virtual void interpolate(OdeSystem& system, double x, double* y) = 0;
};

}  // namespace tumble::dynamics
