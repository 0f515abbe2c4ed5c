// Where the explicit method's steps are as long as stability allows, not accuracy, the implicit method takes over. It hands back where
// its steps are hardly longer than the explicit method could make them.
#pragma once

#include "tumble/simulate/runge_kutta/error_control.h"

namespace tumble::simulate {

/// Looks at stiffness every so many steps. True when memory.implicit has changed.
bool update_stiffness(const ErrorNorm& norm, const RungeKuttaParameters& par, double t,
                      const std::vector<double>& y, dynamics::StepMethod& method,
                      dynamics::EquationsOfMotion& equations, RungeKuttaMemory& memory);

}  // namespace tumble::simulate
