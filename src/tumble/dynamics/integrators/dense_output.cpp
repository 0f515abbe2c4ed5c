#include "tumble/dynamics/integrators/dense_output.h"

#include <algorithm>

namespace tumble::dynamics {

DenseOutput::DenseOutput(const SparseTableau& tableau, size_t size) : size_(size) {
  if (tableau.tableau->dense_order > 0)
    F_.assign(3 + tableau.dense.size(), AlignedVector(StageSlopes::stride_of(size), 0.0));
}

void DenseOutput::make(const SparseTableau& tableau, const StageSlopes& slopes, const AlignedVector& start,
                       const AlignedVector& end, double h) {
  const double *first = slopes[0], *last = slopes[slopes.stages()];
  for (size_t j = 0; j < slopes.stride(); ++j) {
    F_[0][j] = end[j] - start[j];
    F_[1][j] = h * first[j] - F_[0][j];
    F_[2][j] = F_[0][j] - h * last[j] - F_[1][j];
  }
  for (size_t i = 0; i < tableau.dense.size(); ++i) slopes.combine(tableau.dense[i], h, F_[3 + i].data());
  made_ = true;
}

void DenseOutput::evaluate(double x, const AlignedVector& start, double* y) const {
  constexpr size_t kBlock = StageSlopes::kBlock;
  for (size_t begin = 0; begin < size_; begin += kBlock) {
    double sum[kBlock] = {};
    for (size_t i = F_.size(); i-- > 0;) {
      const double* f = &F_[i][begin];
      const double factor = i % 2 == 0 ? x : 1 - x;
      for (size_t j = 0; j < kBlock; ++j) sum[j] = factor * (f[j] + sum[j]);
    }
    for (size_t j = begin; j < std::min(begin + kBlock, size_); ++j) y[j] = start[j] + sum[j - begin];
  }
}

}  // namespace tumble::dynamics
