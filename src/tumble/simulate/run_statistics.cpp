#include "tumble/simulate/run_statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tumble/core/require.h"

namespace tumble::simulate {

RunStatistics::RunStatistics(const dynamics::Balance& start)
    : energy_start_(start.energy()),
      energy_end_(start.energy()),
      balance_start_(start.energy() - start.work),
      least_(balance_start_),
      largest_kinetic_(start.kinetic) {}

RunStatistics::RunStatistics(const std::vector<double>& n) {
  std::apply(
      [&](auto&... member) {
        TUMBLE_REQUIRE(n.size() == sizeof...(member), "a ledger has as many numbers as it gave");
        auto next = n.begin();
        ((member = *next++), ...);
      },
      members());
}

std::vector<double> RunStatistics::numbers() const {
  RunStatistics copy = *this;
  return std::apply([](const auto&... member) { return std::vector<double>{member...}; }, copy.members());
}

namespace {

// The larger one, and NaN if either is: no trouble may hide behind a comparison.
double larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace

void RunStatistics::count_step(const StepOutcome& step) {
  steps_ += 1;
  rejected_ += step.rejected;
  impacts_ += step.impacts;
  implicit_ += step.implicit ? 1 : 0;
  substeps_ += step.substeps;
  holds_ += step.holds;
  freezes_ += step.freezes;
  factorisations_ += step.factorisations;
  contacts_ = std::max(contacts_, static_cast<double>(step.contacts));
  residual_ = larger(residual_, step.residual);
}

void RunStatistics::enter(const dynamics::Balance& balance, double joint_error) {
  const double now = balance.energy() - balance.work;
  energy_end_ = balance.energy();
  least_ = std::min(least_, now);
  gain_ = larger(gain_, now - least_);
  drift_ = larger(drift_, std::abs(now - balance_start_));
  largest_kinetic_ = larger(largest_kinetic_, balance.kinetic);
  joint_error_ = larger(joint_error_, joint_error);
}

void RunStatistics::enter_penetration(double depth) {
  penetration_ = larger(penetration_, depth);
  recent_penetration_ = larger(recent_penetration_, depth);
}

double RunStatistics::take_penetration() { return std::exchange(recent_penetration_, 0.0); }

void RunStatistics::copy_penetrations(const RunStatistics& other) {
  penetration_ = other.penetration_;
  recent_penetration_ = other.recent_penetration_;
}

}  // namespace tumble::simulate
