// Numbers of the leapfrog stepper. The error of a run follows from the accuracy alone; these numbers decide
// how it is reached.
#pragma once

namespace tumble::simulate {

struct LeapfrogParameters {
  // Step length.
  /// A whole step is at most this many sqrt(accuracy) time scales. Its error is then about a third of the
  /// accuracy. Sane: 0.4 to 1.6.
  double step_scale = 0.8;
  /// rad. A drift in which a body rotates farther is halved. The relative error of the linear model of a
  /// rotation is half the square of the angle, 1/8 at 0.5. Sane: 0.25 to 1.
  double largest_rotation = 0.5;
  /// The same for jointed bodies while a contact carries them, in units of the root of the accuracy. Forces
  /// at contact and joints change with its rotation: energy is then wrong by the square of the angle.
  /// Sane: 0.12 to 0.5.
  double carried_rotation = 0.25;
  /// A drift is halved if its linear solution leaves joint errors above this part of a body's size, times the
  /// square of step_scale sqrt(accuracy). A joint that swings with the time scale T of the scene has such an
  /// error of (h/T)^2 / 2. So joints that move faster get shorter steps, and the energy converges with the
  /// accuracy. Sane: 0.5 to 2.
  double largest_joint_gap = 1;
  /// The linear model of joints fails, and a drift is halved, from such errors on. Sane: 0.01 to 0.05.
  double model_joint_gap = 0.025;
  /// Halving ends at this part of a whole step. Sane: 1e-5 to 1e-3.
  double shortest_half = 1.0 / 4096;
  /// A part of a step is no shorter than this part of a whole step.
  /// Sane: 1e-8 to 1e-4.
  double shortest_part = 1e-6;
  /// Relative rounding error of the grid interval divided by a step that divides it. Sane: 1e-12 to 1e-6.
  double grid_rounding = 1e-9;

  // Contact.
  /// Residual that the contact solver must reach, relative to the largest impulse of an island.
  /// Sane: 1e-10 to 1e-6.
  double residual = 1e-8;
  /// Residual that suffices for a hard contact problem: forces are then right to six digits. A larger
  /// residual causes a warning. Sane: 1e-8 to 1e-4.
  double hard_residual = 1e-6;
  /// A contact sticks if its friction is below this part of mu times the normal impulse. The distance from 1
  /// is for rounding. Sane: 1 - 1e-6 to 1 - 1e-12.
  double sticking = 1 - 1e-9;
  /// A contact is in an impact if its approach speed exceeds this many times the speed that gravity, force
  /// laws, joints or contacts give one of the two bodies in a step. A resting contact approaches at one times
  /// that speed. Sane: 1 to 8.
  double impact_speed = 2;
  /// The same without restitution. A resting contact approaches at half of that speed. Sane: 0.7 to 4.
  double stop_speed = 1;
  /// Impacts are searched only if, with the velocities of the last drift, an approach speed exceeds this part
  /// of the impact speed. Until t_n the two bodies have gained at most half of that speed. Sane: 0.2 to 1.
  double impact_screen = 0.5;
  /// Islands with more contacts and limits than this take an impact without restitution in one problem with
  /// the contacts that carry. This is of first order in the step, and saves a contact problem.
  /// Sane: 15 to 60.
  int largest_located = 30;

  /// A tight contact carries nothing if joints leave less than this part of the mobility of its bodies along
  /// the normal. Rounding leaves 1e-14. Bodies whose masses differ by less than 1e9 have more.
  /// Sane: 1e-12 to 1e-8.
  double immobile = 1e-10;

  /// The drift of a body is changed by at most this part of its radius to match its momentum. That is far
  /// below the contact offset at the default accuracy, 1e-5. Sane: 1e-10 to 1e-7.
  double matched_drift = 1e-8;

  // Joints and limits.
  /// Joints are closed to this part of accuracy times size. Limits may be passed by as much.
  /// Sane: 1e-3 to 0.1.
  double joint_tolerance = 1e-2;
  /// Joints contradict each other if a drift of at most this part of a step adds more than this part of their
  /// tolerance to their errors, and a drift of twice the length about as much per time: the smaller of the
  /// two is more than this part of the larger. The error of a contradiction is proportional to the drift.
  /// What the linear model leaves falls with its square at least.
  /// Sane: 0.03 to 0.3; 0.01 to 0.4; 0.55 to 0.95.
  double contradicting_drift = 0.125, contradicting_gap = 0.1, contradicting_parting = 0.75;
  /// Remaining joint errors accumulate to a change of energy. They are reduced to this part of the cube of
  /// the step over the time scale. Over a time scale the change is then this part of the second-order error
  /// that steps have anyway. Sane: 1e-4 to 1e-2.
  double joint_residual = 1e-3;
  /// Limits nearer than this (rad, or body sizes) get a row in every kick. Others get one when a drift passes
  /// them.
  /// Sane: 0.02 to 0.5.
  double limit_shell = 0.1;
  /// Limits whose gradient is below this get no row. It is 1 for a coordinate, and the part of the largest
  /// swing for a swing. Sane: 1e-6 to 0.1.
  double limit_gradient = 1e-3;
  /// A limit that is already passed by half of its tolerance may be passed further by this part of the
  /// tolerance in a drift, for rounding. Sane: 1e-5 to 0.1.
  double limit_residual = 1e-3;

  // Refinement of a kick.
  /// Rounds in which rows are added, biases are raised or the drift is cut, before bodies are held. The
  /// shipped scenes need fewer than half. Sane: 16 to 128.
  int max_rounds = 32;
  /// The drift is halved after every so many rounds. Sane: 2 to max_rounds.
  int patient_rounds = 6;
  /// After max_rounds the drift is cut to this part before every further try, down to shortest_half. Only
  /// then bodies are held. Sane: 0.02 to 0.5.
  double desperate_cut = 1.0 / 8;
  /// A drift cut to more than this part of itself counts as not shortened. Sane: 0.7 to 0.99.
  double hardly_shorter = 0.9;
};

}  // namespace tumble::simulate
