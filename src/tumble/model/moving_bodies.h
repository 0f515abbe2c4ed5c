// The bodies of a model that are not fixed, in scene order. They are the nodes of the solvers. A vector of
// velocities or momenta has 6 numbers per node: linear, then angular, in world axes.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tumble/model/model.h"

namespace tumble::model {

/// The node of the world and of fixed bodies, which have none. A kinematic body has a node, because its
/// script is a constraint.
inline constexpr int kNone = -1;

using Vec6 = Eigen::Matrix<double, 6, 1>;

/// The six numbers of one node.
inline Eigen::Map<const Vec6> node_part(std::span<const double> x, int node) {
  return Eigen::Map<const Vec6>(&x[6 * static_cast<size_t>(node)]);
}

class MovingBodies {
 public:
  explicit MovingBodies(const Model& model) : node_of_body_(model.bodies().size(), kNone) {
    for (size_t i = 0; i < model.bodies().size(); ++i) {
      if (model.bodies()[i].is_fixed()) continue;
      node_of_body_[i] = static_cast<int>(bodies_.size());
      bodies_.emplace_back(i);
    }
  }
  size_t size() const { return bodies_.size(); }
  const std::vector<core::BodyId>& bodies() const { return bodies_; }  // by node
  core::BodyId operator[](size_t node) const { return bodies_[node]; }
  /// kNone for the world and for fixed bodies.
  int node_of(core::BodyId body) const { return body.valid() ? node_of_body_[body.index()] : kNone; }

 private:
  std::vector<core::BodyId> bodies_;
  std::vector<int> node_of_body_;
};

}  // namespace tumble::model
