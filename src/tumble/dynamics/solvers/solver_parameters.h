// Numbers of the contact and impact solvers: one field each, with its unit, its reason and a sane range.
// ContactSolver takes them when it is made. The residual asked for is no part of them: it comes with every
// problem.
#pragma once

#include <cstddef>

namespace tumble::dynamics {

/// How residuals of contact problems are measured.
struct ResidualParameters {
  /// Rounding of a velocity at a contact, in parts of the sum of what it is made of: masses apart by 1e4
  /// leave it four digits fewer than the sixteen there are. Sane: 1e-14 to 1e-10.
  double round_off = 1e-12;
  /// Impulses smaller than this part of what would stop the bodies count as so large: 1e-8 of them is what
  /// rounding makes of velocities. Sane: 1e-8 to 1e-4.
  double least_impulse = 1e-6;
  /// From this residual on only digits are missing. Sane: 1e-12 to 1e-9.
  double last_digits = 1e-11;
  /// Where residuals fall fast they may as well fall to this part of what is asked for. Sane: 0.01 to 1.
  double easy_share = 0.1;
};

/// Outer iterations on multipliers, and Newton's method inside of them: equation (2) of contact_solver.h.
struct AugmentedLagrangianParameters {
  /// The penalty sigma in units of the contacts' inertia: at first and at most. Larger takes fewer outer
  /// iterations and more Newton steps in each. Sane: 1e2 to 1e6, and 1e6 to 1e10.
  double penalty = 1e4, largest_penalty = 1e8;
  /// What it is multiplied by after an iteration that gains little, and divided by after one that does not
  /// converge. Sane: 3 to 1000.
  double penalty_growth = 100, penalty_reduction = 10;
  /// An iteration gains if it divides the residual by more than this. Sane: 2 to 10.
  double gain = 3;
  /// Newton steps of an outer iteration. Sane: 10 to 100.
  int most_newton_steps = 25;
  /// Evaluations of the slope in a line search, and the part of the first slope that is near enough to 0.
  /// Sane: 10 to 100; 0.01 to 0.5.
  int most_line_steps = 40;
  double line_slope = 0.1;
  /// Rounding keeps some problems from converging: steps that stay so small, in parts of the velocities,
  /// count as converged. Sane: 1e-13 to 1e-8.
  double stalled_step = 1e-10;
  /// From this ratio on, of what an iteration leaves because contacts slide to what it leaves else, Newton's
  /// method on Coulomb's law itself is tried. Sane: 1 to 10.
  double sliding_ratio = 3;
  /// Where so few rows have not converged after so many Newton steps it is tried at once: the four kept
  /// problems of random impacts take 9, 11, 10 and 9 factorisations, and took 10, 21, 20 and 25. Sane: 0 to
  /// 50 rows, 2 to 10 steps.
  size_t few_rows = 8;
  int few_steps = 4;
  /// An island is hard if it is not solved so many factorisations after the first iteration, or if
  /// `last_iterations` in a row gain little. Then SemismoothNewton tries, then so many more iterations. Sane:
  /// 4 to 50, 5 to 50.
  int hard_after = 8, last_iterations = 15;
};

/// Newton's method on Coulomb's law: equation (2) of semismooth_newton.h.
struct NewtonParameters {
  /// rho in units of 1 over the contacts' inertia, and for the last try, from nothing. Sane: 0.1 to 10.
  double scale = 3, last_scale = 1;
  /// What redundant contacts are given in place of the response they lack, in parts of their own. Sane: 1e-12
  /// to 1e-7.
  double redundant_response = 1e-9;
  /// Steps for one e; after how many something must have been gained; how many may gain nothing. Sane: 10 to
  /// 100, 4 to 20, 0 to 20.
  int most_steps = 20, early_steps = 8, bold_steps = 8;
  /// Descent a step must reach, and the least part of a step. Sane: 0 to 0.5, 0.01 to 0.5.
  double descent = 0.2, least_share = 0.2;
  /// Residual left for one e, in parts of e. Sane: 1e-5 to 0.1.
  double stage_residual = 1e-3;
  /// The part that is not symmetric (least_residual.h): what is left of it, relatively; after how many
  /// products; and from which part on a product depends on those before. Sane: 1e-14 to 1e-6; 20 to 1000;
  /// 1e-13 to 1e-8.
  double skew_residual = 1e-10;
  int skew_products = 100;
  double skew_dependent = 1e-10;
};

/// Newton's method from a guess that is near, without a schedule of e.
struct NearNewtonParameters {
  /// Steps, and how many may gain less than half. Sane: 5 to 50, 1 to 10.
  int most_steps = 12, idle_steps = 2;
  /// e in a step, in parts of the contacts' own response: at first, and after a step that gained something
  /// but less than half. With the less, what redundant contacts disagree about throws their impulses about:
  /// 15 shapes at rest in a bowl moved by 2e-7 m/s (median), with more by 3e-8. With more, contacts that
  /// carry next to nothing at the end of long levers come near by a part of 40 a step: a rope. Sane: 1e-6 to
  /// 1e-2, 1e-8 to 1e-4.
  double give = 1e-4, least_give = 1e-6;
};

/// e of the proximal method of semismooth_newton.h, in parts of the contacts' own response.
struct ProximalSchedule {
  /// At first, at least and at most; and where only digits are missing. Sane: 0.01 to 1, 1e-12 to 1e-6, 1,
  /// 1e-6 to 1e-2.
  double initial = 0.1, minimum = 1e-9, maximum = 1, polishing = 1e-4;
  /// What e is multiplied by after no more than `quick_steps` steps, after no more than
  /// NewtonParameters::early_steps, after more, and where Newton's method failed. Sane: 2 to 10; factors
  /// between 0 and 1 in rising order, and 2 to 10.
  int quick_steps = 5;
  double quick_factor = 0.3, factor = 0.6, slow_factor = 0.8, failed_factor = 4;
  /// Failures after which it ends; factorisations after which what is enough is enough, and after which it
  /// ends. Sane: 5 to 50; 50 to 1000; the double of that.
  int most_failures = 12, enough_factorisations = 200, most_factorisations = 400;
};

/// Rounds of an impact (impact_solver.h).
struct ImpactParameters {
  /// Rounds with restitution, and as many more for each contact: a row of masses 1000 : 1 : 1000 takes 70.
  /// Sane: 50 to 1000, 1 to 20.
  int rounds = 100, rounds_per_contact = 4;
  /// Rounds without restitution that end an impact which these do not. Sane: 100 to 1000.
  int last_rounds = 400;
  /// Between bodies of restitution 1 impulses take no energy, and what is left of the residual gives some.
  /// Impulses that are reduced by up to this part to prevent that are not reported. Sane: 1e-9 to 1e-4.
  double unreported_reduction = 1e-6;
};

struct ContactSolverParameters {
  ResidualParameters residual;
  AugmentedLagrangianParameters lagrangian;
  NewtonParameters newton;
  NearNewtonParameters near;
  ProximalSchedule proximal;
  ImpactParameters impact;
};

}  // namespace tumble::dynamics
