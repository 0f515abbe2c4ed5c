// Numbers of a kick (kick_problem.h): one field each, with its unit, its reason and a sane range.
#pragma once

#include "tumble/dynamics/linear/linear_parameters.h"

namespace tumble::dynamics {

/// The theta method for laws that resist (law_weights.h).
struct ThetaParameters {
  /// How far theta exceeds 1/2, over h w. A mode loses pi/16 (h w)^2 of its energy a period: 0.2 % at h w =
  /// 0.1, and twice that where its law counts it twice as fast because a joint makes a body harder to turn.
  /// From h w = 32 on a step leaves a thirtieth of it or less. Sane: 1/256 to 1/16.
  double rise = 1.0 / 64;
  /// Up to this h w (rad) a law is soft: its kick turns bodies on the way to the middle of the step, and
  /// theta of a layer between bodies is less than 1. Sane: 0.1 to 1.
  double soft_step = 0.3;
  /// From this h d/m on damping is taken wholly at the end of the step: nothing is left of what it damps.
  /// Sane: 30 to 1e6.
  double heavy_damping = 100;
};

/// Newton's method that closes joints at the end of a step (joint_closer.h).
struct ClosingParameters {
  /// Newton steps. Each squares the gap; loops keep what redundant rows disagree about. Sane: 3 to 20.
  int most_iterations = 6;
  /// An iteration that leaves more than this part of the gap leads nowhere. Sane: 0.1 to 0.9.
  double stall = 0.5;
  /// Gaps up to this (rad, or parts of a body's size) need no iteration: rounding. Sane: 1e-14 to 1e-9.
  double round_off = 1e-12;
};

/// The fixed-point iteration for the rotation in the middle of a step (midpoint_inertia.h).
struct MidRotationParameters {
  /// Each iteration gains the factor of half the angle of a step, which is at most a quarter. Sane: 10 to 50.
  int most_iterations = 20;
  /// It ends when the angle changes by less than this (rad): what is left adds up from step to step, and free
  /// bodies spin for millions of them. Sane: 1e-14 to 1e-9.
  double angle_change = 1e-12;
};

struct KickParameters {
  ThetaParameters theta;
  ClosingParameters closing;
  MidRotationParameters mid_rotation;
  ProximalParameters proximal;
};

}  // namespace tumble::dynamics
