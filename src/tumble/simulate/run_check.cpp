#include "tumble/simulate/run_check.h"

#include <algorithm>

#include "tumble/core/diagnostic.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/scales.h"

namespace tumble::simulate {

namespace {

std::string brief(double value) { return core::brief_number(value, 3); }

// Gain of energy and numerical loss, in units of the accuracy: those that are warned of, and the gain that
// ends the run. The least such gains are parts of the energy scale.
constexpr double kEnergyWarned = 10, kEnergyAllowed = 100, kLeastWarned = 1e-6, kLeastAllowed = 1e-3;
// The run ends after more holds than this, and than this part of the steps.
constexpr double kHoldsAllowed = 3, kHeldShare = 1e-3;
// The run ends if bodies freeze in this many steps in a row.
constexpr int kFrozenSteps = 2;
// A joint may be open by accuracy times the size of its bodies, for this many steps in a row.
constexpr int kOpenSteps = 3;
// The run ends after so many windows (Streaks::kWindow) in a row that were a thousand times too short.
constexpr int kShortWindows = 20;

// The body with the largest kinetic energy.
core::BodyId find_most_energetic(const model::Model& model, const model::State& state) {
  core::BodyId found(0);
  double most = -1;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const core::BodyId id(i);
    if (model.body(id).is_fixed()) continue;
    const double energy = 0.5 * (state.momentum(id).dot(model::velocity(model, state, id)) +
                                 state.angular_momentum(id).dot(model::angular_velocity(model, state, id)));
    if (energy > most) most = energy, found = id;
  }
  return found;
}

}  // namespace

double compute_least_energy_scale(const model::Model& model, const dynamics::Balance& start) {
  const Scales scales = compute_scales(model);
  double mass = 0;
  for (const model::Body& body : model.bodies())
    if (!body.is_fixed()) mass += body.mass;
  const double speed = scales.acceleration * scales.time;
  return start.kinetic + std::max(start.stored, 0.0) + 0.5 * mass * speed * speed;
}

// A fixed step of the precise method has no promise about the error. Baumgarte's method lets joints drift.
bool RunCheck::has_promise() const {
  return options_.method == Method::fast || !(options_.fixed_step || options_.baumgarte);
}

std::string RunCheck::first(const std::string& more) const {
  return ": first at t = " + core::brief_number(state_.time) + " s" + (more.empty() ? "" : ", " + more);
}

std::string RunCheck::names(const StepReport& step) const {
  if (step.near_a.valid())
    return "bodies \"" + model_.body(step.near_a).name + "\" and \"" + model_.body(step.near_b).name + "\"";
  return "body \"" + model_.body(find_most_energetic(model_, state_)).name + "\"";
}

void RunCheck::warn_of_step(const StepReport& step, bool limited_by_rounding, WarningList& warnings) const {
  if (limited_by_rounding)
    warnings.add("double precision, not accuracy, limits the error of some steps",
                 ": the scene is far from the origin, or very fast, for its size");
  if (step.residual > parameters_of(options_).leapfrog.hard_residual)
    warnings.add("contact was not solved as well as it should be in some steps",
                 first("to a residual of " + brief(step.residual)));
  if (step.limits_passed > 0) warnings.add("a joint limit was exceeded in some steps", first(""));
  if (step.impact_loss > 0)
    warnings.add("impacts did not end by themselves, and energy was removed",
                 first(brief(step.impact_loss) + " J; the summary has the sum"));
  if (step.holds > 0)
    warnings.add("bodies were held in place for a step to keep them apart",
                 first(names(step) + "; the summary counts holds"));
  if (step.freezes > 0)
    warnings.add("holding bodies in place spread to bodies that touch them",
                 first("from " + names(step) + "; the summary counts freezes"));
}

const model::Constraint* RunCheck::find_open_joint(const dynamics::ConstrainedBodies& joints) const {
  if (!joints.has_constraints() || !has_promise()) return nullptr;
  const model::Constraint* widest = nullptr;
  double most = *options_.accuracy;
  for (size_t k = 0; k < model_.constraints().size(); ++k) {
    const model::Constraint& constraint = *model_.constraints()[k];
    if (const double part = joints.gap_of(k) / model_.size_of(constraint); !(part <= most))
      most = part, widest = &constraint;
  }
  return widest;
}

void RunCheck::judge(const RunStatistics& statistics, const model::Constraint* open, StepReport& step,
                     WarningList& warnings) const {
  const double accuracy = *options_.accuracy, gain = statistics.max_energy_gain();
  const double loss = statistics.count("numerical_loss"), holds = statistics.count("holds");
  const Streaks& streaks = statistics.streaks();
  if (loss > kEnergyWarned * accuracy * statistics.energy_scale())
    warnings.add("damping of springs that steps do not resolve took energy",
                 first(brief(loss) + " J; the summary has the sum, and a finer accuracy takes less"));
  if (gain > std::max(kEnergyWarned * accuracy, kLeastWarned))
    warnings.add("energy grew by more than the accuracy allows",
                 first(brief(gain) + " of the energy scale; the summary has the largest gain"));
  if (open)
    warnings.add("a joint was open by more than the accuracy allows",
                 first("joint \"" + open->name() + "\""));
  if (streaks.short_windows > 0)
    warnings.add("steps have become a thousand times shorter than they were", first(names(step)));
  if (!has_promise()) return;
  if (streaks.open_steps > kOpenSteps)
    step.status = StepStatus::joints_open, step.joint = open;
  else if (streaks.frozen_steps >= kFrozenSteps ||
           holds > std::max(kHoldsAllowed, kHeldShare * statistics.count("steps")))
    step.status = StepStatus::held;
  else if (gain > std::max(kEnergyAllowed * accuracy, kLeastAllowed))
    step.status = StepStatus::energy_gained;
  else if (streaks.short_windows >= kShortWindows)
    step.status = StepStatus::stalled;
}

std::string RunCheck::describe_failure(const RunStatistics& statistics, const StepReport& step) const {
  const std::string time = "t = " + core::brief_number(state_.time) + " s: ";
  switch (step.status) {
    case StepStatus::energy_gained:
      return time + "body \"" + model_.body(find_most_energetic(model_, state_)).name +
             "\": energy grew by " + brief(statistics.max_energy_gain()) +
             " of the energy scale; a finer accuracy or a shorter step may help";
    case StepStatus::held:
      return time + names(step) +
             " had to be held in place too often to keep them apart: " + brief(statistics.count("holds")) +
             " times in " + brief(statistics.count("steps")) + " steps; a finer accuracy may help";
    case StepStatus::stalled:
      return time + names(step) +
             ": steps have become a thousand times shorter than they were, and stayed so for " +
             std::to_string(kShortWindows * Streaks::kWindow) + " steps";
    default:
      return describe(step, model_, state_.time);
  }
}

}  // namespace tumble::simulate
