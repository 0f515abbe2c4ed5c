// One explicit Runge-Kutta step, its error estimate and its dense output, for any tableau and any system y' =
// f(t, y).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/dynamics/integrators/tableau.h"

namespace tumble::dynamics {

class RungeKutta final : public StepMethod {
 public:
  RungeKutta(const Tableau& tableau, size_t size);

  const Tableau& tableau() const { return *tableau_; }

  int error_exponent() const override { return tableau_->error_exponent; }
  void restart() override { continues_ = start_slope_made_ = false; }
  std::span<const double> prepare_start_slope(OdeSystem& system, double t, const double* y) override;
  bool try_step(OdeSystem& system, double t, const double* y, double h) override;  // always true
  std::span<const double> result() const override { return {end_.data(), size_}; }
  std::span<const double> error() const override {
    return {error_.data(), size_};
  }  // estimate (3) of tableau.h
  std::span<const double> second_error() const override {
    return {second_error_.data(), second_error_row_.empty() ? 0 : size_};
  }
  void accept();
  void accept_at(const double* y) override;
  void interpolate(OdeSystem& system, double x, double* y) override;

 private:
  // Aligned as the widest registers like it.
  using Numbers = std::vector<double, Eigen::aligned_allocator<double>>;
  struct Term {
    size_t offset;  // of the slope in slopes_
    double weight;
  };
  using Row = std::vector<Term>;
  Row sparse_row(std::span<const double> weights) const;

  double* slope(size_t stage) { return &slopes_[stage * stride_]; }
  const double* slope(size_t stage) const { return &slopes_[stage * stride_]; }
  // out = base + h * (sum of weighted slopes)
  void combine(const Row& row, const double* base, double h, double* out) const;
  void make_stages(OdeSystem& system, double h);
  void make_end_slope(OdeSystem& system);
  void make_dense(OdeSystem& system);

  const Tableau* tableau_;
  size_t size_, stride_;  // stride: size rounded up, so that every inner loop runs over whole blocks
  std::vector<Row> a_, extra_a_, dense_rows_;
  Row b_, error_row_, second_error_row_;
  Numbers slopes_;             // stages, slope at the end, extra stages
  Numbers start_, sum_, end_;  // y at the start, inside a stage, at the end
  Numbers error_, second_error_, zero_;
  std::vector<Numbers> dense_;  // F0, F1, ... of tableau.h (4)
  double t_ = 0, h_ = 0;
  bool continues_ = false;  // an accepted step stands before the next one
  bool start_slope_made_ = false, end_slope_made_ = false, dense_made_ = false;
};

}  // namespace tumble::dynamics
