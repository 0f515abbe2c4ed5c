// The rotational energy of free bodies is held to what torques have made of it: each body has an account of it, integrated beside the
// motion, and after a step is turned by the least angle that gives its rotation that energy (docs/computation.md, section 5).
#pragma once

#include "tumble/simulate/runge_kutta/error_control.h"

namespace tumble::simulate {

/// Keeps a body's account if y agrees with it to rounding, else opens one. Settling twice changes nothing, so that a resumed run
/// has the same bits.
void settle_account(size_t body, const RungeKuttaParameters& par, dynamics::EquationsOfMotion& equations,
                    std::vector<double>& y, RungeKuttaMemory& memory);

/// Turns every free body of y. `allowed` (rad): no body is turned further; 0: none at all.
void project_rotations(const ErrorNorm& norm, const RungeKuttaParameters& par, double allowed,
                       dynamics::EquationsOfMotion& equations, std::vector<double>& y,
                       RungeKuttaMemory& memory);

}  // namespace tumble::simulate
