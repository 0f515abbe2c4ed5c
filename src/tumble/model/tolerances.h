#pragma once

namespace tumble::model {

/// Given moments may break the triangle inequality and positive definiteness by this much of the largest one:
/// a flat plate obeys it with equality, and its numbers come rounded.
inline constexpr double kInertiaRoundOff = 1e-9;

/// A quaternion this far from unit length is taken as meant to be one and normalised; a longer way off is a
/// slip.
inline constexpr double kUnitQuaternionSlack = 1e-3;

/// Two axes whose angle has a smaller sine are parallel: far above rounding, far below what is meant to be an angle.
inline constexpr double kParallelAxes = 1e-9;

}  // namespace tumble::model
