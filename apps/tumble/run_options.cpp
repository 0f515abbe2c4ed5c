#include "run_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "motion_source.h"
#include "report.h"
#include "tumble/scene/inputs.h"

namespace tumble::app {

namespace {

constexpr size_t kMostThreads = 1024;  // the same bound as for <simulation threads>

// The options as requested, before defaults are chosen. They start with the attributes of the scene.
struct Request {
  const Arguments& arguments;
  simulate::SimulationOptions options;
  scene::ProgramOptions program;
};

// A flag: its name, metavariable and help, and the function that stores its value. To add a flag, add a line
// to a table below, and a line in scene/schema.cpp for the attribute of <simulation>.
struct RunFlag {
  Flag flag;
  void (*apply)(const std::string& name, Request& request);
};

template <auto member>
void set_path(const std::string& name, Request& request) {
  if (const auto path = request.arguments.text(name)) request.program.*member = *path;
}

template <auto member>
void set_switch(const std::string& name, Request& request) {
  if (const auto on = request.arguments.is_on(name)) request.program.*member = *on;
}

template <auto member>
void set_number(const std::string& name, Request& request) {
  if (const auto number = request.arguments.number(name)) request.options.*member = *number;
}

template <auto member>
void set_positive(const std::string& name, Request& request) {
  if (const auto number = request.arguments.positive(name)) request.options.*member = *number;
}

// Stores the value of the word that was given; `choices` pairs words with values.
template <typename T>
void set_choice(const std::string& name, const Request& request,
                const std::vector<std::pair<std::string, T>>& choices, T& value) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, meaning] : choices) words.push_back(word);
  if (const auto chosen = request.arguments.choice(name, words))
    value =
        choices[static_cast<size_t>(std::find(words.begin(), words.end(), *chosen) - words.begin())].second;
}

void set_method(const std::string& name, Request& request) {
  using simulate::Method;
  set_choice<Method>(name, request,
                     {{"precise", Method::precise}, {"fast", Method::fast}, {"auto", Method::automatic}},
                     request.options.method);
}

void set_integrator(const std::string& name, Request& request) {
  if (const auto chosen = request.arguments.choice(name, {"dopri8", "dopri5", "cash-karp", "rk4", "euler"}))
    request.options.integrator = *chosen;
}

void set_verify(const std::string& name, Request& request) {
  using simulate::Verify;
  set_choice<Verify>(name, request,
                     {{"off", Verify::off}, {"frames", Verify::frames}, {"steps", Verify::steps}},
                     request.options.verify);
}

void check_threads(const std::string& name, Request& request) {
  if (const auto threads = request.arguments.count(name);
      threads && (*threads < 1 || *threads > kMostThreads))
    throw UsageError(name + ": must be between 1 and " + std::to_string(kMostThreads));
}

void set_max_cpu(const std::string& name, Request& request) {
  if (const auto seconds = request.arguments.positive(name)) request.program.max_cpu = *seconds;
}

using scene::ProgramOptions;
using simulate::SimulationOptions;

// Flags of every verb that simulates. They affect the motion.
const std::vector<RunFlag>& motion_table() {
  static const std::vector<RunFlag> table = {
      {{"--duration", "SECONDS", "simulate this long"}, set_number<&SimulationOptions::duration>},
      {{"--fps", "N", "write N frames per simulated second; does not change the step size"},
       set_positive<&SimulationOptions::fps>},
      {{"--method", "precise|fast|auto",
        "choose the stepper; auto: fast if bodies can collide, else precise (default: auto)"},
       set_method},
      {{"--accuracy", "A",
        "allow this relative error per time scale of the scene (default: 1e-6 precise, 1e-3 fast)"},
       set_number<&SimulationOptions::accuracy>},
      {{"--integrator", "dopri8|dopri5|cash-karp|rk4|euler",
        "choose the Runge-Kutta method, for teaching and comparison"},
       set_integrator},
      {{"--step", "SECONDS", "take steps of fixed length, for teaching and comparison"},
       set_positive<&SimulationOptions::fixed_step>},
      {{"--inputs", "FILE.jsonl",
        "read timed events (set, pull, release), one JSON object per line (docs/scene.md)"},
       set_path<&ProgramOptions::inputs>}};
  return table;
}

