// Numbers of the Runge-Kutta stepper. The error of a run follows from the accuracy alone; these numbers
// decide how it is reached.
#pragma once

#include <limits>

#include "tumble/dynamics/integrators/esdirk.h"
#include "tumble/dynamics/joint_projection.h"

namespace tumble::simulate {

struct RungeKuttaParameters {
  // Error control.
  /// Local error allowed per step, as a part of the accuracy per time scale T: errors of many steps
  /// accumulate. Sane: 0.003 to 0.03.
  double step_share = 0.01;
  /// The tolerance is never below this part of the number itself: the rounding error of a sum of a dozen
  /// products. Sane: 4 to 32 epsilon.
  double round_off = 8 * std::numeric_limits<double>::epsilon();
  /// Safety factor of the step length. Sane: 0.7 to 0.97.
  double safety = 0.9;
  /// Smallest and largest ratio of a step to the one before. Sane: 0.1 to 0.5, 2 to 10.
  double largest_shrink = 0.2, largest_growth = 4;
  /// PI controller: weight of the last error, and the part of it that is subtracted from the exponent of the
  /// present error [Hairer, Norsett, Wanner I, program DOP853]. Sane: 0 to 0.1, 0.5 to 1.
  double last_error_weight = 0.04, last_error_share = 0.75;
  /// Weight of the third-order estimate beside that of fifth order in Dormand and Prince's method of eighth
  /// order [Hairer, Norsett, Wanner I, II.10, (10.17)].
  double third_order_weight = 0.01;
  /// Errors below this many tolerances only show that the step was far too short. Sane: 1e-6 to 1e-2.
  double least_error = 1e-4;
  /// Longest step, in T. The dense output of longer steps loses digits to the size of its coefficients.
  /// Sane: 8 to 128.
  double longest_step = 32;
  /// The motion is singular if so many successive steps are shorter than this part of T.
  /// Sane: 1e-12 to 1e-6, 100 to 1e5.
  double tiny_step = 1e-9;
  int max_tiny_steps = 1000;
  /// After a start or a switch steps are very short at first. Steps in this part of T say nothing about the
  /// motion. Sane: 1e-3 to 0.1.
  double starting_time = 0.01;
  /// The first step [Hairer, Norsett, Wanner I, II.4]: a change by this part of the scales. Below the least
  /// slope (scales per T) it is this part of T, and a whole T if nothing changes. At most so many times the
  /// first guess.
  double first_change = 0.01, least_slope = 1e-10, first_guess = 1e-6, no_change = 1e-15,
         max_first_guesses = 100;

  // Joints and rotation.
  /// A joint whose error stays above this part of its bodies' size contradicts others: far above what
  /// Newton's method leaves, even near singular configurations, far below what anyone would call closed.
  /// Sane: 1e-11 to 1e-7.
  double open_joint = 1e-9;
  /// The rotational energy of a body agrees with its integrated value to this, relatively, unless the state
  /// was changed from outside: some hundred roundings. Sane: 1e-14 to 1e-11.
  double energy_round_off = 1e-13;
  /// A projection is done when it misses the integrated energy by less than this part of energy_round_off.
  /// Sane: 0.01 to 1.
  double energy_residual = 0.1;
  dynamics::ProjectionParameters projection = {};

  // Stiffness.
  /// h |lambda| from which on stability, not accuracy, limits the step. The explicit method is stable to 6.4
  /// along the negative axis and between 5 and 6 along the imaginary one, where it damps by 1.5e-3 a step at
  /// 3. Sane: 1.5 to 6.
  double stable_step = 3;
  /// h |lambda| from which on the implicit method pays: for ten links with springs its step costs as much as
  /// four or five explicit ones. Sane: 6 to 24.
  double worth_implicit = 12;
  /// Steps between two estimates of stiffness. Sane: 10 to 100.
  int stiffness_interval = 20;
  /// Number of successive estimates in favour of the other method that switch to it. It doubles each time a
  /// switch did not pay, up to max_patience. Sane: 1 to 8, 16 to 4096.
  int switch_votes = 2, max_patience = 256;
  /// Step of the finite difference in the power method, in scales of the bodies: the square root of the
  /// rounding error, where rounding and curvature contribute alike. Sane: 1e-9 to 1e-5.
  double power_difference = 1e-7;
  /// Newton iteration in the stages of the implicit method.
  dynamics::StageNewtonParameters newton = {};

  // Joint limits.
  /// A limit is reached when it is passed by this (rad, or body sizes): far below the promised 1e-9, far
  /// above rounding. Sane: 1e-13 to 1e-10.
  double limit_slack = 1e-11;
  /// A limit that opens by less than this (rad, or body sizes) before it is reached again rests: several
  /// slacks, because an impact at one limit opens others, and below the promised 1e-9. Sane: 3 to 30 slacks.
  double limit_rest = 1e-10;
  /// Speeds at a limit below this, per time scale, are rounding. Sane: 1e-14 to 1e-10.
  double limit_round_off = 1e-12;
  /// Part of the terms of an acceleration at a limit that is rounding. Sane: 1e-14 to 1e-9.
  double limit_acceleration = 1e-12;
  /// Pivots for each limit that is touched. Murty's method takes about one for each, and in the worst case
  /// doubles with each. Sane: 10 to 1000.
  size_t limit_pivots = 100;
  /// Events at limits are located to this part of the time scale. Sane: 1e-15 to 1e-11.
  double limit_time = 1e-13;
  /// Number of times at which limits are checked inside a step. A step is a small part of the fastest
  /// oscillation. Sane: 2 to 32.
  int limit_samples = 4;
  /// A limit was not stopped if, after an impact, more than this part of its approach speed is left.
  /// Sane: 0.1 to 0.9.
  double overrun_speed = 0.5;
};

}  // namespace tumble::simulate
