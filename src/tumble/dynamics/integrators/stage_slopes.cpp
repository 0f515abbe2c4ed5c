#include "tumble/dynamics/integrators/stage_slopes.h"

#include <algorithm>

namespace tumble::dynamics {

namespace {

// Four doubles at once, without alignment. Written out because the compiler keeps an array of sums on the
// stack.
using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));

}  // namespace

StageSlopes::StageSlopes(const Tableau& tableau, size_t size)
    : stages_(static_cast<size_t>(tableau.stages)),
      stride_(stride_of(size)),
      slopes_(static_cast<size_t>(tableau.slopes()) * stride_, 0.0),
      zero_(stride_, 0.0) {}

const double* StageSlopes::make_start(OdeSystem& system, double t, const double* y) {
  if (!start_made_) {
    if (continues_ && end_made_)
      std::copy_n((*this)[stages_], stride_, (*this)[0]);
    else
      system.compute_slope(t, y, (*this)[0]);
    start_made_ = true;
    continues_ = false;
  }
  return (*this)[0];
}

const double* StageSlopes::make_end(OdeSystem& system, double t, const double* y) {
  if (!end_made_) system.compute_slope(t, y, (*this)[stages_]);
  end_made_ = true;
  return (*this)[stages_];
}

void StageSlopes::combine(const SparseTableau::Row& row, const double* base, double h, double* out) const {
  const double* slopes = slopes_.data();
  for (size_t i = 0; i < stride_; i += kBlock) {
    Lanes sum0 = {}, sum1 = {}, sum2 = {}, sum3 = {};
    for (const SparseTableau::Term& term : row) {
      const Lanes* k = reinterpret_cast<const Lanes*>(slopes + term.offset + i);
      sum0 += term.weight * k[0];
      sum1 += term.weight * k[1];
      sum2 += term.weight * k[2];
      sum3 += term.weight * k[3];
    }
    const Lanes* from = reinterpret_cast<const Lanes*>(base + i);
    Lanes* to = reinterpret_cast<Lanes*>(out + i);
    to[0] = from[0] + h * sum0;
    to[1] = from[1] + h * sum1;
    to[2] = from[2] + h * sum2;
    to[3] = from[3] + h * sum3;
  }
}

}  // namespace tumble::dynamics
