#include "tumble/simulate/runge_kutta/stepper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tumble/core/hash.h"
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

std::vector<double> collect_switch_times(const model::Model& model) {
  std::vector<double> times;
  const auto collect = [&](const auto& all) {
    for (const auto& one : all)
      for (const double t : one->switch_times())
        if (t > 0 && t < kNever) times.push_back(t);
  };
  collect(model.forces());
  collect(model.constraints());
  collect(model.limits());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

RungeKuttaStepper::RungeKuttaStepper(const model::Model& model, const RungeKuttaOptions& options)
    : model_(&model),
      options_(options),
      scales_(compute_scales(model)),
      fixed_step_(options.fixed_step),
      switch_times_(collect_switch_times(model)),
      equations_(model, options.quergs, options.reactions),
      explicit_(*options.method, equations_.size()),
      limits_(model, equations_, options.accuracy, scales_.time) {
  TUMBLE_REQUIRE(options.accuracy >= kFinestAccuracy && options.accuracy <= kCoarsestAccuracy,
                 "accuracy must lie between 1e-13 and 0.1");
  TUMBLE_REQUIRE(!fixed_step_ || *fixed_step_ > 0, "a fixed step must be positive");
  TUMBLE_REQUIRE(fixed_step_ || options.method->error_exponent > 0,
                 "this method has no error estimate and needs a fixed step");
  if (options.baumgarte) equations_.set_feedback(*options.baumgarte);
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

double RungeKuttaStepper::next_switch(double t) const {
  const auto next = std::upper_bound(switch_times_.begin(), switch_times_.end(), t);
  return next == switch_times_.end() ? kNever : *next;
}

// What a step may be wrong by in each of a body's four quantities, squared and inverted.
RungeKuttaStepper::Weights RungeKuttaStepper::compute_weights(const BodyScale& scale, double share,
                                                              const double* end) const {
  const Four before = sums_of_squares(&y_[scale.body.index() * kBodySize]);
  const Four after = sums_of_squares(&end[scale.body.index() * kBodySize]);
  Weights weights;
  for (size_t g = 0; g < 4; ++g) {
    const double asked = scale.squared[g] * share * share;
    const double rounding = kRoundOffShare * kRoundOffShare * std::max(before[g], after[g]);
    weights.of[g] = 1 / std::max(asked, rounding);
    weights.by_rounding = weights.by_rounding || rounding > asked;
  }
  return weights;
}

// A change of y, in units of what a step of that share of T is allowed to be wrong by.
double RungeKuttaStepper::measure(const double* change, double share) const {
  double largest = 0;
  for (const BodyScale& scale : body_scales_) {
    const double size = weighted_squares(compute_weights(scale, share, y_.data()).of,
                                         change + scale.body.index() * kBodySize);
    if (!(size <= largest)) largest = size;
  }
  return math::sqrt(largest);
}

double RungeKuttaStepper::compute_error(BodyId& worst) {
  double largest = 0;
  by_rounding_ = false;
  for (const BodyScale& scale : body_scales_) {
    const Weights weights = compute_weights(scale, share_, method_->result().data());
    const size_t at = scale.body.index() * kBodySize;
    double error = weighted_squares(weights.of, &method_->error()[at]);
    if (!method_->second_error().empty()) {
      // Hairer's combination of the estimates of orders 5 and 3: it falls as h^8
      const double sum = error + 0.01 * weighted_squares(weights.of, &method_->second_error()[at]);
      error = sum == 0 ? 0 : error * error / sum;
    }
    by_rounding_ = by_rounding_ || weights.by_rounding;
    if (!(error <= largest)) {
      largest = error;
      worst = scale.body;
    }
    if (!std::isfinite(error)) break;
  }
  return math::sqrt(largest);
}

double RungeKuttaStepper::choose_first_step(double t) {
  // Hairer, Norsett, Wanner II.4, with time in units of T and values in units of their scales: two slopes
  // tell how fast the motion changes.
  const double T = scales_.time, tolerance = kStepShare * options_.accuracy;
  const auto largest = [&](const std::vector<double>& v) {
    double found = 0;
    for (const BodyScale& scale : body_scales_)
      found = std::max(found, weighted_squares(compute_weights(scale, 1, y_.data()).of,
                                               &v[scale.body.index() * kBodySize]));
    return tolerance * math::sqrt(found);
  };
  const std::span<const double> start = method_->prepare_start_slope(equations_, t, y_.data());
  std::vector<double> slope(start.begin(), start.end()), moved(y_), other(y_.size());
  const double d1 = largest(slope) * T;
  const double h0 = d1 < 1e-10 ? 1e-6 * T : 0.01 / d1 * T;
  for (size_t i = 0; i < y_.size(); ++i) moved[i] += h0 * slope[i];
  equations_.compute_slope(t + h0, moved.data(), other.data());
  for (size_t i = 0; i < y_.size(); ++i) other[i] = (other[i] - slope[i]) / h0;
  const double d2 = largest(other) * T * T;
  const double d = std::max(d1, d2);
  const double h1 = d < 1e-15 ? T : math::pow(0.01 * tolerance / d, 1.0 / method_->error_exponent()) * T;
  return std::isfinite(h1) ? std::min(100 * h0, h1) : h0;
}

StepReport RungeKuttaStepper::fail(StepStatus status, StepReport report) {
  report.status = report.joint ? StepStatus::joints_open : status;
  if (report.joint)
    report.body = {};
  else if (!fixed_step_)
    report.body = worst_;
  // What was tried has overwritten the last good step: nothing can be looked up inside it any more.
  method_->restart();
  step_start_ = kNever;
  return report;
}

// The method of the next step, ready to begin at y_.
void RungeKuttaStepper::choose_method(bool continues, RungeKuttaMemory& control) {
  dynamics::StepMethod* const last = method_;
  method_ = &explicit_;
  if (control.implicit) {
    if (!implicit_) {
      implicit_.emplace(equations_.size());
      implicit_->set_norm([this](const double* change) { return measure(change, share_); });
    }
    method_ = &*implicit_;
  }
  if (!continues || method_ != last) method_->restart();
  if (control.implicit && control.slope_at == y_) implicit_->start_with(control.slope);
}

const model::Constraint* RungeKuttaStepper::close_joints(double t) {
  if (!closes_joints()) return nullptr;
  const dynamics::EquationsOfMotion::Gap left = equations_.project(t, y_.data());
  if (!left.widest) return nullptr;
  const double* x = &y_[left.widest->b().index() * kBodySize];
  const double rounding = 4 * kRoundOffShare * (std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]));
  return left.error <= kOpenJoint * model_->size_of(*left.widest) + rounding ? nullptr : left.widest;
}

