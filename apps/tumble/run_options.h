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
};

/// The options that decide the motion, as JSON: a resumed run must agree with them.
std::string motion_json(const simulate::SimulationOptions& options);

/// An attribute of the scene that cannot be met and that no flag overrules: bad input, at its place.
struct SceneFault {
  core::Diagnostic diagnostic;
};

/// Flags shared by every verb that simulates.
std::vector<Flag> motion_flags();
/// Flags of `run` alone, without -o.
std::vector<Flag> output_flags();
/// Throws UsageError for flags that cannot be met, SceneFault for attributes.
RunOptions resolve_options(const scene::Scene& scene, const Arguments& arguments);

}  // namespace tumble::app
