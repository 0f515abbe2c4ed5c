#include "tumble/simulate/runge_kutta/error_control.h"

#include <algorithm>
#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::simulate {

using core::BodyId;
using model::kBodySize;

namespace {

// Sums of squares of a body's four quantities: position, orientation, momentum, angular momentum.
using Four = std::array<double, 4>;

Four sums_of_squares(const double* v) {
  static_assert(model::kPositionAt == 0 && model::kOrientationAt == 3 && model::kMomentumAt == 7 &&
                model::kAngularMomentumAt == 10);
  return {v[0] * v[0] + v[1] * v[1] + v[2] * v[2], v[3] * v[3] + v[4] * v[4] + (v[5] * v[5] + v[6] * v[6]),
          v[7] * v[7] + v[8] * v[8] + v[9] * v[9], v[10] * v[10] + v[11] * v[11] + v[12] * v[12]};
}

double weighted_squares(const Four& weights, const double* v) {
  const Four sums = sums_of_squares(v);
  return weights[0] * sums[0] + weights[1] * sums[1] + (weights[2] * sums[2] + weights[3] * sums[3]);
}

}  // namespace

ErrorNorm::ErrorNorm(const model::Model& model, const Scales& scales, double accuracy,
                     const RungeKuttaParameters& par)
    : tolerance_(par.step_share * accuracy),
      round_off_(par.round_off),
      third_order_weight_(par.third_order_weight) {
  for (const model::Body& body : model.bodies()) {
    if (body.is_fixed()) continue;
    const double unit[] = {body.radius, 1, body.mass * scales.speed, body.mass * body.radius * scales.speed};
    BodyScale scale{};
    for (size_t g = 0; g < 4; ++g) scale.squared[g] = math::square(tolerance_ * unit[g]);
    scale.body = BodyId(static_cast<size_t>(&body - model.bodies().data()));
    bodies_.push_back(scale);
  }
}

ErrorNorm::Weights ErrorNorm::compute_weights(const BodyScale& scale, const std::vector<double>& y,
                                              double share, const double* end) const {
  const Four before = sums_of_squares(&y[scale.body.index() * kBodySize]);
  const Four after = sums_of_squares(&end[scale.body.index() * kBodySize]);
  Weights weights;
  for (size_t g = 0; g < 4; ++g) {
    const double asked = scale.squared[g] * share * share;
    const double rounding = round_off_ * round_off_ * std::max(before[g], after[g]);
    weights.of[g] = 1 / std::max(asked, rounding);
    weights.by_rounding = weights.by_rounding || rounding > asked;
  }
  return weights;
}

double ErrorNorm::measure(const double* change, const std::vector<double>& y, double share) const {
  double largest = 0;
  for (const BodyScale& scale : bodies_) {
    const double size = weighted_squares(compute_weights(scale, y, share, y.data()).of,
                                         change + scale.body.index() * kBodySize);
    if (!(size <= largest)) largest = size;
  }
  return math::sqrt(largest);
}

StepError ErrorNorm::measure_step(const dynamics::StepMethod& method, const std::vector<double>& y,
                                  double share) const {
  StepError result;
  double largest = 0;
  for (const BodyScale& scale : bodies_) {
    const Weights weights = compute_weights(scale, y, share, method.result().data());
    const size_t at = scale.body.index() * kBodySize;
    double error = weighted_squares(weights.of, &method.error()[at]);
    if (!method.second_error().empty()) {
      // Hairer's combination of the estimates of orders 5 and 3, which falls as h^8
      const double sum =
          error + third_order_weight_ * weighted_squares(weights.of, &method.second_error()[at]);
      error = sum == 0 ? 0 : error * error / sum;
    }
    result.by_rounding = result.by_rounding || weights.by_rounding;
    if (!(error <= largest)) {
      largest = error;
      result.worst = scale.body;
    }
    if (!std::isfinite(error)) break;
  }
  result.error = math::sqrt(largest);
  return result;
}

double choose_first_step(const ErrorNorm& norm, const RungeKuttaParameters& par, double time_scale, double t,
                         const std::vector<double>& y, dynamics::StepMethod& method,
                         dynamics::EquationsOfMotion& equations) {
  // Time in units of T and values in units of their scales.
  const double T = time_scale, tolerance = norm.tolerance();
  const auto size = [&](const std::vector<double>& v) {
    const double measured = norm.measure(v.data(), y, 1);
    return std::isnan(measured) ? 0 : tolerance * measured;  // the trial step will detect it
  };
  const std::span<const double> start = method.prepare_start_slope(equations, t, y.data());
  std::vector<double> slope(start.begin(), start.end()), moved(y), other(y.size());
  const double d1 = size(slope) * T;
  const double h0 = d1 < par.least_slope ? par.first_guess * T : par.first_change / d1 * T;
  for (size_t i = 0; i < y.size(); ++i) moved[i] += h0 * slope[i];
  equations.compute_slope(t + h0, moved.data(), other.data());
  for (size_t i = 0; i < y.size(); ++i) other[i] = (other[i] - slope[i]) / h0;
  const double d2 = size(other) * T * T;
  const double d = std::max(d1, d2);
  const double h1 =
      d < par.no_change ? T : math::pow(par.first_change * tolerance / d, 1.0 / method.error_exponent()) * T;
  return std::isfinite(h1) ? std::min(par.max_first_guesses * h0, h1) : h0;
}

void choose_next_step(const RungeKuttaParameters& par, double h, double error, double exponent,
                      bool after_rejection, RungeKuttaMemory& memory) {
  const double now = math::log(std::max(error, par.least_error));
  const double power = par.last_error_weight * memory.last_error -
                       (exponent - par.last_error_share * par.last_error_weight) * now;
  const double factor = std::clamp(par.safety * math::exp(power), par.largest_shrink,
                                   after_rejection ? 1.0 : par.largest_growth);
  memory.next_step = h * factor;
  memory.last_error = now;
}

}  // namespace tumble::simulate
