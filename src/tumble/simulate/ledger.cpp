#include "tumble/simulate/ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tumble/core/require.h"

namespace tumble::simulate {

Ledger::Ledger(const dynamics::Balance& start)
    : energy_start_(start.energy()),
      energy_end_(start.energy()),
      balance_start_(start.energy() - start.work),
      least_(balance_start_),
      largest_kinetic_(start.kinetic) {}

Ledger::Ledger(const std::vector<double>& n) {
  TUMBLE_REQUIRE(n.size() == 14, "a ledger has fourteen numbers");
  steps_ = n[0], rejected_ = n[1], energy_start_ = n[2], energy_end_ = n[3], balance_start_ = n[4];
  least_ = n[5], gain_ = n[6], drift_ = n[7], largest_kinetic_ = n[8], joint_error_ = n[9], impacts_ = n[10];
  implicit_ = n[11], penetration_ = n[12], recent_penetration_ = n[13];
}

std::vector<double> Ledger::numbers() const {
  return {steps_,   rejected_, energy_start_, energy_end_,        balance_start_,
          least_,   gain_,     drift_,        largest_kinetic_,   joint_error_,
          impacts_, implicit_, penetration_,  recent_penetration_};
}

void Ledger::count_step(const StepReport& report) {
  steps_ += 1;
  rejected_ += report.rejected;
  impacts_ += report.impacts;
  implicit_ += report.implicit ? 1 : 0;
}

namespace {

// The larger one, and NaN if either is: no trouble may hide behind a comparison.
double larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace

void Ledger::enter(const dynamics::Balance& balance, double joint_error) {
  const double now = balance.energy() - balance.work;
  energy_end_ = balance.energy();
  least_ = std::min(least_, now);
  gain_ = larger(gain_, now - least_);
  drift_ = larger(drift_, std::abs(now - balance_start_));
  largest_kinetic_ = larger(largest_kinetic_, balance.kinetic);
  joint_error_ = larger(joint_error_, joint_error);
}

void Ledger::enter_penetration(double depth) {
  penetration_ = larger(penetration_, depth);
  recent_penetration_ = larger(recent_penetration_, depth);
}

double Ledger::take_penetration() { return std::exchange(recent_penetration_, 0.0); }

void Ledger::copy_penetrations(const Ledger& other) {
  penetration_ = other.penetration_;
  recent_penetration_ = other.recent_penetration_;
}

}  // namespace tumble::simulate