StepReport RungeKuttaStepper::step(State& state, RungeKuttaMemory& control) {
  const double t = state.time, T = scales_.time;
  const double limit = next_switch(t);

  // The slope at the end of the last step begins this one, if this one starts there and no force was
  // switched.
  const bool continues = load(state, control) && limit == smooth_until_ && control.next_step > 0;
  smooth_until_ = limit;
  equations_.set_smooth_until(limit);
  if (!limits_.empty()) step_limits_ = control.active_limits;
  choose_method(continues, control);
  if (watch_stiffness(t, control)) choose_method(true, control);

  StepReport report;
  if (control.next_step == 0) control.next_step = fixed_step_ ? *fixed_step_ : choose_first_step(t);
  double h = fixed_step_ ? *fixed_step_ : std::min(control.next_step, kLongestStep * T);
  bool finite = true, meets_limit = false;
  while (true) {
    // Stop exactly at the switch, and not just before it.
    const double left = limit - t;
    const bool reaches = h >= left;
    if (reaches)
      h = left;
    else if (!fixed_step_ && h > 0.5 * left)
      h = 0.5 * left;

    // Time itself must move, or the step says nothing. The step taken is the one time takes: otherwise a fast spin
    // collects the rounding of thousands of sums. A fixed step stays what it was asked to be.
    const double end = reaches ? limit : t + h, taken = fixed_step_ ? h : end - t;
    if (!(end > t) || (!fixed_step_ && control.tiny_steps > kMostTinySteps))
      return fail(finite ? StepStatus::step_too_small : StepStatus::not_finite, report);
    share_ = std::min(1.0, taken / T);
    const bool solved = method_->try_step(equations_, t, y_.data(), taken);
    const double error = !solved ? kNever : fixed_step_ ? check_finite(report.body) : compute_error(worst_);
    if (!fixed_step_) report.body = worst_;
    const double exponent = 1.0 / std::max(1, method_->error_exponent());

    if (error <= 1) {
      if (!limits_.empty() && !meets_limit) {
        const double part = limits_.find_event(*method_, t, taken, y_.size());
        meets_limit = part < 1;
        if (meets_limit) {
          h = part * taken;  // the same motion, up to the event
          continue;
        }
      }
      std::copy(method_->result().begin(), method_->result().end(), y_.begin());
      report.joint = close_joints(reaches ? std::nextafter(end, -kNever) : end);
      if (report.joint) {  // too far for one step, or for any
        load(state, control);
        ++report.rejected;
        meets_limit = false;
        h = fixed_step_ ? 0 : kLargestShrink * taken;
        continue;
      }
      report.h = taken;
      report.implicit = control.implicit;
      step_start_ = t;
      step_end_ = end;
      end_step(reaches, meets_limit, control, report);
      if (report.joint) return fail(StepStatus::joints_open, report);
      store(step_end_, state);
      if (!fixed_step_) choose_next(taken, error, exponent, report.rejected > 0, control);
      control.tiny_steps = taken < kTinyStep * T ? control.tiny_steps + 1 : 0;
      if (reaches || meets_limit)
        control.next_step = control.last_error = 0;  // the motion after a switch has its own time scale
      report.body = {};
      return report;
    }
    finite = std::isfinite(error) || !solved;
    if (fixed_step_) return fail(StepStatus::not_finite, report);
    ++report.rejected;
    h *= std::isfinite(error) ? std::max(kLargestShrink, kSafety * math::pow(error, -exponent))
                              : kLargestShrink;
  }
}

