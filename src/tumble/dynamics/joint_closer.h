// Closes joints at the end of a step, by Newton's method with the factors of its beginning. Each iteration
// solves (1) of kick_problem.h for what joints are still open, and for the change of angular momenta that
// comes with the inertia of the middle of the step. Poses and velocities at one instant are another problem:
// joint_projection.h, which says what the two share.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/joint_gap.h"
#include "tumble/dynamics/kick_joints.h"
#include "tumble/dynamics/kick_parameters.h"
#include "tumble/dynamics/step_inertia.h"

namespace tumble::dynamics {

/// How far joints are open (parts of their bodies' size, or rad): as the linear step alone leaves them, and
/// at the end; and whether that is as little as asked.
struct JointClosing {
  double before = 0, after = 0;
  bool closed = true;
};

class JointCloser {
 public:
  explicit JointCloser(const ClosingParameters& parameters) : parameters_(parameters) {}
  /// Changes v, and the multipliers l with it, so that joints are closed to `tolerance` where a drift of h
  /// from `where` ends, and to `rest`, if that is less, as far as iterations go.
  JointClosing close(const model::State& where, double h, double tolerance, double rest,
                     const KickBodies& bodies, const KickJoints& joints, StepInertia& inertia,
                     KickSystem& system, std::vector<double>& v, std::vector<double>& l);

 private:
  ClosingParameters parameters_;
  // Scratch.
  std::vector<double> x_, y_;  // the right side of an iteration, then its solution: by dof of nodes, by row
  std::vector<double> turns_;  // quaternions of the drift, by node
  std::vector<model::BodyMotion>
      end_;  // by body of the scene: poses at the end, of bodies of joints that hold no point
};

}  // namespace tumble::dynamics
