// The options of a run: the attributes of <simulation>; flags override them.
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
  scene::ProgramOptions program;
  std::string inputs;  // bytes of the --inputs file; empty: none
};

/// The options that affect the motion, and the --set settings, as JSON. A resumed run must have the same.
std::string motion_json(const simulate::SimulationOptions& options, const std::vector<std::string>& settings);

/// Bad input: an attribute of <simulation> that is impossible and that no flag overrides, or faults in the
/// --inputs file.
struct SceneFault {
  core::Diagnostics diagnostics;
};

/// --set, a flag of every verb that reads a scene.
Flag set_flag();
/// Reads a scene with the --set settings.
core::Expected<scene::Scene> load_scene(const std::string& path, const Arguments& arguments);

/// Flags shared by every verb that simulates.
std::vector<Flag> motion_flags();
/// Flags that only `run` has, except -o.
std::vector<Flag> output_flags();
/// Combines scene and flags, and reads the --inputs file. Throws UsageError for impossible flags, SceneFault
/// for impossible attributes and faulty events.
RunOptions resolve_options(const scene::Scene& scene, const Arguments& arguments);

}  // namespace tumble::app
