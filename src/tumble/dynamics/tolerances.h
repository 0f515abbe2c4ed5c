#pragma once

namespace tumble::dynamics {

/// Finite differences of force laws, for Newton's method alone: part of a body's size, or angle.
inline constexpr double kDifference = 1e-7;

}  // namespace tumble::dynamics
