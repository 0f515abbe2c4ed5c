#pragma once

#include <limits>

namespace tumble::simulate {

/// Accuracies a user may ask for. Below, rounding decides; above, nothing is promised that anyone would want.
inline constexpr double kFinestAccuracy = 1e-13;
inline constexpr double kCoarsestAccuracy = 0.1;
inline constexpr double kDefaultAccuracy = 1e-6, kDefaultFastAccuracy = 1e-3;

/// A start is taken as it is when joints are closed, and velocities obey them, to this, relatively: what a file with ten
/// digits can say.
inline constexpr double kStartRoundOff = 1e-9;
/// Joints open by more than this part of their bodies' size at the start are a mistake.
inline constexpr double kLargestStartGap = 0.1;

/// Bodies that overlap by no more than this part of the smaller one's size touch: what a modeller's hand leaves.
inline constexpr double kTouchingDepth = 1e-4;
/// Bodies are brought apart at the start to what is kept between them, less this part of it. Each of the passes leaves this
/// share of what was lacking; none moves a body by more than this part of its size.
inline constexpr double kSeparationLack = 0.01, kSeparationShare = 1e-3, kLongestSeparationMove = 0.25;
inline constexpr int kMostSeparationPasses = 200, kMostSeparationSteps = 4000;
/// So many passes without what is lacking having fallen to this part lead nowhere.
inline constexpr int kMostIdlePasses = 20;
inline constexpr double kSeparationProgress = 0.95;

/// Bodies begin this part of a soft layer outside of it.
inline constexpr double kLayerStart = 0.02;
/// A contact problem solved to no better than this is told of: forces are then wrong by more than anyone would call rounding.
inline constexpr double kResidualWarning = 1e-6;
/// Contacts whose normals differ by no more than this (rad) are one patch in what is told of them.
inline constexpr double kPatchNormal = 1e-3;

/// Gravity below this part of what motion and forces at the start say does not set the time scale.
inline constexpr double kNegligibleGravity = 1e-6;

}  // namespace tumble::simulate
