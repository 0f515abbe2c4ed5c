#pragma once

#include <cstddef>

namespace tumble::dynamics {

/// E of the proximal iteration, as a part of J M^-1 J^T: far above rounding, far below what binds.
inline constexpr double kProximalPart = 1e-6;
/// Passes of the proximal iteration. Redundant rows need two or three. Near a singular position it would need ever more; a
/// fixed number keeps the forces a smooth function of the state there, and the integrator's step long (a stop that depends
/// on progress cost a four-bar linkage ten times the steps). What is left is projected away.
inline constexpr int kProximalPasses = 10;
/// From so many rows beyond the forest an island is solved by sparse elimination. In square nets of links both ways take the
/// same time at 48 rows; sparse is 1.6 times as fast at 75 and 27 times at 507.
inline constexpr size_t kSparseFrom = 48;
/// Of a sparse solution: a pass that leaves more than this part of what was left has met rounding.
inline constexpr double kProximalProgress = 0.5;
/// Rounding of a row's sum, relatively to its largest term.
inline constexpr double kRowRoundOff = 1e-14;

/// A row of length 1 that others leave less than this of depends on them: far above rounding, far below the nine digits in
/// which people write points and axes.
inline constexpr double kDependentRow = 1e-10;

/// Newton's passes of a projection. Each squares the gap until rounding stops it: the last one then gains less than the
/// stall factor.
inline constexpr int kProjectionPasses = 8;
inline constexpr double kProjectionStall = 0.25;
/// A gap of this part of the body's size is squared below rounding by one pass; that it was is seen by its becoming this much
/// smaller, or rounding.
inline constexpr double kSmallGap = 1e-8;
inline constexpr double kClosedPart = 1e-4;
inline constexpr double kGapRoundOff = 1e-15;

/// Newton's method in a stage of an implicit step: how much of the error allowed to the step it may leave, how often it is
/// tried, and how little a pass may gain before it is given up.
inline constexpr double kNewtonPart = 0.02;
inline constexpr double kNewtonAtOnce = 1e-3;  // of that: so small a first pass needs no second
inline constexpr int kNewtonPasses = 12;
inline constexpr double kNewtonStall = 0.9;

/// Finite differences of force laws, for Newton's method alone: part of a body's size, or angle.
inline constexpr double kDifference = 1e-7;

/// Contact: the penalty sigma in units of the contacts' inertia, at first and at most, and what it is multiplied by after a pass that leaves more
/// than a third. Larger takes fewer passes and more steps of Newton's method in each.
inline constexpr double kContactStiffness = 1e4, kLargestContactStiffness = 1e8, kContactStiffening = 100;
/// Newton's method in a pass: how often; how often the slope along a step is looked at, and which part of the first is near enough to 0.
inline constexpr int kContactNewtonPasses = 25, kContactLineSteps = 40;
inline constexpr double kLineSlope = 0.1;
/// Rounding keeps some from resting: steps that stay so small, in parts of the velocities, count as rest.
inline constexpr double kContactRestless = 1e-10;
/// Rounding of a velocity at a contact, in parts of the sum of what it is made of: masses apart by 1e4 leave it four digits fewer.
inline constexpr double kContactRoundOff = 1e-12;
/// Smaller impulses, in parts of what would stop the bodies, count as so large where residuals are told: 1e-8 of them is what rounding makes of velocities.
inline constexpr double kLeastImpulse = 1e-6;
/// From this residual on only digits are missing.
inline constexpr double kLastDigits = 1e-11;
/// Where residuals fall fast they may as well fall to this part of what is asked for.
inline constexpr double kEasyShare = 0.1;
/// What a pass leaves because things slide, over what it leaves else, from which on Newton's method on Coulomb's law itself is tried.
inline constexpr double kSlidingShare = 3;
/// Where so few rows are not at rest after so many steps of the first pass, it is tried at once: the four kept problems of random impacts take 9, 11, 10 and 9
/// factorisations, and took 10, 21, 20 and 25.
inline constexpr size_t kFewRows = 8;
inline constexpr int kFewSteps = 4;
/// Islands are hard if they are not solved so many factorisations after the first pass, or if kLastPasses passes in a row gain little; then they are
/// tried by hard_contacts.h, by so many more passes, and there again from nothing, with rho in these units of 1 over the contacts' inertia.
inline constexpr int kHardFrom = 8, kLastPasses = 15;
inline constexpr double kHardScale = 3, kLastHardScale = 1;
/// In hard_contacts.h: what redundant contacts are given in place of the response they lack.
inline constexpr double kRedundantContact = 1e-9;
/// Newton's method there: steps; after how many it must have gained something; what one must gain, the least part of one, and how many may
/// gain nothing; what may be left, in parts of what contacts give.
inline constexpr int kRefiningSteps = 20, kEarlySteps = 8, kBoldSteps = 8;
inline constexpr double kRefiningDescent = 0.2, kLeastRefiningShare = 0.2, kStageResidual = 1e-3;
/// How much contacts give at first and at least, and where only digits are missing, in parts of their own response; what it is multiplied by after so few steps, after those that had
/// to have gained something, after more, and after none that helped; and when that ends, and from when on `enough` is.
inline constexpr double kSoftest = 0.1, kHardest = 1e-9, kPolishing = 1e-4;
inline constexpr int kQuickSteps = 5;
inline constexpr double kQuickHardening = 0.3, kHardening = 0.6, kSlowHardening = 0.8, kSoftening = 4;
inline constexpr int kMissedStages = 12, kEnoughFactorisations = 200, kMostFactorisations = 400;
/// Newton's method from a guess that is near: steps, and how many may gain less than half; how much contacts give in a step, in parts of their own response, at first and
/// after such a step that gained something. With the less, what redundant contacts disagree about throws their impulses about: 15 shapes at rest in a bowl
/// moved by 2e-7 m/s (median), with more by 3e-8. With more, contacts that carry next to nothing at the end of long levers come near by a part of 40 a step: a rope.
inline constexpr int kNearSteps = 12, kIdleSteps = 2;
inline constexpr double kNearGive = 1e-4, kLeastNearGive = 1e-6;
/// What is left of the part that is not symmetric, and after how many products.
inline constexpr double kSkewResidual = 1e-10;
inline constexpr int kSkewProducts = 100;

/// Rounds of an impact before it is cut short: a row of masses 1000 : 1 : 1000 takes 70.
inline constexpr int kImpactRounds = 100, kImpactRoundsPerContact = 4, kImpactLastRounds = 400;
/// Between bodies of restitution 1 impulses take no energy, and what is left of the residual gives some: up to this part it is taken from
/// them without a word.
inline constexpr double kImpactReduced = 1e-6;

}  // namespace tumble::dynamics
