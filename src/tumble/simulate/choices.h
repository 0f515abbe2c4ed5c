// Numbers that a run chooses by itself, each with its reason: for `tumble info` and other programs that
// explain a run.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tumble/model/model.h"
#include "tumble/simulate/simulation_options.h"

namespace tumble::simulate {

struct Choice {
  std::string name;
  std::variant<std::string, double, size_t> value;
  std::string unit, reason;
};

/// The scales of the scene, and the step lengths of the method. `options` must be resolved by resolve().
std::vector<Choice> list_choices(const model::Model& model, const SimulationOptions& options);

}  // namespace tumble::simulate
