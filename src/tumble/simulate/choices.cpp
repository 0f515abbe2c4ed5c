#include "tumble/simulate/choices.h"

#include "tumble/core/diagnostic.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/scales.h"
#include "tumble/simulate/stepper.h"

namespace tumble::simulate {

namespace {

void list_leapfrog(const model::Model& model, const SimulationOptions& options, std::vector<Choice>& out) {
  const LeapfrogParameters& par = parameters_of(options).leapfrog;
  out.push_back({"integrator", options.integrator_name(), "", "order 2, with contact; that of the method"});
  out.push_back({"step", make_stepper(model, options)->step_length(), "s",
                 options.fixed_step
                     ? "asked for"
                     : "divides 1/60 s, at most " + core::brief_number(par.step_scale) +
                           " sqrt(accuracy) time scales; cut where something is hit; override with --step"});
  out.push_back(
      {"contact_residual", par.residual, "", "to which contact is solved, relative to the largest impulse"});
}

void list_runge_kutta(const Scales& scales, const SimulationOptions& options, std::vector<Choice>& out) {
  const RungeKuttaParameters& par = parameters_of(options).runge_kutta;
  const int order = dynamics::find_tableau(options.integrator_name())->order;
  out.push_back({"integrator", options.integrator_name(), "",
                 "order " + std::to_string(order) + "; override with --integrator"});
  out.push_back(
      {"step_error", par.step_share * *options.accuracy, "",
       "error allowed per time scale in one step: " + core::brief_number(par.step_share) + " accuracy"});
  out.push_back({"longest_step", par.longest_step * scales.time, "s",
                 core::brief_number(par.longest_step) + " time scales"});
  if (options.fixed_step) out.push_back({"step", *options.fixed_step, "s", "fixed: error is not controlled"});
}

}  // namespace

std::vector<Choice> list_choices(const model::Model& model, const SimulationOptions& options) {
  const Scales scales = compute_scales(model);
  std::vector<Choice> choices = {
      {"length_scale", scales.length, "m", "median bounding radius of the moving bodies"},
      {"time_scale", scales.time, "s", scales.time_reason},
      {"speed_scale", scales.speed, "m/s", "length scale over time scale"}};
  if (options.method == Method::fast)
    list_leapfrog(model, options, choices);
  else
    list_runge_kutta(scales, options, choices);
  choices.push_back({"duration", options.duration, "s", "from the scene; override with --duration"});
  choices.push_back({"fps", options.fps, "1/s", "from the scene; override with --fps"});
  choices.push_back({"frames", options.frame_count(), "", "round(duration * fps) + 1"});
  return choices;
}

}  // namespace tumble::simulate
