#include "tumble/simulate/runge_kutta/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/runge_kutta/rotation_energy.h"
#include "tumble/simulate/runge_kutta/stiffness.h"

namespace tumble::simulate {

using core::BodyId;
using model::kBodySize;
using model::State;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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

double find_next_switch(const std::vector<double>& times, double t) {
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  return next == times.end() ? kNever : *next;
}

// Error of a step without an estimate: 0 if its end is finite, else infinity, with the body that is not
// finite.
StepError check_finite(std::span<const double> y, size_t bodies) {
  for (size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      return {.error = kNever, .worst = i / kBodySize < bodies ? BodyId(i / kBodySize) : BodyId()};
  return {};
}

}  // namespace

RungeKuttaStepper::RungeKuttaStepper(const model::Model& model, const RungeKuttaOptions& options)
    : model_(&model),
      options_(options),
      scales_(options.scales ? *options.scales : compute_scales(model)),
      norm_(model, scales_, options.accuracy, options.parameters),
      switch_times_(collect_switch_times(model)),
      equations_(model, options.quergs, options.reactions),
      projection_(equations_.bodies(), options.parameters.projection),
      methods_(*options.method, equations_.size(), options.parameters.newton,
               [this](const double* change) { return norm_.measure(change, y_, share_); }),
      limits_(model, equations_, options.accuracy, scales_.time, options.parameters) {
  TUMBLE_REQUIRE(options.accuracy >= kFinestAccuracy && options.accuracy <= kCoarsestAccuracy,
                 "accuracy must lie between 1e-13 and 0.1");
  TUMBLE_REQUIRE(!options.fixed_step || *options.fixed_step > 0, "a fixed step must be positive");
  TUMBLE_REQUIRE(options.fixed_step || options.method->error_exponent > 0,
                 "this method has no error estimate and needs a fixed step");
  if (options.baumgarte) equations_.set_feedback(*options.baumgarte);
}

StepReport RungeKuttaStepper::step(State& state, RungeKuttaMemory& memory) {
  const RungeKuttaParameters& par = options_.parameters;
  const std::optional<double>& fixed = options_.fixed_step;
  const double t = state.time, T = scales_.time;
  begin(state, memory);
  dynamics::StepMethod& method = methods_.in_use();

  StepReport report;
  if (memory.next_step == 0)
    memory.next_step = fixed ? *fixed : choose_first_step(norm_, par, T, t, y_, method, equations_);
  Trial trial{.h = fixed ? *fixed : std::min(memory.next_step, par.longest_step * T)};
  while (true) {
    set_end(t, trial);
    if (!(trial.end > t) || (!fixed && memory.tiny_steps > par.max_tiny_steps)) {  // a step must move time
      if (trial.end > t) attempt(t, trial);                                        // finds the body to name
      return fail(trial.finite ? StepStatus::step_too_small : StepStatus::not_finite, trial, report);
    }
    attempt(t, trial);
    const double error = trial.error.error, exponent = 1.0 / std::max(1, method.error_exponent());
    if (!(error <= 1)) {
      if (fixed) return fail(StepStatus::not_finite, trial, report);
      ++report.rejected;
      trial.meets_limit = false;  // a shorter step ends before the event
      trial.h *= std::isfinite(error) ? std::max(par.largest_shrink, par.safety * math::pow(error, -exponent))
                                      : par.largest_shrink;
      continue;
    }
    if (!limits_.empty() && !trial.meets_limit) {
      const double part = limits_.find_event(method, t, trial.taken, y_.size());
      trial.meets_limit = part < 1;
      if (trial.meets_limit) {
        trial.h = part * trial.taken;  // the same motion, up to the event
        continue;
      }
    }
    std::copy(method.result().begin(), method.result().end(), y_.begin());
    report.joint = close_joints(trial.reaches_switch ? std::nextafter(trial.end, -kNever) : trial.end);
    if (report.joint) {  // the step is too long, or the joints contradict each other
      load(state, memory);
      ++report.rejected;
      trial.meets_limit = false;
      trial.h = fixed ? 0 : par.largest_shrink * trial.taken;
      continue;
    }
    report.h = trial.taken;
    report.implicit = memory.implicit;
    path_.start = t, path_.end = trial.end;
    finish_step(trial, memory, report);
    if (report.joint) return fail(StepStatus::joints_open, trial, report);
    equations_.layout().store(y_, trial.end, state);
    if (!fixed) choose_next_step(par, trial.taken, error, exponent, report.rejected > 0, memory);
    memory.tiny_steps = trial.taken < par.tiny_step * T ? memory.tiny_steps + 1 : 0;
    if (trial.reaches_switch || trial.meets_limit)
      memory.next_step = memory.last_error = 0;  // the motion after a switch has its own time scale
    return report;
  }
}

// Prepares y_, equations and method for a step from `state`.
void RungeKuttaStepper::begin(const State& state, RungeKuttaMemory& memory) {
  const double t = state.time, next_switch = find_next_switch(switch_times_, t);
  // The slope at the end of the last step is reused if this step starts there and no force was switched.
  const bool continues = load(state, memory) && next_switch == path_.smooth_until && memory.next_step > 0;
  path_.smooth_until = next_switch;
  equations_.set_smooth_until(next_switch);
  if (!limits_.empty()) path_.limits = memory.active_limits;
  choose_method(continues, memory);
  const bool may_be_stiff = !options_.fixed_step && options_.method == &dynamics::dormand_prince_8() &&
                            !options_.baumgarte && !model_->forces().empty() && memory.next_step != 0;
  if (may_be_stiff &&
      update_stiffness(norm_, options_.parameters, t, y_, methods_.in_use(), equations_, memory))
    choose_method(true, memory);
}

void RungeKuttaStepper::restart_from(const State& state, RungeKuttaMemory& memory) {
  memory.next_step = memory.last_error = 0;
  memory.slope.clear(), memory.slope_at.clear();
  if (memory.active_limits.empty()) return;
  load(state, memory);
  equations_.set_smooth_until(find_next_switch(switch_times_, state.time));
  limits_.release(state.time, y_.data());
  memory.active_limits = equations_.active_limits();
}

// Chooses the method of the next step and prepares it to start at y_.
void RungeKuttaStepper::choose_method(bool continues, RungeKuttaMemory& memory) {
  methods_.choose(memory.implicit, continues);
  if (memory.implicit && memory.slope_at == y_) methods_.implicit().start_with(memory.slope);
}

// Sets the end of a trial of length trial.h: exactly at the next switch, and not just before it, unless an
// event is there.
void RungeKuttaStepper::set_end(double t, Trial& trial) const {
  const double next_switch = path_.smooth_until, left = next_switch - t;
  trial.reaches_switch = trial.h >= left;
  if (trial.reaches_switch)
    trial.h = left;
  else if (!options_.fixed_step && !trial.meets_limit && trial.h > 0.5 * left)
    trial.h = 0.5 * left;
  // The step taken is the difference of the times. Otherwise a fast spin accumulates the rounding of
  // thousands of sums. A fixed step stays as requested.
  trial.end = trial.reaches_switch ? next_switch : t + trial.h;
  trial.taken = options_.fixed_step ? trial.h : trial.end - t;
}

void RungeKuttaStepper::attempt(double t, Trial& trial) {
  share_ = std::min(1.0, trial.taken / scales_.time);
  dynamics::StepMethod& method = methods_.in_use();
  const bool solved = method.try_step(equations_, t, y_.data(), trial.taken);
  const BodyId worst = trial.error.worst;
  if (!solved)
    trial.error = {.error = kNever, .worst = worst, .by_rounding = trial.error.by_rounding};
  else if (options_.fixed_step)
    trial.error = check_finite(method.result(), model_->bodies().size());
  else
    trial.error = norm_.measure_step(method, y_, share_);
  if (!trial.error.worst.valid()) trial.error.worst = worst;
  if (!(trial.error.error <= 1)) trial.finite = std::isfinite(trial.error.error) || !solved;
}

// Closes the joints of y_. Returns the joint that stays open if they cannot all be closed.
const model::Constraint* RungeKuttaStepper::close_joints(double t) {
  if (!closes_joints()) return nullptr;
  const RungeKuttaParameters& par = options_.parameters;
  const dynamics::JointGap left = projection_.project(t, y_.data(), hinge_angles());
  if (!left.widest) return nullptr;
  const double* x = &y_[left.widest->b().index() * kBodySize];
  const double rounding = 4 * par.round_off * (std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]));
  return left.error <= par.open_joint * model_->size_of(*left.widest) + rounding ? nullptr : left.widest;
}

