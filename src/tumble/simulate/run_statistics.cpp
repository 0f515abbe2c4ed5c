#include "tumble/simulate/run_statistics.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"

namespace tumble::simulate {

void Streaks::count(const StepReport& step) {
  frozen_steps = step.freezes > 0 ? frozen_steps + 1 : 0;
  longest_step = std::min(std::max(longest_step, step.h), longest_counted);
  window_seconds += step.h;
  if (++window_steps < kWindow) return;
  short_windows = window_seconds < kTooShort * kWindow * longest_step ? short_windows + 1 : 0;
  window_steps = 0, window_seconds = 0;
}

RunStatistics::RunStatistics(const dynamics::Balance& start, double least_scale, double time_scale)
    : energy_start_(start.energy()),
      energy_end_(start.energy()),
      balance_start_(start.energy() - start.work),
      least_(balance_start_),
      scale_(std::max(start.kinetic, least_scale)) {
  streaks_.longest_counted = time_scale;
}

void RunStatistics::count_step(const StepReport& step) {
  streaks_.count(step);
  for (size_t i = 0; i < counts_.size(); ++i) {
    const double value = kCounters[i].of(step);
    counts_[i] = kCounters[i].combine == StepCounter::Combine::sum ? counts_[i] + value
                                                                   : math::max_or_nan(counts_[i], value);
  }
}

void RunStatistics::add_balance(const dynamics::Balance& balance, double joint_error) {
  const double now = balance.energy() - balance.work;
  energy_end_ = balance.energy();
  least_ = std::min(least_, now);
  gain_ = math::max_or_nan(gain_, now - least_);
  drift_ = math::max_or_nan(drift_, std::abs(now - balance_start_));
  scale_ = math::max_or_nan(scale_, balance_start_ + balance.work - balance.potential);
  joint_error_ = math::max_or_nan(joint_error_, joint_error);
}

void RunStatistics::add_penetration(double depth) {
  penetration_ = math::max_or_nan(penetration_, depth);
  recent_penetration_ = math::max_or_nan(recent_penetration_, depth);
}

void RunStatistics::copy_penetrations(const RunStatistics& other) {
  penetration_ = other.penetration_;
  recent_penetration_ = other.recent_penetration_;
}

double RunStatistics::count(std::string_view name) const {
  const auto known =
      std::find_if(std::begin(kCounters), std::end(kCounters), [&](const auto& c) { return c.name == name; });
  TUMBLE_REQUIRE(known != std::end(kCounters), "there is no counter of that name");
  return counts_[static_cast<size_t>(known - std::begin(kCounters))];
}

std::vector<core::NamedNumber> RunStatistics::values() const {
  std::vector<core::NamedNumber> values;
  for (size_t i = 0; i < counts_.size(); ++i)
    values.push_back({std::string(kCounters[i].name), counts_[i], kCounters[i].whole});
  values.push_back({"energy_start", energy_start()});
  values.push_back({"energy_end", energy_end()});
  values.push_back({"energy_scale", energy_scale()});
  values.push_back({"max_energy_gain", max_energy_gain()});
  values.push_back({"max_energy_drift", max_energy_drift()});
  values.push_back({"max_energy_gain_joules", gain_});
  values.push_back({"max_energy_drift_joules", drift_});
  values.push_back({"max_penetration", max_penetration()});
  values.push_back({"max_joint_error", max_joint_error()});
  return values;
}

}  // namespace tumble::simulate
