#include "run_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report.h"
#include "tumble/scene/inputs.h"

namespace tumble::app {

namespace {

constexpr size_t kMostThreads = 1024;  // as the attribute

// What is asked for, before anything is chosen. `options` and `program` begin with what the scene asks for.
struct Request {
  const Arguments& arguments;
  simulate::SimulationOptions options;
  scene::ProgramWishes program;
};

// A flag: its name, its metavariable, its help, and where its value goes. To add one, add a line to the table below; as an
// attribute of <simulation> it needs a line in scene/schema.cpp, too.
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

// One of the words, each with what it stands for.
template <typename T>
void set_choice(const std::string& name, const Request& request,
                const std::vector<std::pair<std::string, T>>& choices, T& value) {
  std::vector<std::string> words;
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

using scene::ProgramWishes;
using simulate::SimulationOptions;

// Of the motion: flags of every verb that simulates.
const std::vector<RunFlag>& motion_table() {
  static const std::vector<RunFlag> table = {
      {{"--duration", "S", "simulated time, s"}, set_number<&SimulationOptions::duration>},
      {{"--fps", "N", "frames written per simulated second; never the step size"},
       set_positive<&SimulationOptions::fps>},
      {{"--method", "M", "precise, fast or auto"}, set_method},
      {{"--accuracy", "A",
        "error allowed per time scale of the scene, relative (default 1e-6 precise, 1e-3 fast)"},
       set_number<&SimulationOptions::accuracy>},
      {{"--integrator", "I", "dopri8, dopri5, cash-karp, rk4 or euler: for teaching and comparison"},
       set_integrator},
      {{"--step", "H", "fixed step, s: for teaching and comparison"},
       set_positive<&SimulationOptions::fixed_step>},
      {{"--inputs", "FILE.jsonl", "timed events, one JSON object a line: set, pull, release (docs/scene.md)"},
       set_path<&ProgramWishes::inputs>}};
  return table;
}

// Of what is written and said: flags of `run` alone.
const std::vector<RunFlag>& output_table() {
  static const std::vector<RunFlag> table = {
      {{"--threads", "N", "accepted and not used yet: a run takes one thread"}, check_threads},
      {{"--summary", "FILE.json", "what the run came to, as one JSON object"},
       set_path<&ProgramWishes::summary>},
      {{"--log", "FILE.csv", "energy, momentum and work at every step"}, set_path<&ProgramWishes::log>},
      {{"--checkpoint", "FILE", "kept every 10 s of wall time, at the end and on Ctrl-C"},
       set_path<&ProgramWishes::checkpoint>},
      {{"--resume", "FILE", "goes on from a checkpoint, continuing the same -o files in place"},
       set_path<&ProgramWishes::resume>},
      {{"--max-cpu", "S", "stops when the program has taken S seconds of CPU; files are closed, exit 1"},
       set_max_cpu},
      {{"--verify", "WHERE",
        "off, frames or steps: where a checker of its own measures how deep bodies overlap"},
       set_verify},
      {{"--estimate-error", "", "runs again at a tenth of the accuracy number and reports the difference"},
       set_switch<&ProgramWishes::estimate_error>},
      {{"--contacts", "FILE.csv", "every contact point of every frame: impulse, slip, patch"},
       set_path<&ProgramWishes::contacts>},
      {{"--reactions", "FILE.csv",
        "mean forces and torques in joints, and the efforts of drives and scripts"},
       set_path<&ProgramWishes::reactions>},
      {{"--profile", "", "tells where the time went"}, set_switch<&ProgramWishes::profile>},
      {{"--quiet", "", "says nothing unless something is wrong"}, set_switch<&ProgramWishes::quiet>},
      {{"--verbose", "", "tells what was chosen"}, set_switch<&ProgramWishes::verbose>}};
  return table;
}

std::vector<Flag> flags_of(const std::vector<RunFlag>& table) {
  std::vector<Flag> flags;
  for (const RunFlag& entry : table) flags.push_back(entry.flag);
  return flags;
}

// Blames the first of the options that was given: as a flag, or else as an attribute of the scene.
[[noreturn]] void refuse(const simulate::OptionFault& fault, const scene::Scene& scene,
                         const Arguments& arguments) {
  for (const std::string& name : fault.options)
    if (arguments.has("--" + name)) throw UsageError("--" + name + ": " + fault.message);
  for (const std::string& name : fault.options)
    if (const auto place = scene.given.find(name); place != scene.given.end())
      throw SceneFault{{core::error_at(place->second, name + ": " + fault.message)}};
  throw UsageError(fault.message);
}

// The file of events that flags or scene ask for; its bytes.
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
      "replaces an attribute of the scene: car.velocity.x=12, ice.friction=0.02; repeatable (docs/scene.md)"};
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
  Request request{arguments, simulate::requested_options(scene.model), scene.wishes};
  if (scene.given.contains("integrator")) request.options.integrator = scene.model.run_options().integrator;
  for (const auto* table : {&motion_table(), &output_table()})
    for (const RunFlag& entry : *table) entry.apply(entry.flag.name, request);

  const std::string inputs = read_events(scene, request);
  const scene::ProgramWishes& program = request.program;
  request.options.contacts = !program.contacts.empty();
  request.options.reactions = !program.reactions.empty();
  request.options.estimate_error = program.estimate_error;
  request.options.log = !program.log.empty() || request.options.reactions || arguments.has("-o");
  const simulate::ResolvedOptions resolved = resolve(scene.model, request.options);
  if (resolved.fault) refuse(*resolved.fault, scene, arguments);
  if (program.estimate_error && !program.resume.empty())
    refuse({{"estimate-error", "resume"}, "a comparison of whole runs cannot be resumed"}, scene, arguments);
  return {resolved.options, resolved.method_reason, resolved.accuracy_given, program, inputs};
}

}  // namespace tumble::app
