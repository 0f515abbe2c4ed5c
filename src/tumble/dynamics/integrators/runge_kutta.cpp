#include "tumble/dynamics/integrators/runge_kutta.h"

#include <algorithm>

namespace tumble::dynamics {

namespace {

// Four doubles at once, wherever they lie in memory. The compiler is told, because it keeps an array of sums
// on the stack.
using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));

// Doubles per block of the inner loops: four independent sums hide the latency of an addition.
constexpr size_t kBlock = 16;

}  // namespace

void OdeSystem::after_add(const double*, double*) const {}
void OdeSystem::normalize(double*) const {}
void OdeSystem::prepare_newton(double, const double*, double) {}
void OdeSystem::newton_step(const double*, double*) {}

RungeKutta::Row RungeKutta::sparse_row(std::span<const double> weights) const {
  Row row;
  row.reserve(weights.size());
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0) row.push_back({i * stride_, weights[i]});
  return row;
}

RungeKutta::RungeKutta(const Tableau& tableau, size_t size)
    : tableau_(&tableau), size_(size), stride_((size + kBlock - 1) / kBlock * kBlock) {
  const size_t stages = static_cast<size_t>(tableau.stages), slopes = static_cast<size_t>(tableau.slopes());
  for (size_t i = 0; i < stages; ++i) a_.push_back(sparse_row(tableau.a.subspan(i * stages, stages)));
  for (size_t i = 0; i < tableau.extra_c.size(); ++i)
    extra_a_.push_back(sparse_row(tableau.extra_a.subspan(i * slopes, slopes)));
  for (size_t i = 0; i * slopes < tableau.dense.size(); ++i)
    dense_rows_.push_back(sparse_row(tableau.dense.subspan(i * slopes, slopes)));
  b_ = sparse_row(tableau.b);
  error_row_ = sparse_row(tableau.error);
  second_error_row_ = sparse_row(tableau.second_error);
  slopes_.assign(slopes * stride_, 0.0);
  for (Numbers* v : {&start_, &sum_, &end_, &error_, &second_error_, &zero_}) v->assign(stride_, 0.0);
  if (tableau.dense_order > 0) dense_.assign(3 + dense_rows_.size(), Numbers(stride_, 0.0));
}

void RungeKutta::combine(const Row& row, const double* base, double h, double* out) const {
  const double* slopes = slopes_.data();
  for (size_t i = 0; i < stride_; i += kBlock) {
    Lanes sum0 = {}, sum1 = {}, sum2 = {}, sum3 = {};
    for (const Term& term : row) {
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

std::span<const double> RungeKutta::prepare_start_slope(OdeSystem& system, double t, const double* y) {
  if (!start_slope_made_) {
    if (continues_ && end_slope_made_)
      std::copy_n(slope(a_.size()), stride_, slope(0));
    else
      system.compute_slope(t, y, slope(0));
    start_slope_made_ = true;
    continues_ = false;
  }
  return {slope(0), size_};
}

void RungeKutta::make_stages(OdeSystem& system, double h) {
  for (size_t i = 1; i < a_.size(); ++i) {
    combine(a_[i], start_.data(), h, sum_.data());
    if (system.adds_its_own_way()) system.after_add(start_.data(), sum_.data());
    system.compute_slope(t_ + tableau_->c[i] * h, sum_.data(), slope(i));
  }
  combine(b_, start_.data(), h, sum_.data());
  if (system.adds_its_own_way()) system.after_add(start_.data(), sum_.data());
  system.normalize(sum_.data());
}

void RungeKutta::make_end_slope(OdeSystem& system) {
  if (!end_slope_made_) system.compute_slope(t_ + h_, end_.data(), slope(a_.size()));
  end_slope_made_ = true;
}

bool RungeKutta::try_step(OdeSystem& system, double t, const double* y, double h) {
  prepare_start_slope(system, t, y);
  std::copy_n(y, size_, start_.data());
  t_ = t;
  h_ = h;
  end_slope_made_ = dense_made_ = false;
  make_stages(system, h);
  std::swap(sum_, end_);
  if (tableau_->error_needs_end_slope()) make_end_slope(system);
  if (!error_row_.empty()) combine(error_row_, zero_.data(), h, error_.data());
  if (!second_error_row_.empty()) combine(second_error_row_, zero_.data(), h, second_error_.data());
  return true;
}

void RungeKutta::accept() {
  continues_ = true;
  start_slope_made_ = false;  // slope(0) still is that of this step, until the next one begins
}

void RungeKutta::accept_at(const double* y) {
  if (!std::equal(y, y + size_, end_.begin())) {
    std::copy_n(y, size_, end_.data());
    end_slope_made_ = false;
  }
  accept();
}

void RungeKutta::make_dense(OdeSystem& system) {
  if (dense_made_) return;
  make_end_slope(system);
  for (size_t i = 0; i < extra_a_.size(); ++i) {
    combine(extra_a_[i], start_.data(), h_, sum_.data());
    if (system.adds_its_own_way()) system.after_add(start_.data(), sum_.data());
    system.compute_slope(t_ + tableau_->extra_c[i] * h_, sum_.data(), slope(a_.size() + 1 + i));
  }
  const double *first = slope(0), *last = slope(a_.size());
  for (size_t j = 0; j < stride_; ++j) {
    dense_[0][j] = end_[j] - start_[j];
    dense_[1][j] = h_ * first[j] - dense_[0][j];
    dense_[2][j] = dense_[0][j] - h_ * last[j] - dense_[1][j];
  }
  for (size_t i = 0; i < dense_rows_.size(); ++i)
    combine(dense_rows_[i], zero_.data(), h_, dense_[3 + i].data());
  dense_made_ = true;
}

void RungeKutta::interpolate(OdeSystem& system, double x, double* y) {
  if (x >= 1) {
    std::copy_n(end_.data(), size_, y);
  } else if (tableau_->dense_order == 0) {
    // No formula: a shorter step from the same start is of full order, and leaves start and end alone.
    make_stages(system, x * h_);
    std::copy_n(sum_.data(), size_, y);
  } else {
    make_dense(system);
    for (size_t begin = 0; begin < size_; begin += kBlock) {
      double sum[kBlock] = {};
      for (size_t i = dense_.size(); i-- > 0;) {
        const double* f = &dense_[i][begin];
        const double factor = i % 2 == 0 ? x : 1 - x;
        for (size_t j = 0; j < kBlock; ++j) sum[j] = factor * (f[j] + sum[j]);
      }
      for (size_t j = begin; j < std::min(begin + kBlock, size_); ++j) y[j] = start_[j] + sum[j - begin];
    }
    system.normalize(y);
  }
}

}  // namespace tumble::dynamics