// Accepts the step whose joints are closed, then applies the events at its end.
void RungeKuttaStepper::finish_step(const Trial& trial, RungeKuttaMemory& memory, StepReport& report) {
  const RungeKuttaParameters& par = options_.parameters;
  const double h = path_.end - path_.start;
  const bool adaptive = !options_.fixed_step;
  memory.time_at_rounding = adaptive && trial.error.by_rounding ? memory.time_at_rounding + h : 0;
  if (memory.time_at_rounding > par.starting_time * scales_.time) limited_by_rounding_ = true;
  project_rotations(norm_, par, adaptive ? norm_.tolerance() * std::min(1.0, h / scales_.time) : 0,
                    equations_, y_, memory);
  equations_.update_counted_angles(y_.data());
  methods_.in_use().accept_at(y_.data());  // events come after the step and are not visible inside it
  if (!memory.slope.empty()) memory.slope.clear(), memory.slope_at.clear();
  if (memory.implicit && !trial.reaches_switch && !trial.meets_limit) {
    const std::span<const double> slope = methods_.implicit().end_slope();
    memory.slope.assign(slope.begin(), slope.end());
    memory.slope_at = y_;
  }
  const bool script_jumps = trial.reaches_switch && !model_->moving_constraints().empty();
  if (script_jumps) {
    equations_.set_active_limits({});  // limits never pull; impacts at them follow below
    equations_.apply_script_jump(path_.end, y_.data());
  }
  if (trial.meets_limit || (script_jumps && !limits_.empty())) {
    report.impacts = limits_.resolve_event(path_.end, y_.data());
    report.joint = limits_.overrun();
    if (report.joint) return;
    memory.active_limits = equations_.active_limits();
    methods_.in_use().restart();
  }
  path_.y_end = y_;
}

