#pragma once

#include <cstddef>

namespace tumble::dynamics {

/// E of the proximal iteration, as a part of J M^-1 J^T: far above rounding, far below what binds.
inline constexpr double kProximalPart = 1e-6;
/// Passes of the proximal iteration. Redundant rows need two or three. Near a singular position it would need ever more; a
/// fixed number keeps the forces a smooth function of the state there, and the integrator's step long (a stop that depends
/// on progress cost a four-bar linkage ten times the steps). What is left is projected away.
inline constexpr int kProximalPasses = 10;
/// From so many rows beyond the forest an island is solved by sparse elimination. In square nets of links both ways take the
/// same time at 48 rows; sparse is 1.6 times as fast at 75 and 27 times at 507.
inline constexpr size_t kSparseFrom = 48;
/// Of a sparse solution: a pass that leaves more than this part of what was left has met rounding.
inline constexpr double kProximalProgress = 0.5;
/// Rounding of a row's sum, relatively to its largest term.
inline constexpr double kRowRoundOff = 1e-14;

/// A row of length 1 that others leave less than this of depends on them: far above rounding, far below the nine digits in
/// which people write points and axes.
inline constexpr double kDependentRow = 1e-10;

/// Finite differences of force laws, for Newton's method alone: part of a body's size, or angle.
inline constexpr double kDifference = 1e-7;

}  // namespace tumble::dynamics
