// Closes joints at one instant, by Newton's method: the nearest poses at which all constraints hold, in the
// metric of the masses, then the nearest velocities that keep them closed,
//   M dx + J^T l = 0,   J dx = -C;       M dv + J^T l = 0,   J dv = -C'                                     (1)
// with J made anew at each iteration. JointCloser (joint_closer.h) solves another problem, and shares only
// the measure of a gap and the end of the iteration (joint_gap.h): poses at the start of its drift stay,
// velocities alone are unknown, J and the factors are those of the kick, contacts and resisting laws are in
// its matrix, and each iteration also corrects the inertia of the middle of the step.
#pragma once

#include "tumble/dynamics/constrained_bodies.h"

namespace tumble::dynamics {

struct ProjectionParameters {
  /// Newton's iterations. Each squares the gap until rounding stops it. Sane: 5 to 20.
  int most_iterations = 8;
  /// An iteration that leaves more than this part of the gap has met rounding. Sane: 0.1 to 0.5.
  double stall = 0.25;
  /// A gap of this part of the bodies' size is squared below rounding by one iteration, and its factors are
  /// good enough for the velocities. Sane: 1e-9 to 1e-8, the square root of rounding.
  double small_gap = 1e-8;
  /// It was, if no more than this part of the gap is left, or rounding. Sane: 1e-6 to 1e-2.
  double closed_part = 1e-4;
  /// Rounding of a gap, as a part of the bodies' size and distance from the origin. Sane: 2e-16 to 1e-14.
  double round_off = 1e-15;
};

class JointProjection {
 public:
  explicit JointProjection(ConstrainedBodies& bodies, const ProjectionParameters& parameters = {})
      : bodies_(&bodies), parameters_(parameters) {}

  /// Moves the bodies of y, model::State::y, and changes their momenta, by (1). Returns what is left of the
  /// gap.
  /// `hinge_angles`: as for ConstrainedBodies::place().
  JointGap project(double t, double* y, const double* hinge_angles);

 private:
  void move_to_close(double* y);
  void correct_velocities(double* y);
  double rounding_at(const double* y, const JointGap& gap) const;

  ConstrainedBodies* bodies_;
  const ProjectionParameters parameters_;
};

/// The nearest velocities where `bodies` were factored: M v + J^T l = (P, L), J v = bodies.rows(), into which
/// l goes.
void project_velocities(ConstrainedBodies& bodies, double* y);

}  // namespace tumble::dynamics
