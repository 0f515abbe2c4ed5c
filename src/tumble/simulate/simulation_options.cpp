#include "tumble/simulate/simulation_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/core/diagnostic.h"
#include "tumble/dynamics/integrators/tableau.h"
#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

namespace {

constexpr double kMostFrames = 1e9, kMostSteps = 1e12;  // longer runs would never end
constexpr const char* kAskedFor = "asked for";

std::string short_number(double value) { return core::brief_number(value, 3); }

using Fault = std::optional<OptionFault>;

// Only the fast method simulates contact.
Fault choose_method(const model::Model& model, ResolvedOptions& resolved) {
  SimulationOptions& options = resolved.options;
  const bool smooth = options.quergs || options.baumgarte || !options.integrator.empty();
  resolved.method_reason = kAskedFor;
  if (options.method == Method::automatic) {
    const bool collide = model.has_colliding_bodies();
    options.method = collide && !smooth ? Method::fast : Method::precise;
    resolved.method_reason = !collide ? "no two bodies can collide: motion is smooth"
                             : smooth ? "an integrator was asked for; contact is not simulated"
                                      : "bodies can collide, and fast is the method that simulates contact";
  }
  if (options.method == Method::precise && options.contacts)
    return OptionFault{{"contacts"},
                       resolved.method_reason == kAskedFor
                           ? "precise does not simulate contact; use --method fast"
                           : "there are no contacts to write: " + resolved.method_reason};
  if (options.method == Method::fast && smooth)
    return OptionFault{{"integrator", "method"},
                       "an integrator, quergs or baumgarte go with --method precise; fast has its own"};
  return std::nullopt;
}

Fault check_frames(const SimulationOptions& options) {
  if (options.duration < 0) return OptionFault{{"duration"}, "must not be negative"};
  if (!(options.fps > 0)) return OptionFault{{"fps"}, "must be greater than 0"};
  if (std::isfinite(options.duration) && options.duration * options.fps > kMostFrames)
    return OptionFault{{"duration", "fps"},
                       "duration times fps asks for more than 1e9 frames; lower one of them"};
  return std::nullopt;
}

Fault check_lessons(const SimulationOptions& options) {
  if (options.quergs && options.integrator != "cash-karp")
    return OptionFault{{"integrator"}, "orientation=\"quergs\" in the scene goes with cash-karp only"};
  if (options.baumgarte && options.integrator != "cash-karp")
    return OptionFault{{"integrator"}, "baumgarte in the scene goes with cash-karp only"};
  return std::nullopt;
}

Fault check_steps(const SimulationOptions& options) {
  if (options.fixed_step && !(*options.fixed_step > 0))
    return OptionFault{{"step"}, "must be greater than 0"};
  if (options.fixed_step && std::isfinite(options.duration) &&
      options.duration / *options.fixed_step > kMostSteps)
    return OptionFault{{"step", "duration"},
                       "the fixed step asks for more than 1e12 steps; give a longer one"};
  if (options.method == Method::fast) return std::nullopt;
  const dynamics::Tableau* tableau = dynamics::find_tableau(options.integrator_name());
  if (!tableau) return OptionFault{{"integrator"}, "there is no integrator " + options.integrator};
  if (tableau->error_exponent == 0 && !options.fixed_step)
    return OptionFault{{"integrator"},
                       options.integrator +
                           " has no error estimate: give a fixed step too (--step H, or step= in the scene)"};
  return std::nullopt;
}

Fault check_accuracy(const SimulationOptions& options) {
  if (!(*options.accuracy >= kFinestAccuracy && *options.accuracy <= kCoarsestAccuracy))
    return OptionFault{
        {"accuracy"},
        "must be between " + short_number(kFinestAccuracy) + " and " + short_number(kCoarsestAccuracy)};
  if (options.estimate_error && options.inputs && !options.inputs->empty())
    return OptionFault{{"estimate-error", "inputs"},
                       "a run with inputs cannot be compared: the second run would not have them"};
  if (options.estimate_error && !options.fixed_step && *options.accuracy < 10 * kFinestAccuracy)
    return OptionFault{{"estimate-error", "accuracy"},
                       "the comparison runs again at a tenth of the accuracy, and no run is finer than " +
                           short_number(kFinestAccuracy) + ": ask for an accuracy of " +
                           short_number(10 * kFinestAccuracy) + " or more"};
  return std::nullopt;
}

}  // namespace

std::string SimulationOptions::integrator_name() const {
  return method == Method::fast ? "leapfrog" : integrator.empty() ? "dopri8" : integrator;
}

size_t SimulationOptions::frame_count() const {
  if (!std::isfinite(duration)) return std::numeric_limits<size_t>::max();
  return static_cast<size_t>(std::llround(duration * fps)) + 1;
}

double SimulationOptions::end_time() const {
  if (!std::isfinite(duration)) return duration;
  return std::max(duration, static_cast<double>(frame_count() - 1) / fps);
}

std::string to_string(Method method) {
  return method == Method::automatic ? "auto" : method == Method::precise ? "precise" : "fast";
}

SimulationOptions requested_options(const model::Model& model) {
  const model::RunOptions& scene = model.run_options();
  return {.duration = scene.duration,
          .fps = scene.fps,
          .method = scene.method == "fast"      ? Method::fast
                    : scene.method == "precise" ? Method::precise
                                                : Method::automatic,
          .accuracy = scene.accuracy,
          .integrator = scene.integrator == "dopri8" ? "" : scene.integrator,
          .quergs = scene.orientation == "quergs",
          .baumgarte = scene.baumgarte,
          .fixed_step = scene.step,
          .verify = scene.verify == "off"     ? Verify::off
                    : scene.verify == "steps" ? Verify::steps
                                              : Verify::frames};
}

ResolvedOptions resolve(const model::Model& model, const SimulationOptions& requested) {
  ResolvedOptions resolved{
      .options = requested, .method_reason = {}, .accuracy_given = requested.accuracy.has_value()};
  resolved.fault = check_frames(requested);
  if (!resolved.fault) resolved.fault = check_lessons(requested);
  if (!resolved.fault) resolved.fault = choose_method(model, resolved);
  if (!resolved.fault) resolved.fault = check_steps(resolved.options);
  if (resolved.fault) return resolved;
  if (!requested.accuracy)
    resolved.options.accuracy =
        resolved.options.method == Method::fast ? kDefaultFastAccuracy : kDefaultAccuracy;
  resolved.fault = check_accuracy(resolved.options);
  if (!resolved.fault)
    if (const std::optional<std::string> wrong = find_fault(parameters_of(requested)))
      resolved.fault = OptionFault{{"parameters"}, *wrong};
  return resolved;
}

}  // namespace tumble::simulate
