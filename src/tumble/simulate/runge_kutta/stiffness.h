// Switching between the explicit and the implicit method. The implicit method takes over when stability, not
// accuracy, limits the steps of the explicit one. It hands back when its steps are hardly longer than those
// of the explicit method.
#pragma once

#include "tumble/simulate/runge_kutta/error_control.h"

namespace tumble::simulate {

/// Estimates stiffness every RungeKuttaParameters::stiffness_interval steps. Returns true if memory.implicit
/// has changed.
bool update_stiffness(const ErrorNorm& norm, const RungeKuttaParameters& par, double t,
                      const std::vector<double>& y, dynamics::StepMethod& method,
                      dynamics::EquationsOfMotion& equations, RungeKuttaMemory& memory);

}  // namespace tumble::simulate