// Takes the step that was tried and whose joints are closed, then lets happen what happens at its end.
void RungeKuttaStepper::end_step(bool reaches_switch, bool meets_limit, RungeKuttaMemory& control,
                                 StepReport& report) {
  const double h = step_end_ - step_start_;
  control.time_at_rounding = !fixed_step_ && by_rounding_ ? control.time_at_rounding + h : 0;
  if (control.time_at_rounding > kStartingTime * scales_.time) limited_by_rounding_ = true;
  project_rotations(h, control);
  equations_.settle_angles(y_.data());
  method_->accept_at(y_.data());  // what comes now is after the step, and not seen inside it
  if (!control.slope.empty()) control.slope.clear(), control.slope_at.clear();
  if (control.implicit && !reaches_switch && !meets_limit) {
    control.slope.assign(implicit_->end_slope().begin(), implicit_->end_slope().end());
    control.slope_at = y_;
  }
  const bool jerks = reaches_switch && !model_->moving_constraints().empty();
  if (jerks) {
    equations_.set_active_limits({});  // limits push, and never pull: those that are hit come after
    equations_.jerk(step_end_, y_.data());
  }
  if (meets_limit || (jerks && !limits_.empty())) {
    report.impacts = limits_.resolve(step_end_, y_.data());
    report.joint = limits_.overrun();
    if (report.joint) return;
    control.active_limits = equations_.active_limits();
    method_->restart();
  }
  y_end_ = y_;
}

