// Joint gaps, i.e. the constraint error C of joints, and the end of Newton's method that closes them. Used by
//   JointProjection (joint_projection.h)   at one instant: the nearest poses and velocities of a state
//   JointCloser (joint_closer.h)           over a drift: velocities for which joints are closed at its end
#pragma once

#include <limits>

#include "tumble/model/model.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::dynamics {

/// The unit of a row of a constraint: 1 rad, or the size of its bodies (m).
inline double unit_of_row(const model::Model& model, const model::Constraint& constraint, int row) {
  return constraint.is_angle(row) ? 1 : model.size_of(constraint);
}

/// C of a row in m; an angle is multiplied by the size of its bodies (m).
inline double gap_in_meters(const model::Constraint& constraint, int row, double size, double C) {
  return constraint.is_angle(row) ? size * C : C;
}

/// The largest |C| of some joints.
struct JointGap {
  double error = 0;                           // m; an angle is multiplied by the size of its bodies
  int constraint = model::kNone;              // the joint with the largest error
  const model::Constraint* widest = nullptr;  // that joint, or an active limit with a larger error
};

/// Decides when Newton's method on joints ends: after too many iterations, or when an iteration gains too
/// little. In the latter case rounding is reached, or joints contradict each other.
class NewtonProgress {
 public:
  /// `stall`: an iteration must reduce the gap below this part of it.
  NewtonProgress(int max_iterations, double stall) : max_iterations_(max_iterations), stall_(stall) {}
  bool is_first() const { return iterations_ == 0; }
  /// True if the iteration must stop at this gap, which may be NaN.
  bool should_stop(double gap) const { return iterations_ == max_iterations_ || !(gap < stall_ * last_gap_); }
  /// To be called before an iteration that starts from this gap.
  void count_iteration(double gap) { last_gap_ = gap, ++iterations_; }

 private:
  int max_iterations_;
  double stall_;
  int iterations_ = 0;
  double last_gap_ = std::numeric_limits<double>::infinity();
};

}  // namespace tumble::dynamics
