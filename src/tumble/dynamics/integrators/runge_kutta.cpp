#include "tumble/dynamics/integrators/runge_kutta.h"

#include <algorithm>

namespace tumble::dynamics {

void OdeSystem::after_add(const double*, double*) const {}
void OdeSystem::normalize(double*) const {}
void OdeSystem::prepare_newton(double, const double*, double) {}
void OdeSystem::newton_step(const double*, double*) {}

RungeKutta::RungeKutta(const Tableau& tableau, size_t size)
    : size_(size), rows_(tableau, StageSlopes::stride_of(size)), slopes_(tableau, size), dense_(rows_, size) {
  for (AlignedVector* v : {&start_, &sum_, &end_, &error_, &second_error_}) v->assign(slopes_.stride(), 0.0);
}

void RungeKutta::make_stages(OdeSystem& system, double h) {
  for (size_t i = 1; i < rows_.a.size(); ++i) {
    slopes_.combine(rows_.a[i], start_.data(), h, sum_.data());
    if (system.has_custom_addition()) system.after_add(start_.data(), sum_.data());
    system.compute_slope(t_ + tableau().c[i] * h, sum_.data(), slopes_[i]);
  }
  slopes_.combine(rows_.b, start_.data(), h, sum_.data());
  if (system.has_custom_addition()) system.after_add(start_.data(), sum_.data());
  system.normalize(sum_.data());
}

bool RungeKutta::try_step(OdeSystem& system, double t, const double* y, double h) {
  slopes_.make_start(system, t, y);
  std::copy_n(y, size_, start_.data());
  t_ = t;
  h_ = h;
  slopes_.drop_end();
  dense_.drop();
  make_stages(system, h);
  std::swap(sum_, end_);
  if (tableau().error_needs_end_slope()) slopes_.make_end(system, t_ + h_, end_.data());
  if (!rows_.error.empty()) slopes_.combine(rows_.error, h, error_.data());
  if (!rows_.second_error.empty()) slopes_.combine(rows_.second_error, h, second_error_.data());
  return true;
}

void RungeKutta::accept_at(const double* y) {
  if (!std::equal(y, y + size_, end_.begin())) {
    std::copy_n(y, size_, end_.data());
    slopes_.drop_end();
  }
  accept();
}

void RungeKutta::make_dense(OdeSystem& system) {
  if (dense_.is_made()) return;
  slopes_.make_end(system, t_ + h_, end_.data());
  for (size_t i = 0; i < rows_.extra_a.size(); ++i) {
    slopes_.combine(rows_.extra_a[i], start_.data(), h_, sum_.data());
    if (system.has_custom_addition()) system.after_add(start_.data(), sum_.data());
    system.compute_slope(t_ + tableau().extra_c[i] * h_, sum_.data(), slopes_[slopes_.stages() + 1 + i]);
  }
  dense_.make(rows_, slopes_, start_, end_, h_);
}

void RungeKutta::interpolate(OdeSystem& system, double x, double* y) {
  if (x >= 1) {
    std::copy_n(end_.data(), size_, y);
  } else if (tableau().dense_order == 0) {
    // No dense output: take a shorter step from the same start, of full order. Start and end stay as they
    // are.
    make_stages(system, x * h_);
    std::copy_n(sum_.data(), size_, y);
  } else {
    make_dense(system);
    dense_.evaluate(x, start_, y);
    system.normalize(y);
  }
}

}  // namespace tumble::dynamics
