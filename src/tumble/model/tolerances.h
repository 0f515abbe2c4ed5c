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

/// A joint may start this far outside its limits: rounding of what was meant to be the limit itself.
inline constexpr double kLimitStartSlack = 1e-9;  // rad or m

/// Relative rounding of a time that is a sum of steps: some tens of roundings.
inline constexpr double kTimeRounding = 1e-14;

/// The script of a body may begin this far from where the body stands without a word, in sizes of the body.
inline constexpr double kScriptStartSlack = 1e-9;

/// The soft zone before a limit is as stiff as makes the joint's own two bodies swing in it with this time (period over
/// 2 pi): quick beside what a person sees, slow beside the vibrations nobody asked for.
inline constexpr double kComfortTime = 0.1;  // s

/// Largest size of a component of position, velocity, angular velocity and gravity, SI: its square, and the square of
/// that, can still be held.
inline constexpr double kMaxMagnitude = 1e70;

}  // namespace tumble::model
