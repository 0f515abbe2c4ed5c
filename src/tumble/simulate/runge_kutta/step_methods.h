// The explicit method and, created on first use, the implicit one; and the choice between them.
#pragma once

#include <functional>
#include <optional>

#include "tumble/dynamics/integrators/esdirk.h"
#include "tumble/dynamics/integrators/runge_kutta.h"

namespace tumble::simulate {

class StepMethods {
 public:
  /// `norm`: size of a change of y, in units of the step's tolerance.
  StepMethods(const dynamics::Tableau& tableau, size_t size, const dynamics::StageNewtonParameters& newton,
              std::function<double(const double*)> norm)
      : explicit_(tableau, size), newton_(newton), norm_(std::move(norm)) {}
  StepMethods(const StepMethods&) = delete;  // it points to its parts
  StepMethods& operator=(const StepMethods&) = delete;

  dynamics::StepMethod& in_use() { return *in_use_; }
  /// Chooses the method of the next step. It restarts unless it continues the last step with the same method.
  void choose(bool implicit, bool continues);
  /// The implicit method; valid only after it was chosen.
  dynamics::Esdirk& implicit() { return *implicit_; }

 private:
  dynamics::RungeKutta explicit_;
  std::optional<dynamics::Esdirk> implicit_;
  const dynamics::StageNewtonParameters newton_;
  const std::function<double(const double*)> norm_;
  dynamics::StepMethod* in_use_ = &explicit_;
};

}  // namespace tumble::simulate
