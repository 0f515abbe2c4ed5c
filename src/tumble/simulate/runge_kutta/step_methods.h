// The explicit method and, from when it is first needed, the implicit one; which of them makes the step at
// hand.
#pragma once

#include <functional>
#include <optional>

#include "tumble/dynamics/integrators/esdirk.h"
#include "tumble/dynamics/integrators/runge_kutta.h"

namespace tumble::simulate {

class StepMethods {
 public:
  /// `norm`: size of a change of y, in units of the error a step may have.
  StepMethods(const dynamics::Tableau& tableau, size_t size, const dynamics::StageNewtonParameters& newton,
              std::function<double(const double*)> norm)
      : explicit_(tableau, size), newton_(newton), norm_(std::move(norm)) {}
  StepMethods(const StepMethods&) = delete;  // it points to its parts
  StepMethods& operator=(const StepMethods&) = delete;

  dynamics::StepMethod& in_use() { return *in_use_; }
  /// Chooses the method of the next step. Unless it continues the last one, by the same method, it begins
  /// anew.
  void choose(bool implicit, bool continues);
  /// The implicit method; only after it was chosen.
  dynamics::Esdirk& implicit() { return *implicit_; }

 private:
  dynamics::RungeKutta explicit_;
  std::optional<dynamics::Esdirk> implicit_;
  const dynamics::StageNewtonParameters newton_;
  const std::function<double(const double*)> norm_;
  dynamics::StepMethod* in_use_ = &explicit_;
};

}  // namespace tumble::simulate
