// The graph of moving bodies and constraints: islands, and in each a spanning forest whose joints are
// eliminated body by body, from the leaves to the roots. Constraints outside the forest close loops.
#pragma once

#include <vector>

#include "tumble/model/model.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::dynamics {

using model::kNone;
using model::MovingBodies;

struct JointGraph {
  /// A moving body with at least one constraint. Parents come before their children.
  struct Node {
    core::BodyId body;
    int parent = kNone;      // node; none: the joint above is to the world or a fixed body, or there is none
    int constraint = kNone;  // the joint above; none: a floating root
    bool is_b = true;        // this body is b of that joint
  };
  /// Bodies that act on each other: a range of nodes, and the constraints that close loops among them.
  struct Island {
    int first = 0, end = 0;
    std::vector<int> closures;
  };
  std::vector<Node> nodes;
  std::vector<int> node_of_body;  // by body; none: fixed or free
  std::vector<Island> islands;
  std::vector<int> island_of_node;
};

/// Joints with many rows go into the forest first, so that joints with few rows close the loops.
JointGraph build_joint_graph(const model::Model& model);

}  // namespace tumble::dynamics
