// A step of the implicit Runge-Kutta method ESDIRK4(3)6L[2]SA [Kennedy and Carpenter 2003] for stiff systems:
//   Y_1 = y,   Y_i = y + h sum_{j<i} a_ij k_j + g h k_i,   k_i = f(t + c_i h, Y_i),   g = 1/4,  i = 2..6  (1)
// of order 4 with an estimate of order 3. The last stage is the result. Motion that is too fast for the step
// is damped (L-stability). Dense output of order 4, x = (t - t0)/h:
//   y(x) = y + h sum_i b_i(x) k_i,   b_i(x) = sum_p B_ip x^p,   with, for every x,
//   sum b_i = x,  sum b_i c_i = x^2/2,  sum b_i c_i^2 = x^3/3,  sum b_i c_i^3 = x^4/4,
//   sum b_i a_ij c_j^2 = x^4/12                                                                           (2)
// and b_i(1) = b_i. B is the solution of least norm. (The stages have order 2, which implies the other order
// conditions.)
#pragma once

#include <vector>

#include "tumble/dynamics/integrators/step_method.h"

namespace tumble::dynamics {

/// Newton iteration of a stage.
struct StageNewtonParameters {
  /// The part of the step's tolerance that the iteration error of a stage may use. Sane: 0.005 to 0.1.
  double share_of_error = 0.02;
  /// A first iteration that changes the stage by less than this part of share_of_error suffices.
  /// Sane: 1e-4 to 1e-2.
  double at_once = 1e-3;
  /// Iterations before a shorter step is tried. Sane: 6 to 20.
  int max_iterations = 12;
  /// The iteration stops if a change exceeds this part of the previous one. Sane: 0.5 to 0.95.
  double stall = 0.9;
};

class Esdirk final : public StepMethod {
 public:
  static constexpr int kStages = 6, kOrder = 4;
  /// Tables for tests.
  static const double (&a())[kStages][kStages];
  static const double (&c())[kStages];
  static const double (&error_weights())[kStages];
  /// b_i(x) of (2).
  static void dense_weights(double x, double (&b)[kStages]);

  explicit Esdirk(size_t size, const StageNewtonParameters& newton = {});
  /// Norm of a change of y, in units of the step's tolerance. The Newton iteration stops well below 1.
  void set_norm(std::function<double(const double*)> norm) { norm_ = std::move(norm); }

  int error_exponent() const override { return 4; }
  void restart() override { start_slope_made_ = false; }
  /// Slope of the last stage. A step that continues from the end of the last one should start with it, even
  /// if the end was moved a little: f at an end moved by d differs by the stiffness times d, which is not
  /// part of the motion.
  std::span<const double> end_slope() const { return slopes_[kStages - 1]; }
  void start_with(std::span<const double> slope);
  std::span<const double> prepare_start_slope(OdeSystem& system, double t, const double* y) override;
  bool try_step(OdeSystem& system, double t, const double* y, double h) override;
  std::span<const double> result() const override { return end_; }
  std::span<const double> error() const override { return error_; }
  std::span<const double> second_error() const override { return {}; }
  void accept_at(const double* y) override;
  void interpolate(OdeSystem& system, double x, double* y) override;

 private:
  bool solve_stage(OdeSystem& system, double t, double g);

  size_t size() const { return start_.size(); }

  const StageNewtonParameters newton_;
  std::function<double(const double*)> norm_;
  std::vector<double> slopes_[kStages];
  std::vector<double> start_, base_, stage_, change_, end_, error_, shift_;
  double h_ = 0;
  bool start_slope_made_ = false;
};

}  // namespace tumble::dynamics
