#include "run_options.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report.h"

namespace tumble::app {

size_t ResolvedOptions::frames() const { return static_cast<size_t>(std::llround(duration * fps)) + 1; }

double ResolvedOptions::end() const { return std::max(duration, static_cast<double>(frames() - 1) / fps); }

std::unique_ptr<simulate::Stepper> ResolvedOptions::make_stepper(const model::Model& model) const {
  if (!is_fast()) return simulate::make_stepper(model, driver);
  // Frames never decide how long steps are.
  return simulate::make_stepper(model, simulate::LeapfrogOptions{.accuracy = driver.accuracy,
                                                                 .fixed_step = driver.fixed_step,
                                                                 .reactions = driver.reactions});
}

std::string ResolvedOptions::to_json() const {
  return nlohmann::json{{"fps", fps},
                        {"method", method},
                        {"integrator", integrator()},
                        {"accuracy", driver.accuracy},
                        {"orientation", driver.quergs ? "quergs" : "quaternion"},
                        {"reactions", driver.reactions},
                        {"step", driver.fixed_step.value_or(0)}}
      .dump();
}

std::vector<Flag> motion_flags() {
  return {{"--duration", "S", "simulated time, s"},
          {"--fps", "N", "frames written per simulated second; never the step size"},
          {"--method", "M", "precise, fast or auto"},
          {"--accuracy", "A",
           "error allowed per time scale of the scene, relative (default 1e-6 precise, 1e-3 fast)"},
          {"--integrator", "I", "dopri8, dopri5, cash-karp, rk4 or euler: for teaching and comparison"},
          {"--step", "H", "fixed step, s: for teaching and comparison"}};
}

namespace {

constexpr double kMostFrames = 1e9, kMostSteps = 1e12;  // beyond, nobody lives to see the end
constexpr size_t kMostThreads = 1024;                   // as the attribute

// Attributes of <simulation> and the flags that overrule them.
class Wishes {
 public:
  Wishes(const scene::Scene& scene, const Arguments& arguments) : scene_(scene), arguments_(arguments) {}

  /// Blames the flag of that name, or the attribute when there is no flag, the first one given.
  [[noreturn]] void refuse(const std::vector<std::string>& names, const std::string& message) const {
    for (const std::string& name : names)
      if (arguments_.has("--" + name)) throw UsageError("--" + name + ": " + message);
    for (const std::string& name : names)
      if (const auto place = scene_.given.find(name); place != scene_.given.end())
        throw SceneFault{core::error_at(place->second, name + ": " + message)};
    throw UsageError(message);
  }

  std::string path(const std::string& name, const std::string& wish) const {
    return arguments_.text("--" + name).value_or(wish);
  }
  bool is_given(const std::string& name) const {
    return arguments_.has("--" + name) || scene_.given.contains(name);
  }
  bool is_on(const std::string& name, bool wish) const {
    return arguments_.is_on("--" + name).value_or(wish);
  }

