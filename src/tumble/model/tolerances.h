#pragma once

namespace tumble::model {

/// Given moments of inertia may violate the triangle inequality and positive definiteness by this fraction of
/// the largest moment. A flat plate satisfies the inequality with equality, and its moments are rounded.
inline constexpr double kInertiaRoundOff = 1e-9;

/// A quaternion whose length differs from 1 by less than this is normalised. A larger difference is an error.
inline constexpr double kUnitQuaternionSlack = 1e-3;

/// Two axes are parallel if the sine of their angle is smaller. This is far above rounding, and far below any
/// angle that a user gives on purpose.
inline constexpr double kParallelAxes = 1e-9;

/// A joint may start this far outside its limits. This allows for rounding if it starts exactly at a limit.
inline constexpr double kLimitStartSlack = 1e-9;  // rad or m

/// A start pose that passes a limit by no more than this many radians, or parts of the size of the joint's
/// bodies, is accepted, and the limit is widened. Bodies that touch at the start have the same tolerance: a
/// scene written by hand is no more precise.
inline constexpr double kLimitStartTolerance = 1e-4;

/// Relative rounding error of a time that is a sum of steps: some tens of roundings.
inline constexpr double kTimeRounding = 1e-14;

/// If the path of a body starts further than this from the body's pose, there is a warning. In units of the
/// body's radius.
inline constexpr double kScriptStartSlack = 1e-9;

/// The stiffness of a comfort zone gives the two bodies of the joint this time constant (period over 2 pi).
/// It is short compared with visible motion, and long compared with unwanted vibrations.
inline constexpr double kComfortTime = 0.1;  // s

/// Largest absolute value of a component of position, velocity, angular velocity and gravity, in SI units. A
/// double can still hold its fourth power.
inline constexpr double kMaxMagnitude = 1e70;

}  // namespace tumble::model
