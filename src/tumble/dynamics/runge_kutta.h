// One explicit Runge-Kutta step, its error estimate and its dense output, for any tableau and any system y' =
// f(t, y).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "tumble/dynamics/tableau.h"

namespace tumble::dynamics {

/// The right-hand side, and the two places where a system may have its own way of adding.
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

 private:
  bool adds_its_own_way_;
};

class RungeKutta {
 public:
  RungeKutta(const Tableau& tableau, size_t size);

  const Tableau& tableau() const { return *tableau_; }

  /// The next step does not continue the last one: its first slope is made afresh.
  void restart() { continues_ = start_slope_made_ = false; }
  /// f(t, y) at the start of the next step; kept for it.
  std::span<const double> prepare_start_slope(OdeSystem& system, double t, const double* y);

  /// Tries a step of h from (t, y). May be tried again from the same start with another h.
  void try_step(OdeSystem& system, double t, const double* y, double h);
  std::span<const double> result() const { return {end_.data(), size_}; }   // y at t + h, normalised
  std::span<const double> error() const { return {error_.data(), size_}; }  // estimate (3) of tableau.h
  std::span<const double> second_error() const { return {second_error_.data(), size_}; }

  /// Takes the step that was tried: the next one starts from its end. The end may be moved a little before:
  /// to `y`.
  void accept();
  void accept_at(const double* y);
  /// The solution inside the accepted step, at t + x h with 0 <= x <= 1, normalised.
  void interpolate(OdeSystem& system, double x, double* y);

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
