#include "parameters/vary_parameters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

#include "support/simulate.h"
#include "tumble/core/diagnostic.h"
#include "tumble/simulate/simulation.h"

namespace vary {

using namespace tumble;
using simulate::Method;
using simulate::Parameter;
using simulate::Parameters;

namespace {

// Energy may rise by this many accuracies of the energy scale.
constexpr double kEnergyGain = 10;
// Joints of a precise run are closed to this part of a body's size, or the run fails.
constexpr double kPreciseJoints = 1e-9;

Parameter find(const std::vector<Parameter>& parameters, const std::string& name) {
  for (const Parameter& parameter : parameters)
    if (parameter.name == name) return parameter;
  throw std::runtime_error("no parameter is called " + name);
}

double varied_value(const Parameter& parameter, bool doubled) {
  return std::clamp(doubled ? parameter.doubled() : parameter.halved(), parameter.low, parameter.high);
}

// Scenes are loaded once: some have large meshes.
const model::Model& load_model(const std::string& name) {
  static std::map<std::string, scene::Scene> scenes;
  auto known = scenes.find(name);
  if (known == scenes.end()) known = scenes.emplace(name, support::load(name)).first;
  return known->second.model;
}

// m: radius of the smallest moving body.
double smallest_radius(const model::Model& model) {
  double radius = std::numeric_limits<double>::infinity();
  for (const model::Body& body : model.bodies())
    if (!body.is_fixed()) radius = std::min(radius, body.radius);
  return radius;
}

// J: sum of 1/2 m (g T)^2.
double least_energy_scale(const model::Model& model, const simulate::Scales& scales) {
  const double speed = scales.acceleration * scales.time;
  double energy = 0;
  for (const model::Body& body : model.bodies())
    if (!body.is_fixed()) energy += 0.5 * body.mass * speed * speed;
  return energy;
}

// A warning without the parts that differ from run to run: where, when, how much.
std::string kind_of(const std::string& warning) { return warning.substr(0, warning.find(':')); }

bool has_kind(const std::vector<std::string>& warnings, const std::string& kind) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return kind_of(warning) == kind; });
}

// Steps to the end of the run and records the largest rise of energy less work.
void follow(simulate::Simulation& simulation, Outcome& outcome) {
  double kinetic = simulation.balance().kinetic;
  double least = simulation.balance().energy() - simulation.balance().work;
  while (simulation.next()) {
    const double energy = simulation.balance().energy() - simulation.balance().work;
    kinetic = std::max(kinetic, simulation.balance().kinetic);
    least = std::min(least, energy);
    outcome.energy_gain = std::max(outcome.energy_gain, energy - least);
  }
  outcome.energy_scale = std::max(kinetic, least_energy_scale(simulation.model(), simulation.scales()));
}

}  // namespace

std::string SceneRun::name() const {
  return method == Method::automatic ? scene : scene + " by " + simulate::to_string(method);
}

double Variation::value() const {
  Parameters parameters;
  return varied_value(find(list_parameters(parameters), number), doubled);
}

std::string Variation::name() const {
  return number + (doubled ? " doubled to " : " halved to ") + core::brief_number(value());
}

std::vector<Variation> list_variations(const std::string& beginning) {
  Parameters parameters;
  std::vector<Variation> variations;
  for (const Parameter& parameter : list_parameters(parameters))
    for (const bool doubled : {false, true})
      if (parameter.name.starts_with(beginning) && varied_value(parameter, doubled) != parameter.value())
        variations.push_back({parameter.name, doubled});
  return variations;
}

Parameters apply(const Variation& variation) { return with(variation.number, variation.value()); }

Parameters with(const std::string& number, double value) {
  Parameters parameters;
  find(list_parameters(parameters), number).set(value);
  return parameters;
}

Outcome run(const SceneRun& scene, const Parameters& parameters) {
  const model::Model& model = load_model(scene.scene);
  simulate::SimulationOptions options = simulate::requested_options(model);
  if (scene.method != Method::automatic)
    options.method = scene.method, options.accuracy.reset(), options.integrator.clear();
  options.duration = std::min(options.duration, scene.duration);
  options.verify = simulate::Verify::steps;
  options.parameters = std::make_shared<const Parameters>(parameters);

  Outcome outcome;
  core::Expected<simulate::Simulation> simulation = simulate::Simulation::create(model, options);
  if (!simulation) {
    outcome.failure = "no start: " + core::to_string(simulation.diagnostics().front());
    return outcome;
  }
  follow(*simulation, outcome);
  outcome.failure = simulation->failure();
  if (outcome.failure.empty() && simulation->frames() != simulation->options().frame_count())
    outcome.failure = "frames are missing";
  outcome.warnings = simulation->warnings();

  const simulate::RunStatistics& statistics = simulation->statistics();
  outcome.overlap = statistics.max_penetration();
  outcome.holds = statistics.count("holds");
  outcome.freezes = statistics.count("freezes");
  outcome.joint_error = statistics.max_joint_error();
  outcome.accuracy = *simulation->options().accuracy;
  outcome.joint_tolerance =
      smallest_radius(model) *
      (simulation->options().method == Method::fast ? outcome.accuracy : kPreciseJoints);
  outcome.trace = simulation->state().y;
  for (const char* counter : {"steps", "rejected_steps", "substeps", "factorisations"})
    outcome.trace.push_back(statistics.count(counter));
  outcome.trace.push_back(static_cast<double>(simulation->evaluations()));
  return outcome;
}

std::vector<Violation> judge(const Outcome& outcome, const Outcome* shipped) {
  std::vector<Violation> violations;
  const auto at_most = [&](const char* promise, double figure, double bound) {
    if (!(figure <= bound))
      violations.push_back(
          {promise, figure, bound,
           std::string(promise) + " " + core::brief_number(figure) + " > " + core::brief_number(bound)});
  };
  if (!outcome.failure.empty()) violations.push_back({"end", 1, 0, "end: " + outcome.failure});
  for (const std::string& warning : outcome.warnings)
    if (!shipped || !has_kind(shipped->warnings, kind_of(warning)))
      violations.push_back({"warnings", 1, 0, "warning: " + warning});
  at_most("overlap", outcome.overlap, 0);
  at_most("holds", outcome.holds, shipped ? shipped->holds : 0);
  at_most("freezes", outcome.freezes, shipped ? shipped->freezes : 0);
  at_most("joints", outcome.joint_error, outcome.joint_tolerance);
  at_most(
      "energy", outcome.energy_gain,
      std::max(kEnergyGain * outcome.accuracy * outcome.energy_scale, shipped ? shipped->energy_gain : 0));
  return violations;
}

}  // namespace vary