// Flags that only `run` has. They affect files and messages.
const std::vector<RunFlag>& output_table() {
  static const std::vector<RunFlag> table = {
      {{"--threads", "N", "has no effect yet: a run uses one thread"}, check_threads},
      {{"--summary", "FILE.json", "write the results of the run as one JSON object"},
       set_path<&ProgramOptions::summary>},
      {{"--log", "FILE.csv", "write energy, momentum and work at every step"},
       set_path<&ProgramOptions::log>},
      {{"--log-bodies", "NAME,...|all",
        "add momentum, angular momentum and energies of these bodies to the log and to .tumble"},
       set_path<&ProgramOptions::log_bodies>},
      {{"--checkpoint", "FILE", "write a checkpoint every 10 s of wall time, at the end and on Ctrl-C"},
       set_path<&ProgramOptions::checkpoint>},
      {{"--resume", "FILE", "continue from a checkpoint; append to the same -o files"},
       set_path<&ProgramOptions::resume>},
      {{"--max-cpu", "SECONDS", "stop after this much CPU time; close all files, exit 1"}, set_max_cpu},
      {{"--verify", "off|frames|steps", "measure penetration with an independent checker (default: frames)"},
       set_verify},
      {{"--estimate-error", "", "run again with a tenth of --accuracy and report the difference"},
       set_switch<&ProgramOptions::estimate_error>},
      {{"--contacts", "FILE.csv", "write every contact point of every frame: impulse, slip, patch"},
       set_path<&ProgramOptions::contacts>},
      {{"--reactions", "FILE.csv",
        "write mean forces and torques in joints, and efforts of drives and scripts"},
       set_path<&ProgramOptions::reactions>},
      {{"--profile", "", "print where the time was spent"}, set_switch<&ProgramOptions::profile>},
      {{"--quiet", "", "print no progress, results or warnings of the run"},
       set_switch<&ProgramOptions::quiet>},
      {{"--verbose", "", "print scales, method, accuracy and number of frames"},
       set_switch<&ProgramOptions::verbose>}};
  return table;
}

std::vector<Flag> flags_of(const std::vector<RunFlag>& table) {
  std::vector<Flag> flags;
  flags.reserve(table.size());
  for (const RunFlag& entry : table) flags.push_back(entry.flag);
  return flags;
}

// Reports the fault at the first of its options that was given: as a flag, else as an attribute of the scene.
[[noreturn]] void refuse(const simulate::OptionFault& fault, const scene::Scene& scene,
                         const Arguments& arguments) {
  for (const std::string& name : fault.options)
    if (arguments.has("--" + name)) throw UsageError("--" + name + ": " + fault.message);
  for (const std::string& name : fault.options)
    if (const auto place = scene.given.find(name); place != scene.given.end())
      throw SceneFault{{core::error_at(place->second, name + ": " + fault.message)}};
  throw UsageError(fault.message);
}

// The bodies of --log-bodies: names with commas between them, or "all": every body that is not fixed.
std::vector<model::BodyId> find_log_bodies(const std::string& list, const scene::Scene& scene,
                                           const Arguments& arguments) {
  std::vector<model::BodyId> bodies;
  const std::vector<model::Body>& all = scene.model.bodies();
  const auto add = [&](const std::string& name) {
    std::vector<std::string> names;
    for (size_t i = 0; i < all.size(); ++i) {
      names.push_back(all[i].name);
      if (all[i].name != name) continue;
      if (std::find(bodies.begin(), bodies.end(), model::BodyId(i)) != bodies.end())
        refuse({{"log-bodies"}, "body \"" + name + "\" is named twice"}, scene, arguments);
      bodies.emplace_back(i);
      return;
    }
    const std::string near = core::nearest_name(name, names);
    refuse({{"log-bodies"},
            "there is no body \"" + name + "\"" + (near.empty() ? "" : "; did you mean \"" + near + "\"?")},
           scene, arguments);
  };
  if (list == "all") {
    for (size_t i = 0; i < all.size(); ++i)
      if (!all[i].is_fixed()) bodies.emplace_back(i);
  } else if (!list.empty()) {
    for (size_t at = 0; at <= list.size();) {
      const size_t end = std::min(list.find(',', at), list.size());
      add(list.substr(at, end - at));
      at = end + 1;
    }
  }
  return bodies;
}

