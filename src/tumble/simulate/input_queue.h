// The events of SimulationOptions::inputs, ready to act.
#pragma once

#include <cstdint>
#include <vector>

#include "tumble/model/input_events.h"
#include "tumble/model/live_model.h"
#include "tumble/simulate/simulation_options.h"

namespace tumble::simulate {

struct InputQueue {
  std::vector<model::LiveModel::Place> places = {};
  std::vector<uint32_t> order = {};
  uint64_t hash = 0;
  size_t next = 0;  // in `order`: those before it have acted

  bool empty() const { return order.empty(); }
};

inline InputQueue make_queue(const SimulationOptions& options, const model::LiveModel& live) {
  if (!options.inputs) return {};
  return {options.inputs->find_places(live), options.inputs->in_order(), options.inputs->hash()};
}

}  // namespace tumble::simulate
