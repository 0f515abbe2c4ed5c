// A driver leads a scene through time, step by step. Programs that offer both speak to this; from C++ each can be used by itself, with more to
// ask for (simulate/runge_kutta/stepper.h, simulate/leapfrog/stepper.h).
#pragma once

#include <memory>

#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/runge_kutta/stepper.h"

namespace tumble::simulate {

/// What a step came to. What a method does not know stays 0.
struct StepOutcome {
  double h = 0;      // s, its length
  int rejected = 0;  // trials that were too long
  int impacts = 0;   // of limits of joints, or instants at which bodies hit each other
  bool implicit = false;
  int contacts = 0;  // that pass on an impulse at its end
  int substeps = 0;  // times it was solved again, or cut, because bodies came too near
  int holds = 0, freezes = 0;
  int unsolved = 0;  // contact problems left above the residual asked for
  int passed = 0;    // times that limits of joints were
  int factorisations = 0;
  double residual = 0;  // of contact
  std::string trouble;  // where, when and why there was no step; empty: there was
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Advances `state` by one step, or leaves it and says why not.
  virtual StepOutcome step(model::State& state) = 0;
  /// The state at a time inside the last step.
  virtual void state_at(double time, model::State& state) = 0;

  /// What, beside the state, decides the next step: kept by mark(), told by marked(), taken up by resume().
  virtual void mark() = 0;
  virtual std::vector<double> marked() const = 0;
  virtual void resume(const std::vector<double>& numbers) = 0;

  /// J, stored in layers of soft contact at a time inside the last step: part of the potential energy.
  virtual double stored_energy(double) const { return 0; }

  virtual const Scales& scales() const = 0;
  /// How often forces were evaluated.
  virtual long long evaluations() const { return 0; }
  /// True when rounding, not accuracy, sets the error.
  virtual bool limited_by_rounding() const { return false; }
  /// Itself, if bodies collide in its motion.
  virtual const LeapfrogStepper* fast() const { return nullptr; }
};

/// The model must outlive them.
std::unique_ptr<Stepper> make_stepper(const model::Model& model, const RungeKuttaOptions& options);
std::unique_ptr<Stepper> make_stepper(const model::Model& model, const LeapfrogOptions& options);

}  // namespace tumble::simulate