// Reads the --inputs file that flags or scene name, and returns its bytes.
std::string read_events(const scene::Scene& scene, Request& request) {
  const std::string& path = request.program.inputs;
  if (path.empty()) return {};
  const core::Expected<std::string> text = scene::DiskFiles().read(path);
  if (!text) {
    const std::string& why = text.diagnostics().front().message;
    if (request.arguments.has("--inputs")) throw SceneFault{{core::error_at({path}, why)}};
    throw SceneFault{{core::error_at(scene.given.at("inputs"), "inputs: the file \"" + path + "\" " + why)}};
  }
  core::Expected<model::InputEvents> events = scene::read_inputs(*text, path, scene.model);
  if (!events) throw SceneFault{events.diagnostics()};
  if (events->empty()) return {};
  request.options.inputs = std::make_shared<const model::InputEvents>(std::move(events).value());
  return *text;
}

}  // namespace

Flag set_flag() {
  return {
      "--set", "ADDRESS=VALUE",
      "replace an attribute of the scene: car.velocity.x=12, ice.friction=0.02; repeatable (docs/scene.md)"};
}

core::Expected<scene::Scene> load_scene(const std::string& path, const Arguments& arguments) {
  return scene::load_scene(path, {.settings = arguments.all("--set")});
}

std::vector<Flag> motion_flags() {
  std::vector<Flag> flags = flags_of(motion_table());
  flags.push_back(set_flag());
  return flags;
}
std::vector<Flag> output_flags() { return flags_of(output_table()); }

std::string motion_json(const simulate::SimulationOptions& options,
                        const std::vector<std::string>& settings) {
  nlohmann::json json{{"fps", options.fps},
                      {"method", to_string(options.method)},
                      {"integrator", options.integrator_name()},
                      {"accuracy", *options.accuracy},
                      {"orientation", options.quergs ? "quergs" : "quaternion"},
                      {"reactions", options.reactions},
                      {"step", options.fixed_step.value_or(0)}};
  if (!settings.empty()) json["set"] = settings;
  if (options.inputs) json["inputs"] = options.inputs->hash();
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunOptions resolve_options(const scene::Scene& scene, const Arguments& arguments) {
  Request request{arguments, simulate::requested_options(scene.model), scene.program};
  if (scene.given.contains("integrator")) request.options.integrator = scene.model.run_options().integrator;
  for (const auto* table : {&motion_table(), &output_table()})
    for (const RunFlag& entry : *table) entry.apply(entry.flag.name, request);

  const std::string inputs = read_events(scene, request);
  const scene::ProgramOptions& program = request.program;
  request.options.contacts = !program.contacts.empty();
  request.options.reactions = !program.reactions.empty();
  request.options.estimate_error = program.estimate_error;
  request.options.log = !program.log.empty() || request.options.reactions || arguments.has("-o");
  request.options.log_bodies = find_log_bodies(program.log_bodies, scene, arguments);
  simulate::ResolvedOptions resolved = resolve(scene.model, request.options);
  if (resolved.fault) refuse(*resolved.fault, scene, arguments);
  // A .tumble holds contacts. A checkpoint holds those since the last frame: the resumed run may write one.
  const std::vector<std::string> files = arguments.all("-o");
  if (resolved.options.method == simulate::Method::fast &&
      (!program.checkpoint.empty() || std::any_of(files.begin(), files.end(), [](const std::string& file) {
        return lower_extension(file) == ".tumble";
      })))
    resolved.options.contacts = true;
  if (program.estimate_error && !program.resume.empty())
    refuse({{"estimate-error", "resume"}, "the error estimate compares whole runs and cannot be resumed"},
           scene, arguments);
  return {resolved.options, resolved.method_reason, resolved.accuracy_given, program, inputs};
}

}  // namespace tumble::app
