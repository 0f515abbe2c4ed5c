#include "tumble/simulate/stepper.h"

#include <algorithm>
#include <cmath>

#include "tumble/simulate/leapfrog/accounting.h"
#include "tumble/simulate/simulation_options.h"

namespace tumble::simulate {

namespace {

class RungeKuttaMethod final : public Stepper {
 public:
  RungeKuttaMethod(const model::Model& model, const RungeKuttaOptions& options)
      : model_(&model), options_(options), stepper_(model, options) {
    memory_ = RungeKuttaMemory{.patience = options.parameters.switch_votes};
  }

  StepReport step(model::State& state) override {
    return stepper_.step(state, std::get<RungeKuttaMemory>(memory_));
  }
  void state_at(double time, model::State& state) override { stepper_.state_at(time, state); }
  const StepperMemory& memory() const override { return memory_; }
  void set_memory(const StepperMemory& memory) override { memory_ = std::get<RungeKuttaMemory>(memory); }
  void model_changed() override { stepper_.model_changed(); }
  void restart_from(const model::State& state) override {
    stepper_.restart_from(state, std::get<RungeKuttaMemory>(memory_));
  }
  const Scales& scales() const override { return stepper_.scales(); }
  long long evaluations() const override { return stepper_.evaluations(); }
  bool limited_by_rounding() const override { return stepper_.limited_by_rounding(); }

  std::vector<double> reactions_at_start(const model::State& start) const override {
    dynamics::EquationsOfMotion equations(*model_, false, true);
    // Limits that are active at the start take part.
    std::vector<double> y = equations.layout().vector_of(start);
    LimitEvents(*model_, equations, options_.accuracy, scales().time, options_.parameters)
        .resolve_event(start.time, y.data());
    return equations.compute_reactions_at(start);
  }

 private:
  const model::Model* model_;
  RungeKuttaOptions options_;
  RungeKuttaStepper stepper_;
  StepperMemory memory_ = RungeKuttaMemory{};
};

class LeapfrogMethod final : public Stepper {
 public:
  LeapfrogMethod(const model::Model& model, const LeapfrogOptions& options)
      : model_(&model), options_(options), stepper_(model, options) {}

  StepReport step(model::State& state) override {
    LeapfrogMemory& memory = std::get<LeapfrogMemory>(memory_);
    start_ = state.time, energy_at_start_ = memory.compliant_energy;
    const StepReport report = stepper_.step(state, memory);
    end_ = state.time;
    return report;
  }
  void state_at(double time, model::State& state) override { stepper_.state_at(time, state); }
  const StepperMemory& memory() const override { return memory_; }
  void set_memory(const StepperMemory& memory) override {
    memory_ = std::get<LeapfrogMemory>(memory);
    start_ = end_ = 0;
  }
  void model_changed() override { stepper_.model_changed(); }
  void restart_from(const model::State& state) override {
    stepper_.restart_from(state, std::get<LeapfrogMemory>(memory_));
    start_ = end_ = 0;
  }
  const Scales& scales() const override { return stepper_.scales(); }
  double step_length() const override { return stepper_.step_length(); }
  double contact_energy(double time) const override {
    const double at_end = std::get<LeapfrogMemory>(memory_).compliant_energy;
    if (!(end_ > start_)) return at_end;
    return energy_at_start_ + (time - start_) / (end_ - start_) * (at_end - energy_at_start_);
  }
  // With a stepper of its own: this one may be in the middle of a run.
  std::vector<double> reactions_at_start(const model::State& start) const override {
    LeapfrogOptions options = options_;
    options.reactions = false;
    return LeapfrogStepper(*model_, options).reactions_at(start);
  }
  std::span<const contact::ContactEvent> contacts() const override { return stepper_.contacts(); }
  core::BodyId body_of_item(uint32_t item) const override { return stepper_.item(item).body; }
  StepTimes times() const override { return stepper_.times(); }
  collision::ManifoldBuilder::Counters pair_counters() const override { return stepper_.pair_counters(); }

