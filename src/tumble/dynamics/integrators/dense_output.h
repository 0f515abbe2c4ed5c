// Dense output of an accepted step, (4) of tableau.h.
#pragma once

#include <vector>

#include "tumble/dynamics/integrators/stage_slopes.h"

namespace tumble::dynamics {

class DenseOutput {
 public:
  DenseOutput(const SparseTableau& tableau, size_t size);

  bool is_made() const { return made_; }
  /// To be called when the step has changed.
  void drop() { made_ = false; }
  /// Computes F from all slopes of the step from `start` to `end`.
  void make(const SparseTableau& tableau, const StageSlopes& slopes, const AlignedVector& start,
            const AlignedVector& end, double h);
  /// y(x), 0 <= x < 1, not normalised.
  void evaluate(double x, const AlignedVector& start, double* y) const;

 private:
  size_t size_;
  std::vector<AlignedVector> F_;  // F0, F1, ...; empty if the tableau has no dense output
  bool made_ = false;
};

}  // namespace tumble::dynamics
