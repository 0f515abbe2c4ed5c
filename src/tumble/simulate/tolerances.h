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

/// The fast driver. Its longest step is this much of sqrt(accuracy) time scales; contact is solved to this residual; rows are added for pairs
/// that come too near so many times; joints are closed to this part of accuracy and size; friction below this part
/// of what is possible holds.
inline constexpr double kFastStep = 0.8, kFastResidual = 1e-8, kFastJoint = 1e-2, kStickingPart = 1 - 1e-9;
inline constexpr int kMostAddedRounds = 16;
/// After so many of these the drift is halved.
inline constexpr int kPatientRounds = 6;
/// Of a drift that was cut, the part from which on that is hardly shorter.
inline constexpr double kHardlyShorter = 0.9;
/// Limits of joints within this, in rad or sizes of the body, are looked at in every step: further ones are found when they are passed.
inline constexpr double kLimitShell = 0.1;
/// A limit that is passed by half of what is allowed is passed no further, but for this part of it in a step: rounding. It is brought back faster.
inline constexpr double kLimitRest = 1e-3;
/// What joints are left open by adds up to a change of energy: this part of the cube of steps over time scales, so that over a time scale it is this part of
/// the error of the second order that a step has anyway.
inline constexpr double kJointRest = 1e-3;
/// A step in which a body turns farther (rad), or whose linear part leaves joints open by more (part of a body's size), is halved, but not below
/// this part of it. A whip of twenty links gains as much energy as it has within 5 s without the second, with it 4 %:
/// chosen on that whip.
inline constexpr double kLargestTurn = 0.5, kLargestGap = 0.05, kShortestHalf = 1.0 / 4096;
/// Bodies within this many times what is kept touch; after an impact they approach by no more than this part of what counts as one; parts of
/// a step are no shorter than this part of it.
inline constexpr double kTouchingGap = 1.5, kImpactRest = 1e-9, kShortestPart = 1e-6;

/// Bodies begin this part of a soft layer outside of it.
inline constexpr double kLayerStart = 0.02;
/// A gap that is below half of what is kept may shrink to this part of it in a step.
inline constexpr double kNearerStill = 0.9;
/// Contacts of a pair are the same place within this part of the smaller body's size, and of one patch if the cosine between their normals is more.
inline constexpr double kSamePlace = 0.01, kSameNormal = 0.99;
/// Where one of them is round: two of radius R that cross at an angle touch sqrt(kept R) over that angle from where they did before they are too near,
/// and at angles where that is more than this the ends of both are near, too.
inline constexpr double kSameRoundPlace = 0.05;
/// What approaches is kept apart by a row with this cosine between the normals or more: those of neighbouring facets differ by more, and each needs its own.
inline constexpr double kSameDirection = 0.9998;
/// Two that are this many times as far apart as they may come are not too near: there the certificate has come to its end.
inline constexpr double kUnproved = 1.1;

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
