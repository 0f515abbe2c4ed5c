#pragma once

namespace tumble::view {

/// Triangles for all round shapes together: about a second of drawing at most.
inline constexpr double kTriangleBudget = 1e6;
/// Below, a sphere is no longer round; above, no one sees the difference at 4000 pixels.
inline constexpr int kFewestSegments = 16, kMostSegments = 160;

/// A plane is drawn this many scene sizes wide, and has faded away before its edge.
inline constexpr double kPlaneExtents = 60;

/// Faces that meet at less than this are one smooth surface: above the 22.5 degrees of a 16-sided cylinder,
/// below the 45 of a chamfer.
inline constexpr double kSmoothAngle = 0.61;  // rad

/// A fixed body belongs to the subject while it stays within this many radii of the moving ones.
inline constexpr double kSubjectReach = 2.5;

/// Part of the picture's half width and height that the subject may fill.
inline constexpr double kFrameFill = 0.86;

/// Halvings until the subject stands in the middle: to a thousandth of the picture.
inline constexpr int kCenteringSteps = 10;

/// Things nearer to the camera than this part of its distance to the target are cut off.
inline constexpr double kNearFraction = 1e-3;

/// Looking up or down to this (sine), any side will do as the right one.
inline constexpr double kUpright = 1e-9;

/// The camera stays outside of the subject by this factor of its radius.
inline constexpr double kLeastDistance = 1.1;

/// A shadow map reaches this many subject radii: rounding at its rim.
inline constexpr double kShadowReach = 1.05;

/// A scene of points has this size: above 0, so that quotients are numbers.
inline constexpr double kLeastScene = 1e-300;  // m

/// Poses and camera distances beyond are not drawn: their squares would overflow.
inline constexpr double kFarthest = 1e100;  // m

}  // namespace tumble::view
