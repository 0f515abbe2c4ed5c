// One interface over both methods: it advances a state step by step. Simulation uses it. The two implementations are adapters in
// stepper.cpp: each holds the stepper of its method and the memory that goes with it.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/runge_kutta/stepper.h"
#include "tumble/simulate/step_report.h"

namespace tumble::simulate {

struct SimulationOptions;

/// What, beside the state, decides the next step. A plain value: a copy of it and of the state gives the same future.
using StepperMemory = std::variant<RungeKuttaMemory, LeapfrogMemory>;

/// False where sizes or indices in `memory` do not fit the model: it comes from a damaged file.
bool fits(const StepperMemory& memory, const model::Model& model);
/// Likewise of a state and of contact points.
bool fits(const model::State& state, const model::Model& model);
bool fits(std::span<const contact::ContactEvent> points, const model::Model& model);

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Advances `state` by one step. On failure it leaves the state and the report says why.
  virtual StepReport step(model::State& state) = 0;
  /// The state at a time inside the last step.
  virtual void state_at(double time, model::State& state) = 0;

  virtual const StepperMemory& memory() const = 0;
  /// The memory of a stepper of the same method and model.
  virtual void set_memory(const StepperMemory& memory) = 0;

  /// The model's numbers have changed: what was computed from them is computed anew. Memory stays as it is.
  virtual void model_changed() = 0;
  /// After that, where a run goes on from `state`: what memory foresaw with the old numbers is dropped.
  virtual void begin_anew(const model::State& state) = 0;

  virtual const Scales& scales() const = 0;
  /// s, the longest step of a method with steps of one length; 0: the error decides.
  virtual double step_length() const { return 0; }
  /// How often forces were evaluated.
  virtual long long evaluations() const { return 0; }
  /// True when rounding, not accuracy, sets the error.
  virtual bool limited_by_rounding() const { return false; }
  /// J, elastic energy of compliant contact at a time inside the last step: part of the potential energy.
  virtual double contact_energy(double /*time*/) const { return 0; }
  /// Reactions of joints at a state with which a run starts: numbers as in model::State::impulses, per second.
  virtual std::vector<double> reactions_at_start(const model::State& start) const = 0;

  /// Points that passed on an impulse in the last step.
  virtual std::span<const contact::ContactEvent> contacts() const { return {}; }
  /// The body of an item of contact::ContactEvent.
  virtual core::BodyId body_of_item(uint32_t) const { return {}; }
  /// Where the time of steps with contact went.
  virtual StepTimes times() const { return {}; }
  virtual collision::ManifoldBuilder::Counters pair_counters() const { return {}; }
};

/// The stepper of the method. `options` as resolve() gives them; the model must outlive it. `scales`: those of the start
/// of a run, where it goes on with a model that has changed.
std::unique_ptr<Stepper> make_stepper(const model::Model& model, const SimulationOptions& options,
                                      const std::optional<Scales>& scales = {});

}  // namespace tumble::simulate
