// The data that the parts of a kick problem fill: the step, the motions of bodies and the system (1) of
// kick_problem.h.
#pragma once

#include <vector>

#include "tumble/dynamics/linear/kkt_solver.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

/// The kick at t_n, between two drifts.
struct KickStep {
  double time = 0;      // s, t_n
  double h_before = 0;  // s, h-: length of the drift before
  double h = 0;         // s, length of the drift after; 0: velocities at t_n itself
  double kick = 0;      // s, k = (h- + h)/2
  double rate = 0;      // 1/s: J v reduces joint errors C at this rate
  double share = 0;     // the part of C that the drift corrects, 0 to 1
};

/// Filled by KickProblem::assemble() and solve_without_contacts(), stage by stage.
struct KickSystem {
  KickStep step;
  std::vector<model::BodyMotion> motions;  // by body of the scene, at t_n with the velocities before the kick
  KktSolver matrix;                        // A and J
  std::vector<double> b;                   // N s and N m s, six a node
  std::vector<double> c;                   // m/s or rad/s, one a row of J
  std::vector<double> angular_impulse;     // N m s, three a node: those that act on the midpoint rotation
  bool has_contact_couplings = false;      // the pattern of `matrix` includes couplings of contacts
};

}  // namespace tumble::dynamics
