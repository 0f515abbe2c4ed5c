#pragma once

namespace tumble::dynamics {

/// E of the proximal iteration, as a part of J M^-1 J^T: far above rounding, far below what binds.
inline constexpr double kProximalPart = 1e-6;
/// Passes of the proximal iteration. Redundant rows need two or three; near singular positions more.
inline constexpr int kProximalPasses = 50;
/// An iteration that leaves more than this much of the residual has found all it can.
inline constexpr double kProximalStall = 0.5;
/// Rounding of a row's sum, relatively to its largest term.
inline constexpr double kRowRoundOff = 1e-14;

/// Newton's passes of a projection. Each squares the gap until rounding stops it: the last one then gains less than the
/// stall factor.
inline constexpr int kProjectionPasses = 8;
inline constexpr double kProjectionStall = 0.25;

}  // namespace tumble::dynamics
