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

  overrun_ = nullptr;
  if (!hit.empty() && !apply_impulses(t, touching, hit, before, y))
    overrun_ = model_->limits()[static_cast<size_t>(hit.front())].get();

  // A limit that is still approached with much of its speed was not stopped.
  equations_->evaluate_limits(t, y, limits_);
  for (const int k : hit)
    if (limits_[static_cast<size_t>(k)].rate < par_.overrun_speed * before[static_cast<size_t>(k)].rate)
      overrun_ = model_->limits()[static_cast<size_t>(k)].get();

  // The limits that act from here on: those that neither open nor pull.
  std::vector<int> resting;
  for (const int k : touching)
    if (std::abs(limits_[static_cast<size_t>(k)].rate) <= least_speed_of(static_cast<size_t>(k)))
      resting.push_back(k);
  bool chosen = choose_active(t, y, resting);
  const size_t at_rest = resting.size();
  while (add_returning(t, touching, resting)) chosen = choose_active(t, y, resting);
  if (!chosen && !overrun_) overrun_ = model_->limits()[static_cast<size_t>(resting.front())].get();
  if (resting.size() > at_rest) {
    equations_->apply_impact(t, y, std::vector<double>(equations_->active_limits().size(), 0.0));
  }
  return static_cast<int>(hit.size());
}

// Impulses that give each limit that is hit its speed after a bounce. With different coefficients of
// restitution that may give energy: then the velocities are a mean of those and of the ones without
// restitution, which never give any, such that none is given.
bool LimitEvents::apply_impulses(double t, const std::vector<int>& touching, const std::vector<int>& hit,
                                 const std::vector<LimitState>& before, double* y) {
  std::vector<double> speeds(before.size(), 0.0);
  bool bounces = false;
  for (const int k : hit) {
    const auto i = static_cast<size_t>(k);
    // Bounces too low to be seen are suppressed: u^2 < 2 a (A size), a = size / T^2
    const double back = -model_->limits()[i]->restitution() * before[i].rate;
    const double least = math::sqrt(2 * accuracy_) * dynamics::unit_of_limit(*model_, i) / time_;
    if (back < least) continue;
    speeds[i] = back;
    bounces = true;
  }
  const std::vector<double> start(y, y + equations_->size());
  if (!apply_impulses(t, touching, speeds, start, y)) return false;
  const double kept = equations_->compute_kinetic_balance(start.data());
  const double gain = equations_->compute_kinetic_balance(y) - kept;
  if (!bounces || !(gain > par_.limit_round_off * std::abs(kept))) return true;
  const std::vector<double> elastic(y, y + equations_->size());
  if (!apply_impulses(t, touching, std::vector<double>(before.size(), 0.0), start, y)) return false;
  const std::vector<double> inelastic(y, y + equations_->size());
  const auto mix = [&](double share) {
    for (size_t i = 0; i < start.size(); ++i) y[i] = inelastic[i] + share * (elastic[i] - inelastic[i]);
    return equations_->compute_kinetic_balance(y) - kept;
  };
  // The energy is quadratic in the share: f0 + f1 s + f2 s^2, negative at 0 and positive at 1.
  const double at_0 = mix(0), at_half = mix(0.5);
  const double f2 = 2 * (gain + at_0 - 2 * at_half), f1 = gain - at_0 - f2;
  mix(std::clamp(-2 * at_0 / (f1 + math::sqrt(std::max(0.0, f1 * f1 - 4 * f2 * at_0))), 0.0, 1.0));
  return true;
}

// Impulses with which no limit is slower than `speeds` (by limit), and which act only where it is not faster.
bool LimitEvents::apply_impulses(double t, const std::vector<int>& touching,
                                 const std::vector<double>& speeds, const std::vector<double>& start,
                                 double* y) {
  std::vector<int> acting;
  std::vector<double> wanted;
  return solve_complementarity(
      touching,
      [&](std::vector<int>& wrong) {
        std::copy(start.begin(), start.end(), y);
        equations_->set_active_limits(acting);
        wanted.clear();
        for (const int k : acting) wanted.push_back(speeds[static_cast<size_t>(k)]);
        equations_->apply_impact(t, y, wanted);
        for (size_t i = 0; i < acting.size(); ++i)
          if (equations_->limit_reaction(i) < 0) wrong.push_back(acting[i]);
        equations_->evaluate_limits(t, y, limits_);
        for (const int k : touching) {
          const auto i = static_cast<size_t>(k);
          if (!std::binary_search(acting.begin(), acting.end(), k) &&
              limits_[i].rate < speeds[i] - least_speed_of(i))
            wrong.push_back(k);
        }
      },
      acting);
}