 private:
  const scene::Scene& scene_;
  const Arguments& arguments_;
};

scene::ProgramWishes resolve_program(const Wishes& wishes, const scene::ProgramWishes& scene) {
  return {.summary = wishes.path("summary", scene.summary),
          .log = wishes.path("log", scene.log),
          .checkpoint = wishes.path("checkpoint", scene.checkpoint),
          .resume = wishes.path("resume", scene.resume),
          .contacts = wishes.path("contacts", scene.contacts),
          .reactions = wishes.path("reactions", scene.reactions),
          .estimate_error = wishes.is_on("estimate-error", scene.estimate_error),
          .profile = wishes.is_on("profile", scene.profile),
          .quiet = wishes.is_on("quiet", scene.quiet),
          .verbose = wishes.is_on("verbose", scene.verbose)};
}

// Contact is the business of the fast method alone.
void choose_method(const model::Model& model, const std::string& wish, const Wishes& wishes,
                   ResolvedOptions& options) {
  const bool smooth = options.driver.quergs || options.driver.baumgarte || wishes.is_given("integrator");
  options.method = wish;
  options.method_reason = "asked for";
  if (wish == "auto") {
    const std::string unlike = !model.has_colliding_bodies() ? "no two bodies can collide: motion is smooth"
                               : smooth ? "an integrator was asked for; contact is not simulated"
                                        : "";
    options.method = unlike.empty() ? "fast" : "precise";
    options.method_reason =
        unlike.empty() ? "bodies can collide, and fast is the method that simulates contact" : unlike;
  }
  if (!options.is_fast()) {
    if (!options.program.contacts.empty())
      wishes.refuse({"contacts"}, options.method_reason == "asked for"
                                      ? "precise does not simulate contact; use --method fast"
                                      : "there is nothing to tell: " + options.method_reason);
    return;
  }
  if (smooth)
    wishes.refuse({"integrator", "method"},
                  "an integrator, quergs or baumgarte go with --method precise; fast has its own");
}

}  // namespace

ResolvedOptions resolve_options(const scene::Scene& scene, const Arguments& arguments) {
  const model::RunOptions& attributes = scene.model.run_options();
  const Wishes wishes(scene, arguments);
  ResolvedOptions options;
  options.duration = arguments.number("--duration").value_or(attributes.duration);
  if (options.duration < 0) wishes.refuse({"duration"}, "must not be negative");
  options.fps = arguments.positive("--fps").value_or(attributes.fps);
  if (options.duration * options.fps > kMostFrames)
    wishes.refuse({"duration", "fps"}, "duration times fps asks for more than 1e9 frames; lower one of them");

  const std::string method =
      arguments.choice("--method", {"precise", "fast", "auto"}).value_or(attributes.method);
  const std::string integrator =
      arguments.choice("--integrator", {"dopri8", "dopri5", "cash-karp", "rk4", "euler"})
          .value_or(attributes.integrator);
  options.driver.method = dynamics::find_tableau(integrator);
  options.driver.quergs = attributes.orientation == "quergs";
  if (options.driver.quergs && integrator != "cash-karp")
    wishes.refuse({"integrator"}, "orientation=\"quergs\" in the scene goes with cash-karp only");

  options.driver.baumgarte = attributes.baumgarte;
  if (options.driver.baumgarte && integrator != "cash-karp")
    wishes.refuse({"integrator"}, "baumgarte in the scene goes with cash-karp only");

  options.program = resolve_program(wishes, scene.wishes);
  choose_method(scene.model, method, wishes, options);

  options.driver.fixed_step = arguments.positive("--step");
  if (!options.driver.fixed_step) options.driver.fixed_step = attributes.step;
  if (options.driver.fixed_step && options.duration / *options.driver.fixed_step > kMostSteps)
    wishes.refuse({"step", "duration"}, "the fixed step asks for more than 1e12 steps; give a longer one");
  if (options.driver.method->error_exponent == 0 && !options.driver.fixed_step)
    wishes.refuse(
        {"integrator"},
        integrator + " has no error estimate: give a fixed step too (--step H, or step= in the scene)");

  std::optional<double> accuracy = arguments.number("--accuracy");
  if (!accuracy) accuracy = attributes.accuracy;
  options.accuracy_given = accuracy.has_value();
  options.driver.accuracy =
      accuracy.value_or(options.is_fast() ? simulate::kDefaultFastAccuracy : simulate::kDefaultAccuracy);
  if (!(options.driver.accuracy >= simulate::kFinestAccuracy &&
        options.driver.accuracy <= simulate::kCoarsestAccuracy))
    wishes.refuse({"accuracy"}, "must be between " + brief(simulate::kFinestAccuracy) + " and " +
                                    brief(simulate::kCoarsestAccuracy));

  options.verify = arguments.choice("--verify", {"off", "frames", "steps"}).value_or(attributes.verify);
  if (const auto threads = arguments.count("--threads"); threads && (*threads < 1 || *threads > kMostThreads))
    wishes.refuse({"threads"}, "must be between 1 and " + std::to_string(kMostThreads));

  options.driver.reactions = !options.program.reactions.empty();
  if (options.program.estimate_error) {
    if (!options.program.resume.empty())
      wishes.refuse({"estimate-error", "resume"}, "a comparison of whole runs cannot be resumed");
    if (!options.driver.fixed_step && options.driver.accuracy < 10 * simulate::kFinestAccuracy)
      wishes.refuse({"estimate-error", "accuracy"},
                    "the comparison runs again at a tenth of the accuracy, and no run is finer than " +
                        brief(simulate::kFinestAccuracy) + ": ask for an accuracy of " +
                        brief(10 * simulate::kFinestAccuracy) + " or more");
  }
  return options;
}

}  // namespace tumble::app