// The largest |lambda| of df/dy, by the power method: f along directions that it makes of one chosen blindly. Two
// applications together, because one only turns positions into velocities, or these into forces.
double RungeKuttaStepper::estimate_fastest_rate(double t) {
  const std::span<const double> here = method_->prepare_start_slope(equations_, t, y_.data());
  const auto size = [&](const std::vector<double>& v) {
    return kStepShare * options_.accuracy * measure(v.data(), 1);
  };
  std::vector<double> direction(y_.size(), 0.0), moved(y_.size()), slope(y_.size());
  for (const BodyScale& scale : body_scales_)
    for (size_t k = 0; k < kBodySize; ++k) {
      const size_t at = scale.body.index() * kBodySize + k, group = k < 3 ? 0 : k < 7 ? 1 : k < 10 ? 2 : 3;
      direction[at] = (core::hash_bytes({reinterpret_cast<const char*>(&at), sizeof at}) & 64 ? 1 : -1) *
                      math::sqrt(scale.squared[group]);
    }
  double sizes[1 + kPowerSteps] = {};
  sizes[0] = size(direction);
  double growth = 1;
  for (int i = 1; i <= kPowerSteps; ++i) {
    const double shrink = kPowerDifference / size(direction);
    for (size_t n = 0; n < y_.size(); ++n) moved[n] = y_[n] + shrink * direction[n];
    equations_.compute_slope(t, moved.data(), slope.data());
    for (size_t n = 0; n < y_.size(); ++n) direction[n] = (slope[n] - here[n]) / shrink;
    sizes[i] = size(direction);
    if (!(sizes[i] > 0) || !std::isfinite(sizes[i])) return 0;
    growth = sizes[i] / sizes[std::max(0, i - 2)];
  }
  return math::sqrt(growth);
}

// Where the explicit method's steps are as long as stability allows, not accuracy, the implicit one takes over; and gives
// back where its steps are hardly longer than the explicit one could make them.
bool RungeKuttaStepper::watch_stiffness(double t, RungeKuttaMemory& control) {
  if (fixed_step_ || options_.method != &dynamics::dormand_prince_8() || options_.baumgarte ||
      model_->forces().empty() || control.next_step == 0)
    return false;
  if (++control.steps_since_look < kStiffnessLooks) return false;
  control.steps_since_look = 0;
  const double reach = control.next_step * estimate_fastest_rate(t);
  const bool other = control.implicit ? reach < kWorthImplicit : reach > kStableStep;
  control.looks_for_other = other ? control.looks_for_other + 1 : 0;
  if (control.implicit && !other) control.patience = kStiffLooks;
  if (control.looks_for_other < (control.implicit ? kStiffLooks : control.patience)) return false;
  control.looks_for_other = 0;
  control.last_error = 0;
  control.patience = std::min(2 * control.patience, kMostPatience);  // it may not have been worth while
  if (control.implicit) control.next_step *= std::min(1.0, kStableStep / reach);
  control.implicit = !control.implicit;
  return true;
}

void RungeKuttaStepper::choose_next(double h, double error, double exponent, bool after_rejection,
                                    RungeKuttaMemory& control) {
  constexpr double kTiniest = 1e-4;  // errors below say only "far too small"
  const double now = math::log(std::max(error, kTiniest));
  const double power = kLastErrorWeight * control.last_error - (exponent - 0.75 * kLastErrorWeight) * now;
  const double factor =
      std::clamp(kSafety * math::exp(power), kLargestShrink, after_rejection ? 1.0 : kLargestGrowth);
  control.next_step = h * factor;
  control.last_error = now;
}

bool RungeKuttaStepper::load(const State& state, RungeKuttaMemory& control) {
  TUMBLE_REQUIRE(state.hinge_angles.size() == model_->counted_hinges().size(),
                 "the state lacks the angles of hinges that count turns; start from start_state()");
  TUMBLE_REQUIRE(!options_.reactions || state.impulses.empty() ||
                     state.impulses.size() == model_->joints().size() * model::kReactionSize,
                 "the impulses belong to another model");
  TUMBLE_REQUIRE(
      state.y.size() == model_->bodies().size() * kBodySize && state.work.size() == model_->work_count(),
      "the state belongs to another model");
  const size_t bodies = model_->bodies().size();
  if (control.rotation_account.size() != bodies) {  // a control of its own, or the first step
    control.rotation_account.resize(bodies);
    control.rotation_reference.resize(bodies);
  }
  if (y_.size() != equations_.size()) y_.resize(equations_.size());
  const auto rest = std::copy(state.y.begin(), state.y.end(), y_.begin());
  const auto accounts = std::copy(state.work.begin(), state.work.end(), rest);
  const auto impulses = std::copy(control.rotation_account.begin(), control.rotation_account.end(), accounts);
  std::fill(impulses, y_.end(), 0.0);
  if (options_.reactions) std::copy(state.impulses.begin(), state.impulses.end(), impulses);
  std::copy(state.hinge_angles.begin(), state.hinge_angles.end(),
            y_.begin() + static_cast<long>(equations_.angles_at()));
  for (size_t i = 0; i < bodies; ++i) equations_.set_reference(i, control.rotation_reference[i]);
  equations_.set_active_limits(control.active_limits);
  if (state.time == step_end_ && y_ == y_end_) return true;
  for (size_t i = 0; i < bodies; ++i) settle_account(i, control);
  return false;
}

