// The books of a run: what the summary says about steps and energy. Plain numbers, so that a checkpoint can
// keep them.
#pragma once

#include <tuple>
#include <vector>

#include "tumble/dynamics/energy.h"
#include "tumble/simulate/stepper.h"

namespace tumble::simulate {

class RunStatistics {
 public:
  RunStatistics() = default;
  /// The energy at the start.
  explicit RunStatistics(const dynamics::Balance& start);
  /// A ledger as numbers() gave it.
  explicit RunStatistics(const std::vector<double>& numbers);
  std::vector<double> numbers() const;

  void count_step(const StepOutcome& step);
  /// `joint_error`: how far any joint is open then, m.
  void enter(const dynamics::Balance& balance, double joint_error = 0);

  /// What the overlap checker found at one time, m.
  void enter_penetration(double depth);
  /// The deepest since the last call.
  double take_penetration();
  /// Takes over what the checker found for another ledger of the same run.
  void copy_penetrations(const RunStatistics& other);

  size_t steps() const { return static_cast<size_t>(steps_); }
  size_t rejected_steps() const { return static_cast<size_t>(rejected_); }
  size_t impacts() const { return static_cast<size_t>(impacts_); }
  /// Of the steps, those made by the method for stiff motion.
  size_t implicit_steps() const { return static_cast<size_t>(implicit_); }
  size_t substeps() const { return static_cast<size_t>(substeps_); }
  size_t holds() const { return static_cast<size_t>(holds_); }
  size_t freezes() const { return static_cast<size_t>(freezes_); }
  size_t factorisations() const { return static_cast<size_t>(factorisations_); }
  size_t max_contacts() const { return static_cast<size_t>(contacts_); }
  double max_residual() const { return residual_; }
  double energy_start() const { return energy_start_; }
  double energy_end() const { return energy_end_; }
  /// Largest rise of energy less work above its least value so far, as a part of the largest kinetic energy.
  double max_gain() const { return relative(gain_); }
  /// Largest distance of energy less work from its start, likewise.
  double max_drift() const { return relative(drift_); }
  double max_joint_error() const { return joint_error_; }  // m
  double max_penetration() const { return penetration_; }  // m

 private:
  double relative(double energy) const { return largest_kinetic_ == 0 ? 0 : energy / largest_kinetic_; }

  // numbers() in this order.
  auto members() {
    return std::tie(steps_, rejected_, energy_start_, energy_end_, balance_start_, least_, gain_, drift_,
                    largest_kinetic_, joint_error_, impacts_, implicit_, penetration_, recent_penetration_,
                    substeps_, holds_, freezes_, factorisations_, contacts_, residual_);
  }

  double steps_ = 0, rejected_ = 0, impacts_ = 0, implicit_ = 0;
  double substeps_ = 0, holds_ = 0, freezes_ = 0, factorisations_ = 0;
  double contacts_ = 0, residual_ = 0;               // the most, the largest
  double energy_start_ = 0, energy_end_ = 0;         // J
  double balance_start_ = 0, least_ = 0;             // J, energy less work
  double gain_ = 0, drift_ = 0;                      // J
  double largest_kinetic_ = 0;                       // J
  double joint_error_ = 0;                           // m
  double penetration_ = 0, recent_penetration_ = 0;  // m; the second since the last row of the log
};

}  // namespace tumble::simulate
