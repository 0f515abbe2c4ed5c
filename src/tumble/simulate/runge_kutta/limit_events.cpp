#include "tumble/simulate/runge_kutta/limit_events.h"

#include <algorithm>
#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::simulate {

using dynamics::LimitState;

LimitEvents::LimitEvents(const model::Model& model, dynamics::EquationsOfMotion& equations, double accuracy,
                         double time, const RungeKuttaParameters& parameters)
    : model_(&model), equations_(&equations), accuracy_(accuracy), time_(time), par_(parameters) {}

bool LimitEvents::is_active(int limit) const {
  const std::vector<int>& active = equations_->active_limits();
  return std::binary_search(active.begin(), active.end(), limit);
}

bool LimitEvents::is_any_passed(const std::vector<LimitState>& limits) const {
  for (size_t k = 0; k < limits.size(); ++k)
    if (limits[k].rate < 0 && dynamics::is_limit_passed(limits[k].value, slack_of(k)) &&
        !is_active(static_cast<int>(k)))
      return true;
  return false;
}

bool LimitEvents::is_any_pulling(double t, const double* y) {
  if (equations_->active_limits().empty()) return false;
  slope_.resize(equations_->size());
  equations_->compute_slope(t, y, slope_.data());
  for (size_t k = 0; k < equations_->active_limits().size(); ++k)
    if (equations_->limit_reaction(k) < 0) return true;
  return false;
}

double LimitEvents::find_event(dynamics::StepMethod& method, double t, double h, size_t size) {
  y_.resize(size);
  const auto is_free = [&](double x) {
    if (x >= 1)
      std::copy(method.result().begin(), method.result().end(), y_.begin());
    else
      method.interpolate(*equations_, x, y_.data());
    equations_->evaluate_limits(t + x * h, y_.data(), limits_);
    return !is_any_passed(limits_) && !is_any_pulling(t + x * h, y_.data());
  };
  // Check a few times inside the step, then bisect the first interval that is not free.
  for (int i = 1; i <= par_.limit_samples; ++i) {
    double free = static_cast<double>(i - 1) / par_.limit_samples,
           not_free = static_cast<double>(i) / par_.limit_samples;
    if (is_free(not_free)) continue;
    while (true) {
      const double middle = 0.5 * (free + not_free);
      if (middle == free || middle == not_free || (not_free - free) * h < par_.limit_time * time_)
        return not_free;
      (is_free(middle) ? free : not_free) = middle;
    }
  }
  return 1;
}

int LimitEvents::resolve_event(double t, double* y) {
  // Touching limits: those at their bound, and those that are already active.
  equations_->evaluate_limits(t, y, limits_);
  std::vector<int> touching, hit;
  for (size_t k = 0; k < limits_.size(); ++k) {
    const bool near = dynamics::is_limit_reached(limits_[k].value, slack_of(k));
    if (is_active(static_cast<int>(k)) || near) touching.push_back(static_cast<int>(k));
  }
  const std::vector<LimitState> before = limits_;
  const auto approaches = [&](int k) {
    return before[static_cast<size_t>(k)].rate < -least_speed_of(static_cast<size_t>(k));
  };
  std::copy_if(touching.begin(), touching.end(), std::back_inserter(hit), approaches);

  // Impulses only push: limits that would pull are removed, limits that others drive into are added.
  std::vector<double> start(y, y + equations_->size()), speeds;
  std::vector<int> acting = hit;
  for (size_t round = 0; !hit.empty() && round <= 2 * touching.size(); ++round) {
    std::copy(start.begin(), start.end(), y);
    equations_->set_active_limits(acting);
    speeds.clear();
    for (const int k : acting) {
      const double rate = before[static_cast<size_t>(k)].rate,
                   unit = dynamics::unit_of_limit(*model_, static_cast<size_t>(k));
      // Bounces too low to be seen are suppressed: u^2 < 2 a (A size), a = size / T^2
      const double back = -model_->limits()[static_cast<size_t>(k)]->restitution() * std::min(rate, 0.0);
      const double least = math::sqrt(2 * accuracy_) * unit / time_;
      speeds.push_back(back < least ? 0 : back);
    }
    equations_->apply_impact(t, y, speeds);
    std::vector<int> next;
    for (size_t i = 0; i < acting.size(); ++i)
      if (equations_->limit_reaction(i) >= 0) next.push_back(acting[i]);
    const bool dropped = next.size() < acting.size();
    equations_->evaluate_limits(t, y, limits_);
    for (const int k : touching)
      if (!dropped && !std::binary_search(acting.begin(), acting.end(), k) &&
          limits_[static_cast<size_t>(k)].rate < -least_speed_of(static_cast<size_t>(k)))
        next.push_back(k);
    std::sort(next.begin(), next.end());
    if (next == acting) break;
    acting = std::move(next);
  }

  // A limit that is still approached with much of its speed was not stopped.
  equations_->evaluate_limits(t, y, limits_);
  overrun_ = nullptr;
  for (const int k : hit)
    if (limits_[static_cast<size_t>(k)].rate < par_.overrun_speed * before[static_cast<size_t>(k)].rate)
      overrun_ = model_->limits()[static_cast<size_t>(k)].get();

  // The limits that act from here on: those that neither open nor pull.
  std::vector<int> resting;
  for (const int k : touching)
    if (std::abs(limits_[static_cast<size_t>(k)].rate) <= least_speed_of(static_cast<size_t>(k)))
      resting.push_back(k);
  choose_active(t, y, std::move(resting));
  return static_cast<int>(hit.size());
}

void LimitEvents::release(double t, const double* y) {
  equations_->evaluate_limits(t, y, limits_);
  std::vector<int> touching = equations_->active_limits();
  std::erase_if(touching, [&](int k) {
    return !dynamics::is_limit_reached(limits_[static_cast<size_t>(k)].value,
                                       slack_of(static_cast<size_t>(k)));
  });
  choose_active(t, y, std::move(touching));
}

void LimitEvents::choose_active(double t, const double* y, std::vector<int> candidates) {
  slope_.resize(equations_->size());
  while (true) {
    equations_->set_active_limits(candidates);
    if (candidates.empty()) return;
    equations_->compute_slope(t, y, slope_.data());
    std::vector<int> pushing;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (equations_->limit_reaction(i) > 0) pushing.push_back(candidates[i]);
    if (pushing.size() == candidates.size()) return;
    candidates = std::move(pushing);
  }
}

}  // namespace tumble::simulate
