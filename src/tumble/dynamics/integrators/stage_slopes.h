// The slopes of one Runge-Kutta step: of its stages, at its end, and of the extra stages for dense output.
// The slope at the end of an accepted step is the first slope of the next one.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tumble/dynamics/integrators/sparse_tableau.h"
#include "tumble/dynamics/integrators/step_method.h"

namespace tumble::dynamics {

/// Aligned for the widest vector registers.
using AlignedVector = std::vector<double, Eigen::aligned_allocator<double>>;

class StageSlopes {
 public:
  /// Numbers per block of the inner loops: four independent sums hide the latency of an addition.
  static constexpr size_t kBlock = 16;
  /// `size` rounded up, so that every inner loop runs over whole blocks.
  static size_t stride_of(size_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

  StageSlopes(const Tableau& tableau, size_t size);

  size_t stride() const { return stride_; }
  /// Slope of stage i; stages() is the end, extra stages follow.
  double* operator[](size_t i) { return &slopes_[i * stride_]; }
  const double* operator[](size_t i) const { return &slopes_[i * stride_]; }
  size_t stages() const { return stages_; }

  /// To be called if the next step does not continue the last one.
  void restart() { continues_ = start_made_ = false; }
  /// To be called if the next step continues this one. The first slope stays that of this step until the next
  /// one begins.
  void accept() { continues_ = true, start_made_ = false; }
  /// To be called when the end of the step has changed.
  void drop_end() { end_made_ = false; }
  /// The slopes at both ends, computed if necessary.
  const double* make_start(OdeSystem& system, double t, const double* y);
  const double* make_end(OdeSystem& system, double t, const double* y);

  /// out = base + h (sum of weighted slopes); the second form has base 0.
  void combine(const SparseTableau::Row& row, const double* base, double h, double* out) const;
  void combine(const SparseTableau::Row& row, double h, double* out) const {
    combine(row, zero_.data(), h, out);
  }

 private:
  size_t stages_, stride_;
  AlignedVector slopes_, zero_;
  bool continues_ = false;  // the next step continues an accepted one
  bool start_made_ = false, end_made_ = false;
};

}  // namespace tumble::dynamics
