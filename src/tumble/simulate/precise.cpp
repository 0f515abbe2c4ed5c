#include "tumble/simulate/precise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"

namespace tumble::simulate {

using core::BodyId;
using dynamics::Tableau;
using model::Body;
using model::kBodySize;
using model::State;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The sums of squares of a body's four quantities that share a scale: position, orientation, momentum,
// angular momentum.
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

// The account of a body's energy of rotation. A state someone else has made, or that projection could not reach, starts
// its own; settling twice changes nothing, so that a resumed run goes on with the same bits.
double settled(double account, double energy) {
  return std::abs(account - energy) <= kEnergyRoundOff * energy ? account : energy;
}

std::vector<double> collect_switch_times(const model::Model& model) {
  std::vector<double> times;
  for (const auto& law : model.forces())
    for (const double t : law->switch_times())
      if (t > 0 && t < kNever) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

std::string describe(const StepReport& report, const model::Model& model, double time) {
  std::string text = "t = " + std::to_string(time) + " s: ";
  if (report.body.valid()) text += "body \"" + model.body(report.body).name + "\": ";
  switch (report.status) {
    case StepStatus::done:
      return text + "done";
    case StepStatus::step_too_small:
      return text +
             "no step is short enough to hold the accuracy; the motion is singular here (do two attracting "
             "bodies meet, or is a stiffness far too large?)";
    case StepStatus::not_finite:
      return text + "the motion is no longer a finite number (do two attracting bodies meet?)";
  }
  return text;
}

PreciseDriver::PreciseDriver(const model::Model& model, const PreciseOptions& options)
    : model_(&model),
      options_(options),
      scales_(compute_scales(model)),
      fixed_step_(options.fixed_step),
      switch_times_(collect_switch_times(model)),
      equations_(model, options.quergs),
      method_(*options.method, equations_.size()) {
  TUMBLE_REQUIRE(options.accuracy >= kFinestAccuracy && options.accuracy <= kCoarsestAccuracy,
                 "accuracy must lie between 1e-13 and 0.1");
  TUMBLE_REQUIRE(!fixed_step_ || *fixed_step_ > 0, "a fixed step must be positive");
  TUMBLE_REQUIRE(fixed_step_ || options.method->error_exponent > 0,
                 "this method has no error estimate and needs a fixed step");
  for (const Body& body : model.bodies()) {
    if (body.fixed) continue;
    const double unit[] = {body.radius, 1, body.mass * scales_.speed,
                           body.mass * body.radius * scales_.speed};
    BodyScale scale{};
    for (size_t g = 0; g < 4; ++g) scale.squared[g] = math::square(kStepShare * options.accuracy * unit[g]);
    scale.body = BodyId(static_cast<size_t>(&body - model.bodies().data()));
    body_scales_.push_back(scale);
  }
}

double PreciseDriver::next_switch(double t) const {
  const auto next = std::upper_bound(switch_times_.begin(), switch_times_.end(), t);
  return next == switch_times_.end() ? kNever : *next;
}

// What a step may be wrong by in each of a body's four quantities, squared and inverted.
std::array<double, 4> PreciseDriver::compute_weights(const BodyScale& scale, double share) {
  const Four sizes = sums_of_squares(&y_[scale.body.index() * kBodySize]);
  Four weights;
  for (size_t g = 0; g < 4; ++g) {
    const double asked = scale.squared[g] * share * share;
    const double rounding = kRoundOffShare * kRoundOffShare * sizes[g];
    if (rounding > asked) limited_by_rounding_ = true;
    weights[g] = 1 / std::max(asked, rounding);
  }
  return weights;
}

double PreciseDriver::compute_error(double h, BodyId& worst) {
  // A step shorter than T may only commit its part of the error allowed per T.
  const double share = std::min(1.0, h / scales_.time);
  double largest = 0;
  for (const BodyScale& scale : body_scales_) {
    const Four weights = compute_weights(scale, share);
    const size_t at = scale.body.index() * kBodySize;
    double error = weighted_squares(weights, &method_.error()[at]);
    if (!options_.method->second_error.empty()) {
      // Hairer's combination of the estimates of orders 5 and 3: it falls as h^8
      const double sum = error + 0.01 * weighted_squares(weights, &method_.second_error()[at]);
      error = sum == 0 ? 0 : error * error / sum;
    }
    if (!(error <= largest)) {
      largest = error;
      worst = scale.body;
    }
    if (!std::isfinite(error)) break;
  }
  return math::sqrt(largest);
}

double PreciseDriver::choose_first_step(double t) {
  // Hairer, Norsett, Wanner II.4, with time in units of T and values in units of their scales: two slopes
  // tell how fast the motion changes.
  const double T = scales_.time, tolerance = kStepShare * options_.accuracy;
  const auto largest = [&](const std::vector<double>& v) {
    double found = 0;
    for (const BodyScale& scale : body_scales_)
      found =
          std::max(found, weighted_squares(compute_weights(scale, 1), &v[scale.body.index() * kBodySize]));
    return tolerance * math::sqrt(found);
  };
  const std::span<const double> start = method_.prepare_start_slope(equations_, t, y_.data());
  std::vector<double> slope(start.begin(), start.end()), moved(y_), other(y_.size());
  const double d1 = largest(slope) * T;
  const double h0 = d1 < 1e-10 ? 1e-6 * T : 0.01 / d1 * T;
  for (size_t i = 0; i < y_.size(); ++i) moved[i] += h0 * slope[i];
  equations_.compute_slope(t + h0, moved.data(), other.data());
  for (size_t i = 0; i < y_.size(); ++i) other[i] = (other[i] - slope[i]) / h0;
  const double d2 = largest(other) * T * T;
  const double d = std::max(d1, d2);
  const double h1 =
      d < 1e-15 ? T : math::pow(0.01 * tolerance / d, 1.0 / options_.method->error_exponent) * T;
  return std::isfinite(h1) ? std::min(100 * h0, h1) : h0;
}

StepReport PreciseDriver::step(State& state, Control& control) {
  const double t = state.time, T = scales_.time;
  const double limit = next_switch(t);

  // The slope at the end of the last step begins this one, if this one starts there and no force was
  // switched.
  load(state, control);
  const bool continues = t == step_end_ && limit == smooth_until_ &&
                         std::equal(y_.begin(), y_.end(), method_.result().begin(), method_.result().end());
  if (!continues) method_.restart();
  smooth_until_ = limit;
  equations_.set_smooth_until(limit);

  StepReport report;
  if (control.next_step == 0) control.next_step = fixed_step_ ? *fixed_step_ : choose_first_step(t);
  double h = fixed_step_ ? *fixed_step_ : std::min(control.next_step, kLongestStep * T);
  while (true) {
    // Stop exactly at the switch, and not just before it.
    const double left = limit - t;
    const bool reaches = h >= left;
    if (reaches)
      h = left;
    else if (!fixed_step_ && h > 0.5 * left)
      h = 0.5 * left;

    method_.try_step(equations_, t, y_.data(), h);
    const double error = fixed_step_ ? check_finite(report.body) : compute_error(h, report.body);
    const double exponent = 1.0 / std::max(1, options_.method->error_exponent);

    if (error <= 1) {
      report.h = h;
      step_start_ = t;
      step_end_ = reaches ? limit : t + h;
      std::copy(method_.result().begin(), method_.result().end(), y_.begin());
      if (!fixed_step_) project_rotations(h);
      method_.accept_at(y_.data());
      store(step_end_, state);
      if (!fixed_step_) choose_next(h, error, exponent, report.rejected > 0, control);
      if (reaches)
        control.next_step = control.last_error = 0;  // the motion after a switch has its own time scale
      std::copy(y_.begin() + static_cast<long>(equations_.energy_at()), y_.end(),
                control.rotational_energy.begin());
      report.body = {};
      return report;
    }
    const bool finite = std::isfinite(error);
    if (fixed_step_ || h < kShortestStep * T || t + kLargestShrink * h == t) {
      report.status = finite && !fixed_step_ ? StepStatus::step_too_small : StepStatus::not_finite;
      method_.restart();
      return report;
    }
    ++report.rejected;
    h *= finite ? std::max(kLargestShrink, kSafety * math::pow(error, -exponent)) : kLargestShrink;
  }
}

void PreciseDriver::choose_next(double h, double error, double exponent, bool after_rejection,
                                Control& control) {
  constexpr double kTiniest = 1e-4;  // errors below say only "far too small"
  const double now = std::max(error, kTiniest);
  double power = -(exponent - 0.75 * kLastErrorWeight) * math::log(now);
  if (control.last_error > 0) power += kLastErrorWeight * math::log(control.last_error);
  double factor = kSafety * math::exp(power);
  factor = std::clamp(factor, kLargestShrink, after_rejection ? 1.0 : kLargestGrowth);
  control.next_step = h * factor;
  control.last_error = now;
}

bool PreciseDriver::load(const State& state, Control& control) {
  const size_t bodies = model_->bodies().size();
  const std::span<const double> last = method_.result();
  y_.resize(equations_.size());
  const auto rest = std::copy(state.y.begin(), state.y.end(), y_.begin());
  const auto accounts = std::copy(state.work.begin(), state.work.end(), rest);
  if (state.time == step_end_ && control.rotational_energy.size() == bodies) {
    std::copy(control.rotational_energy.begin(), control.rotational_energy.end(), accounts);
    if (std::equal(y_.begin(), y_.end(), last.begin())) return true;
  }
  control.rotational_energy.resize(bodies);
  for (size_t i = 0; i < bodies; ++i) {
    double& account = control.rotational_energy[i];
    account = settled(account, equations_.compute_rotation(y_.data(), i).energy);
    accounts[static_cast<long>(i)] = account;
  }
  return false;
}

void PreciseDriver::store(double time, State& state) const {
  state.time = time;
  state.y.resize(model_->bodies().size() * kBodySize);
  state.work.resize(model_->forces().size());
  std::copy_n(y_.begin(), state.y.size(), state.y.begin());
  std::copy_n(y_.begin() + static_cast<long>(state.y.size()), state.work.size(), state.work.begin());
}

void PreciseDriver::project_rotations(double h) {
  const double allowed = kStepShare * options_.accuracy * std::min(1.0, h / scales_.time);
  for (const BodyScale& scale : body_scales_) {
    const size_t i = scale.body.index();
    double& account = y_[equations_.energy_at() + i];
    const auto [energy, gradient] = equations_.compute_rotation(y_.data(), i);
    const double missing = account - energy, steepness = gradient.norm();
    // Near a rotation about a principal axis the energy tells nothing about the orientation.
    if (std::abs(missing) < allowed * steepness) {
      // q <- q (1 + theta/2), normalised: exact to theta^3
      const model::Vec3 half = 0.5 * missing / (steepness * steepness) * gradient;
      double* q = &y_[i * kBodySize + model::kOrientationAt];
      const model::Quat turned = model::Quat::from_wxyz(q[0], q[1], q[2], q[3]) *
                                 model::Quat::from_wxyz(1, half.x(), half.y(), half.z());
      const model::Quat unit = turned.normalized();
      q[0] = unit.w(), q[1] = unit.x(), q[2] = unit.y(), q[3] = unit.z();
    }
    account = settled(account, equations_.compute_rotation(y_.data(), i).energy);
  }
}

double PreciseDriver::check_finite(BodyId& culprit) const {
  const std::span<const double> y = method_.result();
  for (size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i])) {
      const size_t body = i / kBodySize;
      if (body < model_->bodies().size()) culprit = BodyId(body);
      return kNever;
    }
  return 0;
}

void PreciseDriver::state_at(double time, State& state) {
  if (time == step_end_) {
    std::copy(method_.result().begin(), method_.result().end(), y_.begin());
  } else {
    // Keep to the side of the switch the step was made on.
    equations_.set_smooth_until(smooth_until_);
    method_.interpolate(equations_, (time - step_start_) / (step_end_ - step_start_), y_.data());
  }
  store(time, state);
}

}  // namespace tumble::simulate
