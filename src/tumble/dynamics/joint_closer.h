// Closes joints at the end of a drift, by Newton's method with the factors of its start. Each iteration
// solves (1) of kick_problem.h for the remaining joint errors, and for the change of angular momenta that
// follows from the inertia at the middle of the step. Stiff laws whose coordinate is not a linear function of
// the motion act by its true change in the drift, found in the same iterations. joint_projection.h closes
// joints at one instant; it says what the two methods share.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/joint_gap.h"
#include "tumble/dynamics/kick_joints.h"
#include "tumble/dynamics/kick_laws.h"
#include "tumble/dynamics/kick_parameters.h"
#include "tumble/dynamics/step_inertia.h"

namespace tumble::dynamics {

/// Largest joint errors (parts of the bodies' size, or rad): after the linear step alone, and at the end.
/// `excess`: how far they exceed what the drift may leave of the errors at its start. `closed` says whether
/// they are within the tolerance.
struct JointClosing {
  double before = 0, after = 0, excess = 0;
  bool closed = true;
};

class JointCloser {
 public:
  explicit JointCloser(const ClosingParameters& parameters) : parameters_(parameters) {}
  /// Changes v and the multipliers l so that joints are closed to `tolerance` at the end of a drift of h from
  /// `where`. Iterates further to `target`, if that is smaller, as long as iterations help.
  JointClosing close(const model::State& where, double h, double tolerance, double target,
                     const KickBodies& bodies, const KickJoints& joints, KickLaws& laws, StepInertia& inertia,
                     KickSystem& system, std::vector<double>& v, std::vector<double>& l);

 private:
  ClosingParameters parameters_;
  // Scratch.
  std::vector<double> x_, y_;      // right-hand side of an iteration, then its solution: by dof, by row
  std::vector<double> lengths_;    // impulses of laws in an iteration, by dof
  std::vector<double> rotations_;  // quaternions of the drift, by node
  // By body of the scene: poses at the end of the drift, of bodies with joints that do not hold a point.
  std::vector<model::BodyMotion> end_;
};

}  // namespace tumble::dynamics
