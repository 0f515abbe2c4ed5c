#include "tumble/simulate/stepper.h"

#include <algorithm>

namespace tumble::simulate {

namespace {

class Precise final : public Stepper {
 public:
  Precise(const model::Model& model, const RungeKuttaOptions& options)
      : model_(&model), driver_(model, options) {}

  StepOutcome step(model::State& state) override {
    const StepReport report = driver_.step(state, control_);
    StepOutcome outcome;
    outcome.h = report.h, outcome.rejected = report.rejected;
    outcome.impacts = report.impacts, outcome.implicit = report.implicit;
    if (!report.good()) outcome.trouble = describe(report, *model_, state.time);
    return outcome;
  }
  void state_at(double time, model::State& state) override { driver_.state_at(time, state); }
  void mark() override { marked_ = control_; }
  std::vector<double> marked() const override { return to_numbers(marked_); }
  void resume(const std::vector<double>& numbers) override { control_ = control_from(numbers); }
  const Scales& scales() const override { return driver_.scales(); }
  long long evaluations() const override { return driver_.evaluations(); }
  bool limited_by_rounding() const override { return driver_.limited_by_rounding(); }

 private:
  const model::Model* model_;
  RungeKuttaStepper driver_;
  RungeKuttaMemory control_, marked_;
};

class Fast final : public Stepper {
 public:
  Fast(const model::Model& model, const LeapfrogOptions& options) : model_(&model), driver_(model, options) {}

  StepOutcome step(model::State& state) override {
    start_ = state.time, at_start_ = control_.compliant_energy;
    const LeapfrogReport report = driver_.step(state, control_);
    end_ = state.time;
    StepOutcome outcome;
    outcome.h = report.h, outcome.impacts = report.impacts;
    outcome.contacts = static_cast<int>(driver_.contacts().size());
    outcome.substeps = report.resolved, outcome.holds = report.holds, outcome.freezes = report.freezes;
    outcome.factorisations = report.factorisations, outcome.residual = report.residual;
    outcome.unsolved = report.unsolved, outcome.passed = report.passed;
    if (!report.good) outcome.trouble = describe(report, *model_, state.time);
    return outcome;
  }
  void state_at(double time, model::State& state) override { driver_.state_at(time, state); }
  void mark() override { marked_ = control_; }
  std::vector<double> marked() const override { return to_numbers(marked_); }
  void resume(const std::vector<double>& numbers) override { control_ = leapfrog_memory_from(numbers); }
  const Scales& scales() const override { return driver_.scales(); }
  const LeapfrogStepper* fast() const override { return &driver_; }
  double stored_energy(double time) const override {
    if (!(end_ > start_)) return control_.compliant_energy;
    return at_start_ + (time - start_) / (end_ - start_) * (control_.compliant_energy - at_start_);
  }

 private:
  const model::Model* model_;
  LeapfrogStepper driver_;
  LeapfrogMemory control_, marked_;
  double start_ = 0, end_ = 0, at_start_ = 0;  // s, s, J: the last step, and what was stored where it began
};

}  // namespace

std::unique_ptr<Stepper> make_stepper(const model::Model& model, const RungeKuttaOptions& options) {
  return std::make_unique<Precise>(model, options);
}

std::unique_ptr<Stepper> make_stepper(const model::Model& model, const LeapfrogOptions& options) {
  return std::make_unique<Fast>(model, options);
}

}  // namespace tumble::simulate
