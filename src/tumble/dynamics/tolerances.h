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

/// Newton's passes of a projection. Each squares the gap until rounding stops it: the last one then gains less than the
/// stall factor.
inline constexpr int kProjectionPasses = 8;
inline constexpr double kProjectionStall = 0.25;
/// A gap of this part of the body's size is squared below rounding by one pass; that it was is seen by its becoming this much
/// smaller, or rounding.
inline constexpr double kSmallGap = 1e-8;
inline constexpr double kClosedPart = 1e-4;
inline constexpr double kGapRoundOff = 1e-15;

/// Newton's method in a stage of an implicit step: how much of the error allowed to the step it may leave, how often it is
/// tried, and how little a pass may gain before it is given up.
inline constexpr double kNewtonPart = 0.02;
inline constexpr double kNewtonAtOnce = 1e-3;  // of that: so small a first pass needs no second
inline constexpr int kNewtonPasses = 12;
inline constexpr double kNewtonStall = 0.9;

/// Finite differences of force laws, for Newton's method alone: part of a body's size, or angle.
inline constexpr double kDifference = 1e-7;

}  // namespace tumble::dynamics
