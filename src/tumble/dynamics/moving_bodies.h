// The bodies that move, in the order of the scene: the nodes of solvers.
#pragma once

#include <vector>

#include "tumble/dynamics/joint_graph.h"

namespace tumble::dynamics {

class MovingBodies {
 public:
  explicit MovingBodies(const model::Model& model) : node_of_body_(model.bodies().size(), kNone) {
    for (size_t i = 0; i < model.bodies().size(); ++i) {
      if (model.bodies()[i].fixed) continue;
      node_of_body_[i] = static_cast<int>(bodies_.size());
      bodies_.emplace_back(i);
    }
  }
  size_t size() const { return bodies_.size(); }
  const std::vector<core::BodyId>& bodies() const { return bodies_; }  // by node
  core::BodyId operator[](size_t node) const { return bodies_[node]; }
  /// kNone for the world and what is fixed.
  int node_of(core::BodyId body) const { return body.valid() ? node_of_body_[body.index()] : kNone; }

 private:
  std::vector<core::BodyId> bodies_;
  std::vector<int> node_of_body_;
};

}  // namespace tumble::dynamics