StepReport RungeKuttaStepper::fail(StepStatus status, const Trial& trial, StepReport report) {
  report.status = report.joint ? StepStatus::joints_open : status;
  report.body = report.joint ? BodyId() : trial.error.worst;
  // The trial has overwritten the last good step: its dense output is lost.
  methods_.in_use().restart();
  path_.start = kNever;
  return report;
}

bool RungeKuttaStepper::load(const State& state, RungeKuttaMemory& memory) {
  TUMBLE_REQUIRE(state.hinge_angles.size() == model_->counted_hinges().size(),
                 "the state lacks the angles of hinges that count turns; start from start_state()");
  TUMBLE_REQUIRE(!options_.reactions || state.impulses.empty() ||
                     state.impulses.size() == model_->joints().size() * model::kReactionSize,
                 "the impulses belong to another model");
  TUMBLE_REQUIRE(
      state.y.size() == model_->bodies().size() * kBodySize && state.work.size() == model_->work_count(),
      "the state belongs to another model");
  const size_t bodies = model_->bodies().size();
  if (memory.reduced_energy.size() != bodies) {  // another memory, or the first step
    memory.reduced_energy.resize(bodies);
    memory.energy_reference.resize(bodies);
  }
  equations_.layout().load(state, memory.reduced_energy, y_);
  for (size_t i = 0; i < bodies; ++i) equations_.set_reference(i, memory.energy_reference[i]);
  equations_.set_active_limits(memory.active_limits);
  if (state.time == path_.end && y_ == path_.y_end) return true;
  for (size_t i = 0; i < bodies; ++i) update_reduced_energy(i, options_.parameters, equations_, y_, memory);
  return false;
}

void RungeKuttaStepper::state_at(double time, State& state) {
  TUMBLE_REQUIRE(path_.start <= time && time <= path_.end, "state_at() is for times inside the last step");
  if (time == path_.end) {
    y_ = path_.y_end;
  } else {
    // Stay on the side of the switch that the step was made on.
    equations_.set_smooth_until(path_.smooth_until);
    if (!limits_.empty()) equations_.set_active_limits(path_.limits);
    methods_.in_use().interpolate(equations_, (time - path_.start) / (path_.end - path_.start), y_.data());
    if (closes_joints()) projection_.project(time, y_.data(), hinge_angles());
    equations_.update_counted_angles(y_.data());
  }
  equations_.layout().store(y_, time, state);
}

}  // namespace tumble::simulate