 private:
  const model::Model* model_;
  LeapfrogOptions options_;
  LeapfrogStepper stepper_;
  StepperMemory memory_ = LeapfrogMemory{};
  double start_ = 0, end_ = 0;  // s, of the last step
  double energy_at_start_ = 0;  // J, contact energy at its start
};

bool is_duration(double x) { return std::isfinite(x) && x >= 0; }

bool is_empty_or(size_t size, size_t expected) { return size == 0 || size == expected; }

size_t count_items(const model::Model& model) {
  size_t items = 0;
  if (model.has_colliding_bodies())
    for (const model::Body& body : model.bodies())
      for (const model::BodyShape& shape : body.shapes) items += shape.collide ? 1 : 0;
  return items;
}

bool fits_model(const RungeKuttaMemory& m, const model::Model& model) {
  const size_t bodies = model.bodies().size();
  return is_duration(m.next_step) && is_empty_or(m.reduced_energy.size(), bodies) &&
         m.energy_reference.size() == m.reduced_energy.size() && m.slope.size() == m.slope_at.size() &&
         std::is_sorted(m.active_limits.begin(), m.active_limits.end()) &&
         std::all_of(m.active_limits.begin(), m.active_limits.end(), [&](int limit) {
           return limit >= 0 && static_cast<size_t>(limit) < model.limits().size();
         });
}

bool fits_model(const LeapfrogMemory& m, const model::Model& model) {
  const size_t items = count_items(model);
  const size_t moving =
      static_cast<size_t>(std::count_if(model.bodies().begin(), model.bodies().end(),
                                        [](const model::Body& body) { return !body.is_fixed(); }));
  const auto is_pair = [&](const auto& pair) { return pair.a < items && pair.b < items; };
  return is_duration(m.h_next) && is_duration(std::abs(m.h_left)) && is_duration(m.h_half_cap) &&
         is_empty_or(m.v_half.size(), 6 * moving) && m.p_half.size() == m.v_half.size() &&
         (m.h_next == 0 || m.v_half.size() == 6 * moving) &&
         is_empty_or(m.expected_y.size(), model.bodies().size() * model::kBodySize) &&
         is_empty_or(m.laws.size(), model.forces().size()) &&
         (m.h_next == 0 || m.laws.size() == model.forces().size()) &&
         is_empty_or(m.last_kick.law_forces.size(), model.forces().size() * kLawForceSize) &&
         is_empty_or(m.last_kick.script_forces.size(), count_script_rows(model)) &&
         is_empty_or(m.last_kick.reactions.size(), model.joints().size() * model::kReactionSize) &&
         is_empty_or(m.last_kick.nodal_shift.size(), model.joints().size() * model::kReactionSize) &&
         std::all_of(m.limits.begin(), m.limits.end(),
                     [&](const CachedLimit& limit) { return limit.limit < model.limits().size(); }) &&
         std::is_sorted(m.limits.begin(), m.limits.end(),
                        [](const CachedLimit& x, const CachedLimit& y) { return x.limit < y.limit; }) &&
         std::all_of(m.contacts.contacts.begin(), m.contacts.contacts.end(), is_pair) &&
         std::all_of(m.pairs.begin(), m.pairs.end(), is_pair);
}

}  // namespace

bool fits(const StepperMemory& memory, const model::Model& model) {
  return std::visit([&](const auto& m) { return fits_model(m, model); }, memory);
}

bool fits(const model::State& state, const model::Model& model) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  return is_duration(state.time) && std::all_of(state.y.begin(), state.y.end(), is_finite) &&
         state.y.size() == model.bodies().size() * model::kBodySize &&
         state.work.size() == model.work_count() &&
         is_empty_or(state.impulses.size(), model.joints().size() * model::kReactionSize) &&
         state.hinge_angles.size() == model.counted_hinges().size();
}

bool fits(std::span<const contact::ContactEvent> points, const model::Model& model) {
  const size_t items = count_items(model);
  return std::all_of(points.begin(), points.end(),
                     [&](const contact::ContactEvent& p) { return p.a < items && p.b < items; });
}

std::unique_ptr<Stepper> make_stepper(const model::Model& model, const SimulationOptions& options,
                                      const contact::TightPairs& tight, const std::optional<Scales>& scales) {
  TUMBLE_REQUIRE(options.is_resolved(), "options of a stepper must have gone through resolve()");
  const Parameters& par = parameters_of(options);
  // Step lengths do not depend on the frame rate: LeapfrogOptions::grid_rate keeps its default.
  if (options.method == Method::fast)
    return std::make_unique<LeapfrogMethod>(model, LeapfrogOptions{.accuracy = *options.accuracy,
                                                                   .fixed_step = options.fixed_step,
                                                                   .reactions = options.reactions,
                                                                   .scales = scales,
                                                                   .parameters = par.leapfrog,
                                                                   .contact = par.contact,
                                                                   .collision = par.collision,
                                                                   .solver = par.solver,
                                                                   .kick = par.kick,
                                                                   .tight = tight});
  return std::make_unique<RungeKuttaMethod>(
      model, RungeKuttaOptions{.accuracy = *options.accuracy,
                               .method = dynamics::find_tableau(options.integrator_name()),
                               .quergs = options.quergs,
                               .fixed_step = options.fixed_step,
                               .reactions = options.reactions,
                               .baumgarte = options.baumgarte,
                               .scales = scales,
                               .parameters = par.runge_kutta});
}

}  // namespace tumble::simulate
