// Numbers of a kick (kick_problem.h): one field each, with its unit, its reason and a sane range.
#pragma once

#include "tumble/dynamics/linear/linear_parameters.h"

namespace tumble::dynamics {

/// Implicit force laws (law_weights.h).
struct LawParameters {
  /// h/T: the length of a whole step of the asked accuracy, in units of the scene's time scale. The stepper
  /// sets it.
  double step_share = 0.025;
  /// e of modes that a step does not resolve at all, in units of h/T. Sane: 0.5 to 2.
  double damping = 1;
  /// (h w)^4 at which e is half of that. A mode with 12 steps a period then loses 0.03 % of its energy in a
  /// period. Sane: 10 to 160.
  double half_damped = 40;
  /// h w from which a law's velocity at t_n is damped. Sane: 15 to 60.
  double stiff_step = 30;
  /// h w from which a law acts like a rod in an impact, by the same damping. The drift after the impact does
  /// not resolve how the law gives way and comes back. Sane: 1 to 4.
  double rod_step = 2;
  /// The largest such damping, times the mobility: all but this part of the velocity is taken. Sane: 1e2 to
  /// 1e6.
  double most_ringing = 1e4;
  /// Changes of a length below this part of the coordinates that enter it are rounding. Sane: 1e-15 to 1e-14.
  double length_rounding = 2e-15;
  /// A law with at most this h w (rad) is soft: its impulse contributes to the midpoint rotation, the change
  /// of its coordinate in a drift is taken as linear, and theta of a compliant contact layer is less than 1.
  /// Sane: 0.1 to 1.
  double soft_step = 0.3;
  /// theta - 1/2 of a compliant contact layer, divided by h w. Sane: 1/256 to 1/16.
  double layer_rise = 1.0 / 64;
  /// From this h d/m on damping is fully implicit: nothing of the damped motion is left after a step.
  /// Sane: 30 to 1e6.
  double heavy_damping = 100;
};

/// Newton's method that closes joints at the end of a step (joint_closer.h).
struct ClosingParameters {
  /// Newton iterations. Each squares the gap. In loops, contradictions of redundant rows remain. Sane: 3 to
  /// 20.
  int max_iterations = 6;
  /// The iteration stops if an iteration leaves more than this part of the gap. Sane: 0.1 to 0.9.
  double stall = 0.5;
  /// Gaps up to this (rad, or parts of a body's size) are rounding and need no iteration. Sane: 1e-14 to
  /// 1e-9.
  double round_off = 1e-12;
};

/// The fixed-point iteration for the rotation at the middle of a step (midpoint_inertia.h).
struct MidRotationParameters {
  /// Each iteration gains a factor of half the rotation angle of a step, at most a quarter. Sane: 10 to 50.
  int max_iterations = 20;
  /// The iteration ends when the angle changes by less than this (rad). The error accumulates from step to
  /// step, and free bodies spin for millions of steps. Sane: 1e-14 to 1e-9.
  double angle_change = 1e-12;
};

/// The frequencies of laws under the joints of their bodies (kick_laws.h).
struct FrequencyParameters {
  /// They are computed if the number of laws times the number of bodies is at most this: each law takes the
  /// solution of one to three linear systems. Sane: 1e5 to 1e7.
  double largest_problem = 1e6;
  /// Mobilities below this part of the largest one are rounding. Sane: 1e-12 to 1e-6.
  double round_off = 1e-9;
};

struct KickParameters {
  FrequencyParameters frequencies;
  LawParameters laws;
  ClosingParameters closing;
  MidRotationParameters mid_rotation;
  ProximalParameters proximal;
};

}  // namespace tumble::dynamics
