// Degrees of freedom left by the joints in one configuration. For n bodies with the constraint Jacobian J,
//   degrees of freedom = 6 n - rank J,   redundant rows = rows - rank J
#pragma once

#include "tumble/dynamics/joint_graph.h"
#include "tumble/dynamics/linear/linear_parameters.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

struct IslandReport {
  std::vector<core::BodyId> bodies;
  std::vector<int> constraints;  // indices into Model::constraints()
  int trees = 0, loops = 0;      // trees of the spanning forest; joints outside it
  int rows = 0, rank = 0;
  int degrees_of_freedom() const { return 6 * static_cast<int>(bodies.size()) - rank; }
  int redundant_rows() const { return rows - rank; }
};

/// Reports on every island in the configuration of `state`. Mechanisms may have another rank elsewhere.
std::vector<IslandReport> report_on_joints(const model::Model& model, const model::State& state,
                                           const LinearParameters& parameters = {});

}  // namespace tumble::dynamics
