// What a run is asked to do: the attributes of the scene, overruled by the flags.
#pragma once

#include <string>
#include <vector>

#include "arguments.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation_options.h"

namespace tumble::app {

struct RunOptions {
  simulate::SimulationOptions simulation;  // resolved
  std::string method_reason;
  bool accuracy_given = false;
  scene::ProgramWishes program;
  std::string inputs;  // bytes of the file of events; empty: none
};

/// The options that decide the motion, and what --set changed in the scene, as JSON: a resumed run must agree
/// with them.
std::string motion_json(const simulate::SimulationOptions& options, const std::vector<std::string>& settings);

/// An attribute of the scene that cannot be met and that no flag overrules, or faults of the file of events:
/// bad input.
struct SceneFault {
  core::Diagnostics diagnostics;
};

/// --set, of every verb that reads a scene.
Flag set_flag();
/// Reads a scene with what --set asks for.
core::Expected<scene::Scene> load_scene(const std::string& path, const Arguments& arguments);

/// Flags shared by every verb that simulates.
std::vector<Flag> motion_flags();
/// Flags of `run` alone, without -o.
std::vector<Flag> output_flags();
/// Reads the file of events, too. Throws UsageError for flags that cannot be met, SceneFault for attributes
/// and events.
RunOptions resolve_options(const scene::Scene& scene, const Arguments& arguments);

}  // namespace tumble::app
