#include "tumble/simulate/runge_kutta/stiffness.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/hash.h"
#include "tumble/math/elementary.h"

namespace tumble::simulate {

using model::kBodySize;

namespace {

constexpr int kPowerSteps = 6;  // of the power method: the last two determine the growth to a few percent

// Estimates the largest |lambda| of df/dy by the power method. The start direction is chosen by a hash. Two
// applications count together, because a single one only maps positions to velocities, or velocities to
// forces.
double estimate_fastest_rate(const ErrorNorm& norm, const RungeKuttaParameters& par, double t,
                             const std::vector<double>& y, dynamics::StepMethod& method,
                             dynamics::EquationsOfMotion& equations) {
  const std::span<const double> here = method.prepare_start_slope(equations, t, y.data());
  const auto size = [&](const std::vector<double>& v) {
    return norm.tolerance() * norm.measure(v.data(), y, 1);
  };
  std::vector<double> direction(y.size(), 0.0), moved(y.size()), slope(y.size());
  for (const ErrorNorm::BodyScale& scale : norm.bodies())
    for (size_t k = 0; k < kBodySize; ++k) {
      const size_t at = scale.body.index() * kBodySize + k, group = k < 3 ? 0 : k < 7 ? 1 : k < 10 ? 2 : 3;
      direction[at] = (core::hash_bytes({reinterpret_cast<const char*>(&at), sizeof at}) & 64 ? 1 : -1) *
                      math::sqrt(scale.squared[group]);
    }
  double sizes[1 + kPowerSteps] = {};
  sizes[0] = size(direction);
  double growth = 1;
  for (int i = 1; i <= kPowerSteps; ++i) {
    const double shrink = par.power_difference / size(direction);
    for (size_t n = 0; n < y.size(); ++n) moved[n] = y[n] + shrink * direction[n];
    equations.compute_slope(t, moved.data(), slope.data());
    for (size_t n = 0; n < y.size(); ++n) direction[n] = (slope[n] - here[n]) / shrink;
    sizes[i] = size(direction);
    if (!(sizes[i] > 0) || !std::isfinite(sizes[i])) return 0;
    growth = sizes[i] / sizes[std::max(0, i - 2)];
  }
  return math::sqrt(growth);
}

}  // namespace

bool update_stiffness(const ErrorNorm& norm, const RungeKuttaParameters& par, double t,
                      const std::vector<double>& y, dynamics::StepMethod& method,
                      dynamics::EquationsOfMotion& equations, RungeKuttaMemory& m) {
  if (++m.steps_since_estimate < par.stiffness_interval) return false;
  m.steps_since_estimate = 0;
  const double h_lambda = m.next_step * estimate_fastest_rate(norm, par, t, y, method, equations);
  const bool other = m.implicit ? h_lambda < par.worth_implicit : h_lambda > par.stable_step;
  m.votes_for_other = other ? m.votes_for_other + 1 : 0;
  if (m.implicit && !other) m.patience = par.switch_votes;
  if (m.votes_for_other < (m.implicit ? par.switch_votes : m.patience)) return false;
  m.votes_for_other = 0;
  m.last_error = 0;
  m.patience = std::min(2 * m.patience, par.max_patience);  // the switch may not pay
  if (m.implicit) m.next_step *= std::min(1.0, par.stable_step / h_lambda);
  m.implicit = !m.implicit;
  return true;
}

}  // namespace tumble::simulate
