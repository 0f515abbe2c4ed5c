#pragma once

namespace tumble::view {

/// Triangles of all round shapes together: drawing them takes about a second at most.
inline constexpr double kTriangleBudget = 1e6;
/// With fewer segments a sphere does not look round. With more no difference is visible at 4000 pixels.
inline constexpr int kFewestSegments = 16, kMostSegments = 160;

/// A plane is drawn this many scene sizes wide. It fades out before its edge.
inline constexpr double kPlaneExtents = 60;

/// Faces whose normals differ by less are shaded as one smooth surface. Above the 22.5 degrees of a 16-sided
/// cylinder, below the 45 of a chamfer.
inline constexpr double kSmoothAngle = 0.61;  // rad

/// A fixed body belongs to the subject if it is within this many radii of the moving ones.
inline constexpr double kSubjectReach = 2.5;

/// Fraction of the half width and half height of the picture that the subject may fill.
inline constexpr double kFrameFill = 0.86;

/// Bisections to centre the subject, to a thousandth of the picture.
inline constexpr int kCenteringSteps = 10;

/// The near plane, in parts of the distance from camera to target.
inline constexpr double kNearFraction = 1e-3;

/// Sine of the angle to the vertical below which the camera looks straight up or down.
inline constexpr double kVerticalSine = 1e-9;

/// Least distance of the camera from the centre of the subject, in radii of the subject.
inline constexpr double kMinCameraDistance = 1.1;

/// Half the size of a shadow map, in radii of the subject. Slightly above 1 because of rounding at its edge.
inline constexpr double kShadowReach = 1.05;

/// The size of a scene that consists of points: above 0, so that quotients are finite.
inline constexpr double kMinSceneSize = 1e-300;  // m

/// Bodies and cameras that are farther away are not drawn: the squares of distances would overflow.
inline constexpr double kMaxDistance = 1e100;  // m

}  // namespace tumble::view
