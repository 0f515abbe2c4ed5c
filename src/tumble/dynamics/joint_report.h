// What joints leave free, counted in one configuration: of n bodies with the rows J,
//   degrees of freedom = 6 n - rank J,   redundant rows = rows - rank J
#pragma once

#include "tumble/dynamics/joint_graph.h"
#include "tumble/dynamics/linear/linear_parameters.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

struct IslandReport {
  std::vector<core::BodyId> bodies;
  std::vector<int> constraints;  // indices into Model::constraints()
  int trees = 0, loops = 0;      // of the spanning forest; joints beyond it
  int rows = 0, rank = 0;
  int degrees_of_freedom() const { return 6 * static_cast<int>(bodies.size()) - rank; }
  int redundant_rows() const { return rows - rank; }
};

/// Of every island, where the bodies stand in `state`. Mechanisms may have another rank elsewhere.
std::vector<IslandReport> report_on_joints(const model::Model& model, const model::State& state,
                                           const LinearParameters& parameters = {});

}  // namespace tumble::dynamics
