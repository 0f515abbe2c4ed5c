#pragma once

namespace tumble::dynamics {

/// E of the proximal iteration, as a part of J M^-1 J^T: far above rounding, far below what binds.
inline constexpr double kProximalPart = 1e-6;
/// Passes of the proximal iteration. Redundant rows need two or three. Near a singular position it would need ever more; a
/// fixed number keeps the forces a smooth function of the state there, and the integrator's step long (a stop that depends
/// on progress cost a four-bar linkage ten times the steps). What is left is projected away.
inline constexpr int kProximalPasses = 10;
/// Rounding of a row's sum, relatively to its largest term.
inline constexpr double kRowRoundOff = 1e-14;

/// A row of length 1 that others leave less than this of depends on them: far above rounding, far below the nine digits in
/// which people write points and axes.
inline constexpr double kDependentRow = 1e-10;

/// Newton's passes of a projection. Each squares the gap until rounding stops it: the last one then gains less than the
/// stall factor.
inline constexpr int kProjectionPasses = 8;
inline constexpr double kProjectionStall = 0.25;

}  // namespace tumble::dynamics