// Limits that open so slowly that they are back at once rest, too. An event is located up to the slack, which
// gives the impact there a speed. Without this rule limits that are pressed at once would take turns, each
// opened by the impact at another. Uses the slope of the last choose_active().
bool LimitEvents::add_returning(double t, const std::vector<int>& touching, std::vector<int>& resting) {
  bool any = false;
  for (const int k : touching) {
    const auto i = static_cast<size_t>(k);
    if (std::binary_search(resting.begin(), resting.end(), k) || !(limits_[i].rate > least_speed_of(i)))
      continue;
    const double acceleration = equations_->limit_acceleration(t, i).value,
                 rest = par_.limit_rest * dynamics::unit_of_limit(*model_, i);
    if (acceleration >= 0 || math::square(limits_[i].rate) > -2 * acceleration * rest) continue;
    resting.insert(std::lower_bound(resting.begin(), resting.end(), k), k);
    any = true;
  }
  return any;
}

void LimitEvents::release(double t, const double* y) {
  equations_->evaluate_limits(t, y, limits_);
  std::vector<int> touching = equations_->active_limits();
  std::erase_if(touching, [&](int k) {
    return !dynamics::is_limit_reached(limits_[static_cast<size_t>(k)].value,
                                       slack_of(static_cast<size_t>(k)));
  });
  choose_active(t, y, touching);
}

// Without a solution no limit acts, and the function returns false.
bool LimitEvents::choose_active(double t, const double* y, const std::vector<int>& candidates) {
  slope_.resize(equations_->size());
  std::vector<int> acting;
  const bool solved = solve_complementarity(
      candidates,
      [&](std::vector<int>& wrong) {
        equations_->set_active_limits(acting);
        equations_->compute_slope(t, y, slope_.data());
        for (size_t i = 0; i < acting.size(); ++i)
          if (equations_->limit_reaction(i) <= 0) wrong.push_back(acting[i]);
        for (const int k : candidates) {
          if (std::binary_search(acting.begin(), acting.end(), k)) continue;
          const auto [value, terms] = equations_->limit_acceleration(t, static_cast<size_t>(k));
          if (value < -par_.limit_acceleration * terms) wrong.push_back(k);
        }
      },
      acting);
  if (!solved) acting.clear();
  equations_->set_active_limits(acting);
  return solved;
}

// Finds the candidates that act: those push, and the others open or stay. Principal pivoting: the first
// candidate with the wrong sign, of its force or of its motion, changes sides until none is wrong. This ends
// if the candidates are independent [Murty 1974]. Dependent ones, e.g. the same limit twice, do not act
// together, because the motion of the second is not wrong. Where one is wrong on either side, force and
// motion are rounding, and it does not act. `is_wrong` lists the candidates that are wrong if `acting` act.
// Returns false if it does not end.
template <typename Evaluate>
bool LimitEvents::solve_complementarity(const std::vector<int>& candidates, Evaluate&& is_wrong,
                                        std::vector<int>& acting) {
  acting.clear();
  std::vector<int> wrong;
  int changed = -1;  // the last candidate that changed sides, if it was the only wrong one
  for (size_t pivots = 0; pivots <= par_.limit_pivots * (candidates.size() + 1); ++pivots) {
    wrong.clear();
    is_wrong(wrong);
    if (wrong.empty()) return true;
    const int first = *std::min_element(wrong.begin(), wrong.end());
    const auto at = std::lower_bound(acting.begin(), acting.end(), first);
    const bool acts = at != acting.end() && *at == first, only = wrong.size() == 1;
    if (only && first == changed && !acts) return true;
    acts ? void(acting.erase(at)) : void(acting.insert(at, first));
    changed = only ? first : -1;
  }
  return false;
}

}  // namespace tumble::simulate
