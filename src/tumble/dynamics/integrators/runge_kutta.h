// One explicit Runge-Kutta step, its error estimate and its dense output, for any tableau and any system
// y' = f(t, y).
#pragma once

#include <cstddef>
#include <span>

#include "tumble/dynamics/integrators/dense_output.h"
#include "tumble/dynamics/integrators/stage_slopes.h"
#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/dynamics/integrators/tableau.h"

namespace tumble::dynamics {

class RungeKutta final : public StepMethod {
 public:
  RungeKutta(const Tableau& tableau, size_t size);

  const Tableau& tableau() const { return *rows_.tableau; }

  int error_exponent() const override { return tableau().error_exponent; }
  void restart() override { slopes_.restart(); }
  std::span<const double> prepare_start_slope(OdeSystem& system, double t, const double* y) override {
    return {slopes_.make_start(system, t, y), size_};
  }
  bool try_step(OdeSystem& system, double t, const double* y, double h) override;  // always true
  std::span<const double> result() const override { return {end_.data(), size_}; }
  std::span<const double> error() const override {
    return {error_.data(), size_};
  }  // estimate (3) of tableau.h
  std::span<const double> second_error() const override {
    return {second_error_.data(), rows_.second_error.empty() ? 0 : size_};
  }
  void accept() { slopes_.accept(); }
  void accept_at(const double* y) override;
  void interpolate(OdeSystem& system, double x, double* y) override;

 private:
  void make_stages(OdeSystem& system, double h);
  void make_dense(OdeSystem& system);

  size_t size_;
  SparseTableau rows_;
  StageSlopes slopes_;
  AlignedVector start_, sum_, end_;  // y at the start, inside a stage, at the end
  AlignedVector error_, second_error_;
  DenseOutput dense_;
  double t_ = 0, h_ = 0;
};

}  // namespace tumble::dynamics
