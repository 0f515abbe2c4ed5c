// The statistics of a run: counters of its steps, extremes of energy, joint errors and penetration. The
// summary shows them.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "tumble/core/named_number.h"
#include "tumble/dynamics/energy.h"
#include "tumble/simulate/step_report.h"

namespace tumble::simulate {

/// One counter of steps. To add one, add a line to kCounters; archive and summary follow from it.
struct StepCounter {
  std::string_view name;  // key in the summary
  enum class Combine { sum, largest } combine;
  bool whole;                            // a count; else a real number
  double (*of)(const StepReport& step);  // contribution of one step
};

inline constexpr StepCounter kCounters[] = {
    {"steps", StepCounter::Combine::sum, true, [](const StepReport&) { return 1.0; }},
    {"rejected_steps", StepCounter::Combine::sum, true,
     [](const StepReport& s) { return double(s.rejected); }},
    {"implicit_steps", StepCounter::Combine::sum, true,
     [](const StepReport& s) { return double(s.implicit); }},
    {"substeps", StepCounter::Combine::sum, true, [](const StepReport& s) { return double(s.substeps); }},
    {"holds", StepCounter::Combine::sum, true, [](const StepReport& s) { return double(s.holds); }},
    {"freezes", StepCounter::Combine::sum, true, [](const StepReport& s) { return double(s.freezes); }},
    // No method changes during a run yet. The key is part of the summary's contract.
    {"handovers", StepCounter::Combine::sum, true, [](const StepReport&) { return 0.0; }},
    {"impacts", StepCounter::Combine::sum, true, [](const StepReport& s) { return double(s.impacts); }},
    {"max_contacts", StepCounter::Combine::largest, true,
     [](const StepReport& s) { return double(s.contacts); }},
    {"max_contact_residual", StepCounter::Combine::largest, false,
     [](const StepReport& s) { return s.residual; }},
    {"residual", StepCounter::Combine::largest, false, [](const StepReport& s) { return s.residual; }},
    {"residual_at_rest", StepCounter::Combine::largest, false,
     [](const StepReport& s) { return s.impacts > 0 ? 0 : s.residual; }},
    {"unlocated_impacts", StepCounter::Combine::sum, true,
     [](const StepReport& s) { return double(s.unlocated_impacts); }},
    {"impact_loss", StepCounter::Combine::sum, false, [](const StepReport& s) { return s.impact_loss; }},
    {"numerical_loss", StepCounter::Combine::sum, false,
     [](const StepReport& s) { return s.numerical_loss; }},
    {"factorisations", StepCounter::Combine::sum, true,
     [](const StepReport& s) { return double(s.factorisations); }},
};

/// For how many steps in a row something has gone on.
struct Streaks {
  int frozen_steps = 0;     // holding bodies spread to further bodies
  int open_steps = 0;       // a joint was open beyond its tolerance
  int short_windows = 0;    // windows of kWindow steps that were a thousand times too short
  double longest_step = 0;  // s, so far; at most `longest_counted`
  double longest_counted = std::numeric_limits<double>::infinity();  // s
  int window_steps = 0;                                              // of the present window
  double window_seconds = 0;                                         // simulated

  static constexpr int kWindow = 1000;
  static constexpr double kTooShort = 1e-3;  // mean step of a window, in longest steps

  void count(const StepReport& step);
  void count_joints(bool open) { open_steps = open ? open_steps + 1 : 0; }
};

template <class Archive>
void archive(Archive& ar, Streaks& s) {
  ar(s.frozen_steps, s.open_steps, s.short_windows, s.longest_step, s.longest_counted, s.window_steps,
     s.window_seconds);
}

class RunStatistics {
 public:
  RunStatistics() = default;
  /// Starts a run with this energy. `least_scale`: J, of energy_scale(). `time_scale`: s, of the scene.
  /// Longer steps, as in free flight, are no measure of those that follow.
  explicit RunStatistics(const dynamics::Balance& start, double least_scale = 0,
                         double time_scale = std::numeric_limits<double>::infinity());

  void count_step(const StepReport& step);
  /// Adds the energy of a state of the run, and its largest joint error, m.
  void add_balance(const dynamics::Balance& balance, double joint_error = 0);
  void count_joints(bool open) { streaks_.count_joints(open); }
  const Streaks& streaks() const { return streaks_; }
  /// The model was changed, and the energy of the same state changed by `jump` J. That is no error of the
  /// steps.
  void shift_energy(double jump) { balance_start_ += jump, least_ += jump, scale_ += std::max(jump, 0.0); }
  /// Adds the result of the penetration check at one time, m.
  void add_penetration(double depth);
  /// Restarts recent_penetration().
  void reset_recent_penetration() { recent_penetration_ = 0; }
  /// Copies the penetrations measured in other statistics of the same run.
  void copy_penetrations(const RunStatistics& other);

  /// Ends with the energy that other statistics of the same run ended with.
  void copy_energy_end(const RunStatistics& other) { energy_end_ = other.energy_end_; }

  /// A counter by its name in kCounters. An unknown name is an error of the caller.
  double count(std::string_view name) const;

  double energy_start() const { return energy_start_; }  // J
  double energy_end() const { return energy_end_; }      // J
  /// J: the largest kinetic energy that the balance allows at any time, (energy - work) at the start + work -
  /// potential energy, but at least `least_scale`. The kinetic energy itself is not in it: an explosion does
  /// not hide itself.
  double energy_scale() const { return scale_; }
  /// Largest rise of (energy - work) above its least value so far, relative to energy_scale(). Energy that
  /// changes of the model add between steps does not count.
  double max_energy_gain() const { return relative(gain_); }
  /// Largest distance of (energy - work) from its start, likewise.
  double max_energy_drift() const { return relative(drift_); }
  double max_joint_error() const { return joint_error_; }            // m
  double max_penetration() const { return penetration_; }            // m
  double recent_penetration() const { return recent_penetration_; }  // m, since the last log row

  /// Everything, by its key in the summary and in that order.
  std::vector<core::NamedNumber> values() const;

 private:
  double relative(double energy) const { return scale_ == 0 ? 0 : energy / scale_; }

  template <class Archive>
  friend void archive(Archive& ar, RunStatistics& s) {
    ar(s.counts_, s.energy_start_, s.energy_end_, s.balance_start_, s.least_, s.gain_, s.drift_, s.scale_,
       s.joint_error_, s.penetration_, s.recent_penetration_, s.streaks_);
  }

  std::array<double, std::size(kCounters)> counts_ = {};  // like kCounters
  double energy_start_ = 0, energy_end_ = 0;              // J
  double balance_start_ = 0, least_ = 0;  // J, energy less work: at the start, and the least so far
  double gain_ = 0, drift_ = 0;           // J
  double scale_ = 0;                      // J
  double joint_error_ = 0;                // m
  double penetration_ = 0, recent_penetration_ = 0;  // m
  Streaks streaks_;
};

}  // namespace tumble::simulate
