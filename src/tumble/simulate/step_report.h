// The result of one step, for both methods.
#pragma once

#include <cstdint>
#include <string>

#include "tumble/model/model.h"

namespace tumble::simulate {

enum class StepStatus {
  done,
  step_too_small,  // no step is short enough for the tolerance: the motion is singular here
  not_finite,      // a slope or state is NaN or infinite
  joints_open,     // joints or limits contradict each other from here on
  jammed,          // a script presses bodies against each other, and neither can give way
  held,            // bodies had to be held in place too often
  stalled,         // steps have become a thousand times shorter for too long
  energy_gained,   // energy grew by far more than the accuracy allows
  diverged,        // a leapfrog step ended in a state that is NaN or infinite
  input_refused    // no step was made: an event of SimulationOptions::inputs cannot be in this state
};

/// Counters that a method does not have stay 0.
struct StepReport {
  StepStatus status = StepStatus::done;
  double h = 0;            // s, length of the step taken
  int rejected = 0;        // trials that were rejected
  int impacts = 0;         // leapfrog: instants with an impact; Runge-Kutta: limits of joints that were hit
  bool implicit = false;   // made by the implicit method for stiff motion
  int contacts = 0;        // contact points that transmitted an impulse
  int halved = 0;          // halvings of the drift, because joints did not close or a body rotated too far
  int substeps = 0;        // refinements of the kick, because bodies came too near or limits were passed
  int holds = 0;           // times bodies had to be held in place
  int freezes = 0;         // times that holding spread to further bodies
  int unsolved = 0;        // contact problems whose residual stayed above the tolerance
  int limits_passed = 0;   // times that joint limits were passed
  int assemblies = 0;      // of the linear system of a kick
  int factorisations = 0;  // of the matrices of kicks and impacts
  int unlocated_impacts = 0;                 // contacts whose impact is of first order in the step
  double impact_loss = 0;                    // J: absorbed because the rounds of an impact did not end
  double numerical_loss = 0;                 // J: taken by the damping of unresolved modes
  double residual = 0;                       // of the contact problem, relative to the largest impulse
  core::BodyId body;                         // on failure: the body that caused it
  core::BodyId near_a, near_b;               // bodies that jam, are held, or whose contact cut the drift
  const model::Constraint* joint = nullptr;  // on failure: the joint, limit or script that could not be kept

  bool good() const { return status == StepStatus::done; }
};

/// Wall time of the stages of steps with contact, s.
struct StepTimes {
  double collision = 0, contact = 0, certificate = 0;
};

/// Pairs of convex shapes: how often the features of the last step still separated them, and how often a new
/// search was needed.
struct PairCounters {
  uint64_t known = 0, searched = 0;
};

/// A message for users: "t = 1.25 s: body "moon": ...".
std::string describe(const StepReport& report, const model::Model& model, double time);

}  // namespace tumble::simulate
