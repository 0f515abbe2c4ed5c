#include "run_options.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report.h"

namespace tumble::app {

size_t ResolvedOptions::frames() const { return static_cast<size_t>(std::llround(duration * fps)) + 1; }

double ResolvedOptions::end() const { return std::max(duration, static_cast<double>(frames() - 1) / fps); }

std::string ResolvedOptions::to_json() const {
  return nlohmann::json{{"fps", fps},
                        {"method", method},
                        {"integrator", driver.method->name},
                        {"accuracy", driver.accuracy},
                        {"orientation", driver.quergs ? "quergs" : "quaternion"},
                        {"step", driver.fixed_step.value_or(0)}}
      .dump();
}

std::vector<Flag> motion_flags() {
  return {{"--duration", "S", "simulated time, s"},
          {"--fps", "N", "frames written per simulated second; never the step size"},
          {"--method", "M", "precise, fast or auto"},
          {"--accuracy", "A", "error allowed per time scale of the scene, relative (default 1e-6)"},
          {"--integrator", "I", "dopri8, dopri5, cash-karp, rk4 or euler: for teaching and comparison"},
          {"--step", "H", "fixed step, s: for teaching and comparison"}};
}

std::optional<std::string> find_fault(const model::RunOptions& wishes) {
  // A wish that a flag may still overrule is no fault.
  const dynamics::Tableau* method = dynamics::find_tableau(wishes.integrator);
  if (wishes.method == "fast")
    return "<simulation method=\"fast\"> is not part of this version yet; use precise or auto";
  if (method && method->error_exponent == 0 && !wishes.step)
    return "<simulation integrator=\"" + wishes.integrator +
           "\"> has no error estimate: give its step=\"...\" too";
  return std::nullopt;
}

ResolvedOptions resolve_options(const model::RunOptions& wishes, const Arguments& arguments) {
  ResolvedOptions options;
  options.duration = wishes.duration;
  if (const auto duration = arguments.number("--duration")) {
    if (*duration < 0) throw UsageError("--duration must not be negative");
    options.duration = *duration;
  }
  options.fps = arguments.positive("--fps").value_or(wishes.fps);
  constexpr double kMostFrames = 1e9, kMostSteps = 1e12;  // beyond, nobody lives to see the end
  if (options.duration * options.fps > kMostFrames)
    throw UsageError("duration times fps asks for more than 1e9 frames; lower --fps or --duration");

  const std::string method =
      arguments.choice("--method", {"precise", "fast", "auto"}).value_or(wishes.method);
  if (method == "fast")
    throw UsageError("the fast method is not part of this version yet; use precise or auto");
  options.method_reason =
      method == "auto" ? "no joints and contacts in this version: motion is smooth" : "asked for";

  const std::string integrator =
      arguments.choice("--integrator", {"dopri8", "dopri5", "cash-karp", "rk4", "euler"})
          .value_or(wishes.integrator);
  options.driver.method = dynamics::find_tableau(integrator);
  options.driver.quergs = wishes.orientation == "quergs";
  if (options.driver.quergs && integrator != "cash-karp")
    throw UsageError("orientation=\"quergs\" in the scene goes with cash-karp only");

  options.driver.fixed_step = arguments.positive("--step");
  if (!options.driver.fixed_step) options.driver.fixed_step = wishes.step;
  if (options.driver.fixed_step && options.duration / *options.driver.fixed_step > kMostSteps)
    throw UsageError("the fixed step asks for more than 1e12 steps; give a longer --step");
  if (options.driver.method->error_exponent == 0 && !options.driver.fixed_step)
    throw UsageError(integrator + " has no error estimate: give its step with --step H");

  std::optional<double> accuracy = arguments.number("--accuracy");
  if (!accuracy) accuracy = wishes.accuracy;
  options.accuracy_given = accuracy.has_value();
  options.driver.accuracy = accuracy.value_or(simulate::kDefaultAccuracy);
  if (!(options.driver.accuracy >= simulate::kFinestAccuracy &&
        options.driver.accuracy <= simulate::kCoarsestAccuracy))
    throw UsageError("--accuracy must lie between " + brief(simulate::kFinestAccuracy) + " and " +
                     brief(simulate::kCoarsestAccuracy));
  return options;
}

}  // namespace tumble::app
