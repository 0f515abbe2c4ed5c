// A common interface of both methods, used by Simulation: it advances a state step by step. The two
// implementations are adapters in stepper.cpp. Each holds the stepper of its method and its memory.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/runge_kutta/stepper.h"
#include "tumble/simulate/step_report.h"

namespace tumble::simulate {

struct SimulationOptions;

/// What determines the next step, besides the state. A plain value: a copy of it and of the state leads to
/// the same future.
using StepperMemory = std::variant<RungeKuttaMemory, LeapfrogMemory>;

/// False if sizes or indices in `memory` do not fit the model: it comes from a damaged file.
bool fits(const StepperMemory& memory, const model::Model& model);
/// Likewise for a state and for contact events.
bool fits(const model::State& state, const model::Model& model);
bool fits(std::span<const contact::ContactEvent> points, const model::Model& model);

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Advances `state` by one step. On failure the state is unchanged and the report says why.
  virtual StepReport step(model::State& state) = 0;
  /// The state at a time inside the last step.
  virtual void state_at(double time, model::State& state) = 0;

  virtual const StepperMemory& memory() const = 0;
  /// Sets the memory to that of a stepper of the same method and model.
  virtual void set_memory(const StepperMemory& memory) = 0;

  /// To be called when numbers of the model have changed: updates what was computed from them. Memory stays
  /// as it is.
  virtual void model_changed() = 0;
  /// To be called after model_changed() if the run continues from `state`: discards predictions in memory.
  virtual void restart_from(const model::State& state) = 0;

  virtual const Scales& scales() const = 0;
  /// s, the whole step of a method with steps of constant length; 0: the error decides.
  virtual double step_length() const { return 0; }
  /// How often forces were evaluated.
  virtual long long evaluations() const { return 0; }
  /// True if rounding, not accuracy, limits the error.
  virtual bool limited_by_rounding() const { return false; }
  /// J, elastic energy of compliant contact at a time inside the last step: part of the potential energy.
  virtual double contact_energy(double /*time*/) const { return 0; }
  /// Joint reactions at a start state: numbers as in model::State::impulses, per second.
  virtual std::vector<double> reactions_at_start(const model::State& start) const = 0;

  /// Contact events of the last step.
  virtual std::span<const contact::ContactEvent> contacts() const { return {}; }
  /// The body of an item of contact::ContactEvent.
  virtual core::BodyId body_of_item(uint32_t) const { return {}; }
  /// Wall time of the stages of steps with contact.
  virtual StepTimes times() const { return {}; }
  virtual collision::ManifoldBuilder::Counters pair_counters() const { return {}; }
};

/// Creates the stepper of the method. `options` must be resolved by resolve(); the model must outlive the
/// stepper. `tight`: pairs without room at the start. `scales`: those of the start of the run, if the run
/// continues with a changed model.
std::unique_ptr<Stepper> make_stepper(const model::Model& model, const SimulationOptions& options,
                                      const contact::TightPairs& tight = {},
                                      const std::optional<Scales>& scales = {});

}  // namespace tumble::simulate