void RungeKuttaStepper::settle_account(size_t i, RungeKuttaMemory& control) {
  if (equations_.is_joined(i)) return;
  double& account = y_[equations_.energy_at() + i];
  const dynamics::EquationsOfMotion::Rotation now = equations_.compute_rotation(y_.data(), i);
  if (!(std::abs(account - now.account) <= kEnergyRoundOff * now.energy)) {
    control.rotation_reference[i] = equations_.best_reference(y_.data(), i);
    equations_.set_reference(i, control.rotation_reference[i]);
    account = equations_.compute_rotation(y_.data(), i).account;
  }
  control.rotation_account[i] = account;
}

void RungeKuttaStepper::store(double time, State& state) const {
  state.time = time;
  const auto at = [&](size_t i) { return y_.begin() + static_cast<long>(i); };
  state.y.assign(y_.begin(), at(equations_.work_at()));
  state.work.assign(at(equations_.work_at()), at(equations_.energy_at()));
  state.impulses.assign(at(equations_.impulses_at()), at(equations_.angles_at()));
  state.hinge_angles.assign(at(equations_.angles_at()), y_.end());
}

void RungeKuttaStepper::project_rotations(double h, RungeKuttaMemory& control) {
  const double allowed = kStepShare * options_.accuracy * std::min(1.0, h / scales_.time);
  for (const BodyScale& scale : body_scales_) {
    const size_t i = scale.body.index();
    if (equations_.is_joined(i)) continue;
    const dynamics::EquationsOfMotion::Rotation now = equations_.compute_rotation(y_.data(), i);
    const double missing = y_[equations_.energy_at() + i] - now.account,
                 steepness = now.gradient.squaredNorm();
    // Near a rotation about a principal axis the energy tells nothing about the orientation.
    if (!fixed_step_ && missing * missing < allowed * allowed * steepness) {
      // q <- q (1 + theta/2) / sqrt(1 + |theta/2|^2)
      const model::Vec3 half = (0.5 * missing / steepness) * now.gradient;
      const double square = half.squaredNorm(), shrink = 1 - square * (0.5 - 0.375 * square);
      double* q = &y_[i * kBodySize + model::kOrientationAt];
      const model::Quat turned =
          model::Quat::from_wxyz(q[0], q[1], q[2], q[3]) *
          model::Quat::from_wxyz(shrink, shrink * half.x(), shrink * half.y(), shrink * half.z());
      q[0] = turned.w(), q[1] = turned.x(), q[2] = turned.y(), q[3] = turned.z();
      // The energy is now missing by no more than |theta|^2 |omega| |L|; mostly that is far below rounding.
      if (16 * square * square * now.bound < math::square(0.1 * kEnergyRoundOff * now.energy)) {
        control.rotation_account[i] = y_[equations_.energy_at() + i];
        continue;
      }
    }
    settle_account(i, control);
  }
}

double RungeKuttaStepper::check_finite(BodyId& culprit) const {
  const std::span<const double> y = method_->result();
  for (size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i])) {
      const size_t body = i / kBodySize;
      if (body < model_->bodies().size()) culprit = BodyId(body);
      return kNever;
    }
  return 0;
}

void RungeKuttaStepper::state_at(double time, State& state) {
  TUMBLE_REQUIRE(step_start_ <= time && time <= step_end_, "state_at knows the last step alone");
  if (time == step_end_) {
    y_ = y_end_;
  } else {
    // Keep to the side of the switch the step was made on.
    equations_.set_smooth_until(smooth_until_);
    if (!limits_.empty()) equations_.set_active_limits(step_limits_);
    method_->interpolate(equations_, (time - step_start_) / (step_end_ - step_start_), y_.data());
    if (closes_joints()) equations_.project(time, y_.data());
    equations_.settle_angles(y_.data());
  }
  store(time, state);
}

}  // namespace tumble::simulate
