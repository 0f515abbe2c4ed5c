// How far joints are open, and when Newton's method that closes them ends. Both ways to close joints use it:
//   JointProjection (joint_projection.h)   at one instant: the nearest poses and velocities of a state
//   JointCloser (joint_closer.h)           over a drift: the velocities that lead to closed joints
#pragma once

#include <limits>

#include "tumble/model/model.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::dynamics {

/// What 1 of a row of a constraint is measured in: 1 rad, or the size of its bodies (m).
inline double unit_of_row(const model::Model& model, const model::Constraint& constraint, int row) {
  return constraint.is_angle(row) ? 1 : model.size_of(constraint);
}

/// C of a row in m; an angle counts with the size of its bodies (m).
inline double gap_in_meters(const model::Constraint& constraint, int row, double size, double C) {
  return constraint.is_angle(row) ? size * C : C;
}

/// The largest |C| of some joints.
struct JointGap {
  double error = 0;                           // m; an angle counts with the size of its bodies
  int constraint = model::kNone;              // the joint that is widest open
  const model::Constraint* widest = nullptr;  // that joint, or an active limit that is further off
};

/// Newton's method on joints leads nowhere when it has iterated too often, or when an iteration gains too
/// little: then rounding is reached, or joints contradict each other.
class NewtonProgress {
 public:
  /// `stall`: an iteration has to leave less than this part of the gap.
  NewtonProgress(int most_iterations, double stall) : most_iterations_(most_iterations), stall_(stall) {}
  bool is_first() const { return iterations_ == 0; }
  /// Whether to stop at this gap, which need not be a number.
  bool stops_at(double gap) const { return iterations_ == most_iterations_ || !(gap < stall_ * last_gap_); }
  /// An iteration follows.
  void iterate_from(double gap) { last_gap_ = gap, ++iterations_; }

 private:
  int most_iterations_;
  double stall_;
  int iterations_ = 0;
  double last_gap_ = std::numeric_limits<double>::infinity();
};

}  // namespace tumble::dynamics
