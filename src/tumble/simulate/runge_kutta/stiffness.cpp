#include "tumble/simulate/runge_kutta/stiffness.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/hash.h"
#include "tumble/math/elementary.h"

namespace tumble::simulate {

using model::kBodySize;

namespace {

constexpr int kPowerSteps = 6;  // of the power method: the growth of the last two is known to a few percent

// The largest |lambda| of df/dy, by the power method: slopes along directions that it makes of one chosen by hash. Two applications
// count together, because one only turns positions into velocities, or these into forces.
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
  if (++m.steps_since_look < par.stiffness_interval) return false;
  m.steps_since_look = 0;
  const double reach = m.next_step * estimate_fastest_rate(norm, par, t, y, method, equations);
  const bool other = m.implicit ? reach < par.worth_implicit : reach > par.stable_step;
  m.looks_for_other = other ? m.looks_for_other + 1 : 0;
  if (m.implicit && !other) m.patience = par.stiff_answers;
  if (m.looks_for_other < (m.implicit ? par.stiff_answers : m.patience)) return false;
  m.looks_for_other = 0;
  m.last_error = 0;
  m.patience = std::min(2 * m.patience, par.most_patience);  // it may not pay
  if (m.implicit) m.next_step *= std::min(1.0, par.stable_step / reach);
  m.implicit = !m.implicit;
  return true;
}

}  // namespace tumble::simulate
