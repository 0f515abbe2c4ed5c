// Projection on the rotational energy of free bodies. The reduced rotational energy of each body, as changed
// by torques, is integrated beside the motion. After a step the body is rotated by the smallest angle that
// gives its rotation this energy (docs/computation.md, section 5).
#pragma once

#include "tumble/simulate/runge_kutta/error_control.h"

namespace tumble::simulate {

/// Keeps a body's integrated energy if y agrees with it to rounding, else resets it from y. A second call
/// changes nothing, so that a resumed run has the same bits.
void update_reduced_energy(size_t body, const RungeKuttaParameters& par,
                           dynamics::EquationsOfMotion& equations, std::vector<double>& y,
                           RungeKuttaMemory& memory);

/// Rotates every free body of y. `allowed` (rad): no body is rotated further; 0: none at all.
void project_rotations(const ErrorNorm& norm, const RungeKuttaParameters& par, double allowed,
                       dynamics::EquationsOfMotion& equations, std::vector<double>& y,
                       RungeKuttaMemory& memory);

}  // namespace tumble::simulate
