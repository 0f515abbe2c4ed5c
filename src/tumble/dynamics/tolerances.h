#pragma once

namespace tumble::dynamics {

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
