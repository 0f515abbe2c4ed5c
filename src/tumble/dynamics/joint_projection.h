// Closes joints at one instant, by Newton's method: the nearest poses at which all constraints hold, in the
// metric of the masses, then the nearest velocities that keep them closed,
//   M dx + J^T l = 0,   J dx = -C;       M dv + J^T l = 0,   J dv = -C'                                   (1)
// with J evaluated again in each iteration. JointCloser (joint_closer.h) solves another problem, and shares
// only the measure of a gap and the stopping test (joint_gap.h): there the poses at the start of the drift
// are given, only velocities are unknown, J and the factors are those of the kick, contacts and implicit laws
// are in the matrix, and each iteration also corrects the inertia at the middle of the step.
#pragma once

#include "tumble/dynamics/constrained_bodies.h"

namespace tumble::dynamics {

struct ProjectionParameters {
  /// Newton iterations. Each squares the gap until rounding stops it. Sane: 5 to 20.
  int max_iterations = 8;
  /// An iteration that leaves more than this part of the gap has reached rounding. Sane: 0.1 to 0.5.
  double stall = 0.25;
  /// One iteration squares a gap of this part of the bodies' size to below rounding. The factors are then
  /// good enough for the velocities. Sane: 1e-9 to 1e-8, the square root of rounding.
  double small_gap = 1e-8;
  /// That iteration has succeeded if it leaves at most this part of the gap, or rounding. Sane: 1e-6 to 1e-2.
  double closed_part = 1e-4;
  /// Rounding error of a gap, in parts of the bodies' size and distance from the origin. Sane: 2e-16 to
  /// 1e-14.
  double round_off = 1e-15;
};

class JointProjection {
 public:
  explicit JointProjection(ConstrainedBodies& bodies, const ProjectionParameters& parameters = {})
      : bodies_(&bodies), parameters_(parameters) {}

  /// Changes poses and momenta of y, model::State::y, by (1). Returns the remaining gap. `hinge_angles`: as
  /// for ConstrainedBodies::update_motions().
  JointGap project(double t, double* y, const double* hinge_angles);

 private:
  void correct_poses(double* y);
  void correct_velocities(double* y);
  double rounding_at(const double* y, const JointGap& gap) const;

  ConstrainedBodies* bodies_;
  const ProjectionParameters parameters_;
};

/// Computes the nearest velocities, at the motions `bodies` was factored for: M v + J^T l = (P, L),
/// J v = bodies.rows(). Then bodies.rows() holds l.
void project_velocities(ConstrainedBodies& bodies, double* y);

}  // namespace tumble::dynamics
