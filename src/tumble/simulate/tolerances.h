#pragma once

#include <limits>

namespace tumble::simulate {

/// Accuracies a user may ask for. Below, rounding decides; above, nothing is promised that anyone would want.
inline constexpr double kFinestAccuracy = 1e-13;
inline constexpr double kCoarsestAccuracy = 0.1;
inline constexpr double kDefaultAccuracy = 1e-6, kDefaultFastAccuracy = 1e-3;

/// Local error allowed per step, as a part of the accuracy asked for per time scale T: errors of many steps
/// add up.
inline constexpr double kStepShare = 0.01;

/// No error below this much of the number itself is asked for: a sum of a dozen products has rounding of this
/// size.
inline constexpr double kRoundOffShare = 8 * std::numeric_limits<double>::epsilon();

/// The energy of a body's rotation agrees with its account to this, relatively, when nobody has changed the
/// state: some hundred roundings.
inline constexpr double kEnergyRoundOff = 1e-13;

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

/// A joint that a step cannot close to this part of its bodies' size contradicts others: far above what Newton's method
/// leaves, even near singular positions, far below what anyone would call closed.
inline constexpr double kOpenJoint = 1e-9;

/// A limit counts as reached when it is passed by this, in rad or body sizes: far below what is promised (1e-9), far above
/// rounding.
inline constexpr double kLimitSlack = 1e-11;
/// Speeds at a limit below this, per time scale, are rounding.
inline constexpr double kLimitRoundOff = 1e-12;
/// Events at limits are found to this part of the time scale.
inline constexpr double kLimitTime = 1e-13;
/// How often limits are looked at inside a step, which spans a small part of the fastest oscillation.
inline constexpr int kLimitLooks = 4;

/// Bodies begin this part of a soft layer outside of it.
inline constexpr double kLayerStart = 0.02;
/// A contact problem solved to no better than this is told of: forces are then wrong by more than anyone would call rounding.
inline constexpr double kResidualWarning = 1e-6;
/// Contacts whose normals differ by no more than this (rad) are one patch in what is told of them.
inline constexpr double kPatchNormal = 1e-3;

/// Gravity below this part of what motion and forces at the start say does not set the time scale.
inline constexpr double kNegligibleGravity = 1e-6;

/// Steps below this part of T lead nowhere when they do not end: so many in a row are a singularity.
inline constexpr double kTinyStep = 1e-9;
inline constexpr int kMostTinySteps = 1000;

/// Longest step, in T: the dense output of a longer one would lose digits to the size of its coefficients.
inline constexpr double kLongestStep = 32;

/// After a start or a switch steps are very short at first: those in this part of T say nothing about the motion.
inline constexpr double kStartingTime = 0.01;

/// Stiffness. The explicit method is stable to h |lambda| = 6.4 along the negative axis and between 5 and 6 along the
/// imaginary one, where it damps by 1.5e-3 a step at 3: steps that reach this are not made short by accuracy. An implicit
/// step of ten links with springs costs as much as four or five.
inline constexpr double kStableStep = 3;
inline constexpr int kStiffnessLooks = 20;  // steps between two looks
inline constexpr int kStiffLooks = 2;  // in a row, before methods change; more if it was of no use before
inline constexpr int kMostPatience = 256;
/// The power method: applications, and by how much, in scales of the bodies, f is looked at beside where it is.
inline constexpr int kPowerSteps = 6;
inline constexpr double kPowerDifference = 1e-7;
inline constexpr double kWorthImplicit = 4 * kStableStep;

/// Step control: safety factor, largest change per step, weight of the last error (the P part of PI).
inline constexpr double kSafety = 0.9;
inline constexpr double kLargestShrink = 0.2;
inline constexpr double kLargestGrowth = 4;
inline constexpr double kLastErrorWeight = 0.04;

}  // namespace tumble::simulate
