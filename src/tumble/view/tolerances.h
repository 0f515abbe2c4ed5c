#pragma once

#include <cstddef>

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

/// The part of the picture's height that the motion fills at least, if its shape allows: above the third that
/// users are promised. Fixed bodies are shown as long as this holds, or if they need this factor more room.
inline constexpr double kMotionFill = 0.45, kFreeGrowth = 1.1;
/// A direction is taken if it gives this part of kMotionFill, and hides this part of the moving bodies.
/// A fixed body that hides more of them, or at one time more than the third number, becomes a veil.
inline constexpr double kEnoughFill = 0.85, kHiddenAtMost = 0.12, kHiddenAtOnce = 0.5;
/// Walls behind each other that can become veils.
inline constexpr int kVeilRounds = 4;

/// A body is left out by the camera while it is this many times farther from the middle of all than half of
/// the bodies ever are. Of fewer bodies none is left out.
inline constexpr double kOutlierReach = 8;
inline constexpr size_t kFewestForOutliers = 4;

/// Frames in which the camera looks for fixed bodies that hide moving ones, at most.
inline constexpr size_t kKeptFrames = 12;

/// Cosine between the view and the vertical above which the vertical is no guide to what is up.
inline constexpr double kNearlyVertical = 0.9999;

/// The part of a moving body that is visible through a fixed one in front of it.
inline constexpr double kSeenThrough = 0.62;

/// Between frames whose velocities fit the displacement to this share of it, motion is smooth.
inline constexpr double kSmoothShare = 0.1;

/// Distance of a camera without perspective, in radii of the subject.
inline constexpr double kParallelDistance = 4;

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
