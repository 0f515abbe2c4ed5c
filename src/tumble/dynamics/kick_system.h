// What the parts of a kick problem fill: the step, the motions of bodies and the system (1) of
// kick_problem.h.
#pragma once

#include <vector>

#include "tumble/dynamics/linear/kkt_solver.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

/// The kick at t_n, between the drift before it and the one after.
struct KickStep {
  double time = 0;    // s, t_n
  double before = 0;  // s, h-: the drift before
  double h = 0;       // s, the drift after; 0: velocities at t_n itself
  double kick = 0;    // s, k = (h- + h)/2
  double rate = 0;    // 1/s, of C: J v takes back this part a second
  double share = 0;   // of C: the part that the drift takes back, 0 to 1
};

/// Filled by KickProblem::assemble() and solve_alone(), stage by stage.
struct KickSystem {
  KickStep step;
  std::vector<model::BodyMotion> motions;  // by body of the scene, at t_n with the velocities before the kick
  KktSolver matrix;                        // A and J
  std::vector<double> b;                   // N s and N m s, six a node
  std::vector<double> c;                   // m/s or rad/s, one a row of J
  std::vector<double>
      turning;  // N m s, three a node: kicks that turn bodies on the way to the middle of the step
  bool tied_by_contacts = false;  // the pattern of `matrix` has more ties than laws and joints make
};

}  // namespace tumble::dynamics
