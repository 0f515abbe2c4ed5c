#pragma once

namespace tumble::dynamics {

/// Step of finite differences of force laws, used only in Newton iterations: part of a body's size, or rad.
inline constexpr double kDifference = 1e-7;

}  // namespace tumble::dynamics
