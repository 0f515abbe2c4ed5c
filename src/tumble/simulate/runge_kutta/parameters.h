// Numbers of the Runge-Kutta stepper. The error of a run follows from the accuracy alone; these decide how it
// is reached.
#pragma once

#include <limits>

#include "tumble/dynamics/integrators/esdirk.h"
#include "tumble/dynamics/joint_projection.h"

namespace tumble::simulate {

struct RungeKuttaParameters {
  // Error control.
  /// Local error allowed per step, as a part of the accuracy per time scale T: errors of many steps add up.
  /// Sane: 0.003 to 0.03.
  double step_share = 0.01;
  /// No error below this part of the number itself is asked for: a sum of a dozen products is rounded by as
  /// much. Sane: 4 to 32 epsilon.
  double round_off = 8 * std::numeric_limits<double>::epsilon();
  /// A step is this part of what the error estimate allows. Sane: 0.7 to 0.97.
  double safety = 0.9;
  /// Smallest and largest ratio of a step to the one before. Sane: 0.1 to 0.5, 2 to 10.
  double largest_shrink = 0.2, largest_growth = 4;
  /// Weight of the last error: the P part of a PI controller, and how much of it the present error loses
  /// [Hairer, Norsett, Wanner I, program DOP853]. Sane: 0 to 0.1, 0.5 to 1.
  double last_error_weight = 0.04, last_error_share = 0.75;
  /// Weight of the estimate of third order beside that of fifth in Dormand and Prince's method of eighth
  /// order [Hairer, Norsett, Wanner I, II.10, (10.17)].
  double third_order_weight = 0.01;
  /// Errors below this many tolerances say only that the step was far too short. Sane: 1e-6 to 1e-2.
  double least_error = 1e-4;
  /// Longest step, in T: the dense output of a longer one loses digits to the size of its coefficients. Sane:
  /// 8 to 128.
  double longest_step = 32;
  /// Steps below this part of T lead nowhere when so many follow each other: the motion is singular.
  /// Sane: 1e-12 to 1e-6, 100 to 1e5.
  double tiny_step = 1e-9;
  int most_tiny_steps = 1000;
  /// After a start or a switch steps are very short at first: those in this part of T say nothing about the
  /// motion. Sane: 1e-3 to 0.1.
  double starting_time = 0.01;
  /// The first step [Hairer, Norsett, Wanner I, II.4]: a change of this part of the scales; below the least
  /// slope (scales per T) this part of T, and a whole T where nothing changes; at most so many times the
  /// first guess.
  double first_change = 0.01, least_slope = 1e-10, first_guess = 1e-6, no_change = 1e-15,
         most_first_guesses = 100;

  // Joints and rotation.
  /// A joint that cannot be closed to this part of its bodies' size contradicts others: far above what
  /// Newton's method leaves, even near singular positions, far below what anyone would call closed. Sane:
  /// 1e-11 to 1e-7.
  double open_joint = 1e-9;
  /// The rotational energy of a body agrees with its account to this, relatively, unless someone changed the
  /// state: some hundred roundings. Sane: 1e-14 to 1e-11.
  double energy_round_off = 1e-13;
  /// A projection that misses the account by less than this part of that settles it. Sane: 0.01 to 1.
  double energy_rest = 0.1;
  dynamics::ProjectionParameters projection = {};

  // Stiffness.
  /// h |lambda| from which on steps are as long as stability allows, not accuracy: the explicit method is
  /// stable to 6.4 along the negative axis and between 5 and 6 along the imaginary one, where it damps by
  /// 1.5e-3 a step at 3. Sane: 1.5 to 6.
  double stable_step = 3;
  /// h |lambda| from which on the implicit method pays: a step of ten links with springs costs as much as
  /// four or five explicit ones. Sane: 6 to 24.
  double worth_implicit = 12;
  /// Steps between two estimates. Sane: 10 to 100.
  int stiffness_interval = 20;
  /// Equal answers in a row that change the method; twice as many each time it did not pay, up to
  /// most_patience. Sane: 1 to 8, 16 to 4096.
  int stiff_answers = 2, most_patience = 256;
  /// The power method: how far, in scales of the bodies, the slope is compared: the root of the rounding,
  /// where rounding and curvature of a difference are alike. Sane: 1e-9 to 1e-5.
  double power_difference = 1e-7;
  /// Of the stages of the implicit method.
  dynamics::StageNewtonParameters newton = {};

  // Limits of joints.
  /// A limit is reached when it is passed by this (rad, or body sizes): far below what is promised (1e-9),
  /// far above rounding. Sane: 1e-13 to 1e-10.
  double limit_slack = 1e-11;
  /// Speeds at a limit below this, per time scale, are rounding. Sane: 1e-14 to 1e-10.
  double limit_round_off = 1e-12;
  /// Events at limits are located to this part of the time scale. Sane: 1e-15 to 1e-11.
  double limit_time = 1e-13;
  /// How often limits are looked at inside a step, which spans a small part of the fastest oscillation. Sane:
  /// 2 to 32.
  int limit_looks = 4;
  /// A limit that is still approached with more than this part of its speed after an impact was not stopped
  /// at all. Sane: 0.1 to 0.9.
  double overrun_speed = 0.5;
};

}  // namespace tumble::simulate
