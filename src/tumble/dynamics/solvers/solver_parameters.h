// Numbers of the contact and impact solvers: one field each, with its unit, its reason and a sane range.
// ContactSolver takes them when it is constructed. The tolerance is not among them: it comes with every
// problem.
#pragma once

#include <cstddef>

namespace tumble::dynamics {

/// How residuals of contact problems are measured.
struct ResidualParameters {
  /// Rounding error of a velocity at a contact, relative to the sum of its terms. Masses that differ by 1e4
  /// cost four of the sixteen digits. Sane: 1e-14 to 1e-10.
  double round_off = 1e-12;
  /// Residuals are relative to at least this part of the impulse that would stop the bodies: rounding of
  /// velocities is 1e-8 of that. Sane: 1e-8 to 1e-4.
  double least_impulse = 1e-6;
  /// Below this residual only the last digits are missing. Sane: 1e-12 to 1e-9.
  double last_digits = 1e-11;
  /// Rows without play are corrected to this part of what the residual leaves open in them. Sane: 1e-9 to
  /// 1e-3.
  double confined = 1e-6;
  /// If residuals fall fast, they are reduced to this part of the tolerance. Sane: 0.01 to 1.
  double easy_share = 0.1;
};

/// Outer iterations on multipliers, and Newton's method inside them: equation (2) of contact_solver.h.
struct AugmentedLagrangianParameters {
  /// The penalty sigma in units of the contacts' inertia: its first and its largest value. A larger one takes
  /// fewer outer iterations and more Newton steps in each. Sane: 1e2 to 1e6, and 1e6 to 1e10.
  double penalty = 1e4, largest_penalty = 1e8;
  /// The penalty is multiplied by the first after an iteration that gains little, and divided by the second
  /// after one that does not converge. Sane: 3 to 1000.
  double penalty_growth = 100, penalty_reduction = 10;
  /// An iteration gains if it reduces the residual by more than this factor. Sane: 2 to 10.
  double gain = 3;
  /// Newton steps of an outer iteration. Sane: 10 to 100.
  int max_newton_steps = 25;
  /// Evaluations of the slope in a line search, and the part of the first slope at which it ends.
  /// Sane: 10 to 100; 0.01 to 0.5.
  int max_line_steps = 40;
  double line_slope = 0.1;
  /// Rounding prevents convergence of some problems. Steps below this part of the velocities count as
  /// converged. Sane: 1e-13 to 1e-8.
  double stalled_step = 1e-10;
  /// Newton's method on Coulomb's law itself is tried if sliding leaves a residual larger by this ratio than
  /// the rest of an iteration. Sane: 1 to 10.
  double sliding_ratio = 3;
  /// With at most so many rows it is tried as soon as so many Newton steps have not converged. The four
  /// stored problems of random impacts then take 9, 11, 10 and 9 factorisations instead of 10, 21, 20 and 25.
  /// Sane: 0 to 50 rows, 2 to 10 steps.
  size_t few_rows = 8;
  int few_steps = 4;
  /// An island is hard if it is not solved so many factorisations after the first iteration, or if
  /// `last_iterations` successive iterations gain little. Then SemismoothNewton is tried, then so many more
  /// iterations. Sane: 4 to 50, 5 to 50.
  int hard_after = 8, last_iterations = 15;
};

/// Newton's method on Coulomb's law: equation (2) of semismooth_newton.h.
struct NewtonParameters {
  /// rho in units of 1/(inertia of the contacts); the second for the last attempt, from zero impulses.
  /// Sane: 0.1 to 10.
  double scale = 3, last_scale = 1;
  /// Regularization of redundant contacts, which have no response of their own, relative to their scale.
  /// Sane: 1e-12 to 1e-7.
  double redundant_response = 1e-9;
  /// Steps for one e; the number of steps after which |F|^2 must have decreased; steps that may fail to
  /// decrease it. Sane: 10 to 100, 4 to 20, 0 to 20.
  int max_steps = 20, early_steps = 8, bold_steps = 8;
  /// Required relative descent of a step, and the shortest part of a step. Sane: 0 to 0.5, 0.01 to 0.5.
  double descent = 0.2, least_share = 0.2;
  /// Residual allowed for one e, in parts of e. Sane: 1e-5 to 0.1.
  double stage_residual = 1e-3;
  /// GMRES for the part that is not symmetric (gmres.h): relative residual; largest number of products; and
  /// the relative size below which a product depends on those before. Sane: 1e-14 to 1e-6; 20 to 1000; 1e-13
  /// to 1e-8.
  double skew_residual = 1e-10;
  int skew_products = 100;
  double skew_dependent = 1e-10;
};

/// Newton's method from a guess that is near, without a schedule of e.
struct NearNewtonParameters {
  /// Steps, and how many of them may reduce the residual by less than half. Sane: 5 to 50, 1 to 10.
  int max_steps = 12, idle_steps = 2;
  /// e of a step, in parts of the contacts' own response: the usual value, and the one after a step that
  /// gained something but less than half. A small e lets impulses of redundant contacts jump: 15 shapes at
  /// rest in a bowl moved by 2e-7 m/s (median), with a larger e by 3e-8. With a large e, contacts with tiny
  /// impulses at the end of long lever arms converge slowly, by a factor of 1/40 a step: a rope. Sane: 1e-6
  /// to 1e-2, 1e-8 to 1e-4.
  double regularization = 1e-4, least_regularization = 1e-6;
};

/// e of the proximal method of semismooth_newton.h, in parts of the contacts' own response.
struct ProximalSchedule {
  /// First, smallest and largest value; and the value for the last digits. Sane: 0.01 to 1, 1e-12 to 1e-6, 1,
  /// 1e-6 to 1e-2.
  double initial = 0.1, minimum = 1e-9, maximum = 1, polishing = 1e-4;
  /// Factors of e: after at most `quick_steps` steps, after at most NewtonParameters::early_steps, after
  /// more, and after a failure of Newton's method. Sane: 2 to 10; factors between 0 and 1 in rising order,
  /// and 2 to 10.
  int quick_steps = 5;
  double quick_factor = 0.3, factor = 0.6, slow_factor = 0.8, failed_factor = 4;
  /// Failures after which it ends; factorisations after which an acceptable residual suffices, and after
  /// which it ends. Sane: 5 to 50; 50 to 1000; twice that.
  int max_failures = 24, enough_factorisations = 200, max_factorisations = 800;
};

/// Rounds of an impact (impact_solver.h).
struct ImpactParameters {
  /// Rounds with restitution, and additional rounds per contact: a row of masses 1000 : 1 : 1000 takes 70.
  /// Sane: 50 to 1000, 1 to 20.
  int rounds = 100, rounds_per_contact = 4;
  /// A round takes contacts that approach with at least this part of the largest approach speed. A break
  /// shot has the same result from 0.001 to 0.3; at 0.5, the cosine of 60 degrees, rounding decides.
  /// Sane: 0.001 to 0.3.
  double slowest_share = 0.03;
  /// Contacts whose approach speeds differ by at most this part are in the same round. It exceeds the
  /// residual of the contact solver by far. Sane: 1e-7 to 1e-4.
  double equal_speeds = 1e-6;
  /// Contacts are at rest if they approach slower than this part of the largest approach speed before the
  /// impact. Sane: 1e-12 to 1e-8.
  double rest = 1e-9;
  /// Rounds without restitution that may end an impact. One is enough but for the residual of the solver.
  /// Sane: 1 to 10.
  int last_rounds = 3;
  /// Between bodies of restitution 1 impulses dissipate nothing, and the residual of the solver may add
  /// energy. Impulses are then scaled down. Reductions up to this part are not reported. Sane: 1e-9 to 1e-4.
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
