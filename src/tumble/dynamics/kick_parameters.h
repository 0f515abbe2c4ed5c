// Numbers of a kick (kick_problem.h): one field each, with its unit, its reason and a sane range.
#pragma once

#include "tumble/dynamics/linear/linear_parameters.h"

namespace tumble::dynamics {

/// The theta method for implicit force laws (law_weights.h).
struct ThetaParameters {
  /// theta - 1/2, divided by h w. A mode loses pi/16 (h w)^2 of its energy a period: 0.2 % at h w = 0.1, and
  /// twice that if its law overestimates its frequency by two because a joint makes a body harder to rotate.
  /// From h w = 32 on a step leaves a thirtieth of the mode or less. Sane: 1/256 to 1/16.
  double rise = 1.0 / 64;
  /// A law with at most this h w (rad) is soft: its impulse contributes to the midpoint rotation, and theta
  /// of a compliant contact layer is less than 1. Sane: 0.1 to 1.
  double soft_step = 0.3;
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

struct KickParameters {
  ThetaParameters theta;
  ClosingParameters closing;
  MidRotationParameters mid_rotation;
  ProximalParameters proximal;
};

}  // namespace tumble::dynamics
