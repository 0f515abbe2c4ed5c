// Numbers of the leapfrog stepper. The error of a run follows from the accuracy alone; these decide how it is
// reached.
#pragma once

namespace tumble::simulate {

struct LeapfrogParameters {
  // Step length.
  /// A whole step is at most this many sqrt(accuracy) time scales: its error is then about a third of the
  /// accuracy. Sane: 0.4 to 1.6.
  double step_scale = 0.8;
  /// rad. A drift in which a body turns farther is halved: the linear model of turning is wrong by its
  /// square, 1/8 of the way at 0.5. Sane: 0.25 to 1.
  double largest_turn = 0.5;
  /// A drift whose linear part leaves joints open by more than this part of a body's size is halved. A whip of twenty links gains as much
  /// energy as it has within 5 s without it, and 4 % with it. Sane: 0.02 to 0.1.
  double largest_joint_gap = 0.05;
  /// Halving ends at this part of a whole step. Sane: 1e-5 to 1e-3.
  double shortest_half = 1.0 / 4096;
  /// Parts of a step are no shorter than this part of it.
  /// Sane: 1e-8 to 1e-4.
  double shortest_part = 1e-6;
  /// Rounding of 1/fps over a step that divides it, relatively. Sane: 1e-12 to 1e-6.
  double frame_rounding = 1e-9;

  // Contact.
  /// Residual asked of the contact solver, relative to the largest impulse of an island. Sane: 1e-10 to 1e-6.
  double residual = 1e-8;
  /// Enough where a contact problem is hard: forces are then right to six digits. More is a warning. Sane: 1e-8 to 1e-4.
  double hard_residual = 1e-6;
  /// Bodies within this many contact offsets touch. Sane: 1.1 to 3.
  double touching = 1.5;
  /// Friction below this part of the largest possible sticks: rounding away from 1. Sane: 1 - 1e-6 to 1 -
  /// 1e-12.
  double sticking = 1 - 1e-9;
  /// A contact approaches in an impact if it does so faster than this many times what gravity gives in a
  /// step. Resting contact approaches by once that. Sane: 1 to 8.
  double impact_speed = 2;
  /// An impact is looked for where something approaches faster than this part of that speed with the
  /// velocities of the last drift. At t_n gravity has added a quarter of that speed to them. Sane: 0.2 to 1.
  double impact_screen = 0.5;
  /// After an impact contacts approach by no more than this part of that speed. Sane: 1e-12 to 1e-6.
  double impact_rest = 1e-9;

  // Joints and limits.
  /// Joints are closed to this part of accuracy and size; limits may be passed by as much. Sane: 1e-3 to 0.1.
  double joint_tolerance = 1e-2;
  /// What joints are left open adds up to a change of energy: this part of the cube of steps over time
  /// scales, so that over a time scale it is this part of the second-order error that a step has anyway.
  /// Sane: 1e-4 to 1e-2.
  double joint_rest = 1e-3;
  /// Limits nearer than this (rad, or body sizes) get a row in every kick; others when a drift passes them.
  /// Sane: 0.02 to 0.5.
  double limit_shell = 0.1;
  /// A limit that is passed by half of what is allowed may be passed further by this part of it in a drift:
  /// rounding. Sane: 1e-5 to 0.1.
  double limit_rest = 1e-3;

  // Refinement of a kick.
  /// Times that rows are added, raised or the drift is cut before bodies are held. Shipped scenes need fewer than half. Sane: 16 to 128.
  int most_rounds = 32;
  /// Rounds after which the drift is halved. Sane: 2 to most_rounds.
  int patient_rounds = 6;
  /// A drift cut to more than this part of itself counts as hardly shorter. Sane: 0.7 to 0.99.
  double hardly_shorter = 0.9;
};

}  // namespace tumble::simulate
