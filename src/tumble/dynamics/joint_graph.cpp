#include "tumble/dynamics/joint_graph.h"

#include <algorithm>
#include <numeric>

namespace tumble::dynamics {

namespace {

// Kruskal's algorithm. The world and all fixed bodies are one vertex, which does not connect islands.
class Builder {
 public:
  explicit Builder(const model::Model& model)
      : model_(model), bodies_(model.bodies().size()), edges_(bodies_ + 1), on_forest_(bodies_) {
    for (const auto& constraint : model.constraints()) add_bodies_of(constraint.get());
    for (const auto& limit : model.limits()) add_bodies_of(limit.get());
  }

  JointGraph build() {
    build_forest();
    graph_.node_of_body.assign(bodies_, kNone);
    find_islands();
    for (size_t c = 0; c < model_.constraints().size(); ++c) {
      if (in_forest_[c]) continue;
      const size_t end = end_b(c) < bodies_ ? end_b(c) : end_a(c);
      if (end == bodies_) continue;  // between two fixed bodies
      graph_.islands[island_of(end)].closures.push_back(static_cast<int>(c));
    }
    return std::move(graph_);
  }

 private:
  // The vertex of a body: its index, or `bodies_` for the world and fixed bodies.
  size_t vertex(core::BodyId id) const {
    return id.valid() && !model_.body(id).is_fixed() ? id.index() : bodies_;
  }
  size_t end_a(size_t c) const { return vertex(model_.constraints()[c]->a()); }
  size_t end_b(size_t c) const { return vertex(model_.constraints()[c]->b()); }
  size_t island_of(size_t body) const {
    return static_cast<size_t>(graph_.island_of_node[static_cast<size_t>(graph_.node_of_body[body])]);
  }

  void add_bodies_of(const model::Constraint* constraint) {
    for (const core::BodyId id : {constraint->a(), constraint->b()})
      if (vertex(id) < bodies_) on_forest_[vertex(id)] = true;
    const size_t a = vertex(constraint->a()), b = vertex(constraint->b());
    if (a < bodies_ && b < bodies_) pairs_.emplace_back(a, b);
  }

  static size_t find(std::vector<size_t>& root, size_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  }

  void build_forest() {
    std::vector<size_t> order(model_.constraints().size()), root(bodies_ + 1);
    std::iota(order.begin(), order.end(), 0);
    std::iota(root.begin(), root.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
      return model_.constraints()[i]->rows() > model_.constraints()[j]->rows();
    });
    in_forest_.assign(order.size(), false);
    for (const size_t c : order) {
      const size_t a = find(root, end_a(c)), b = find(root, end_b(c));
      if (a == b) continue;
      root[a] = b;
      in_forest_[c] = true;
    }
    for (size_t c = 0; c < in_forest_.size(); ++c) {
      if (!in_forest_[c]) continue;
      edges_[end_a(c)].push_back(c);
      edges_[end_b(c)].push_back(c);
    }
  }

  // Islands in the order of their first bodies. In each, trees joined to the world come before floating ones.
  void find_islands() {
    std::vector<size_t> root(bodies_);
    std::iota(root.begin(), root.end(), 0);
    for (const auto& [a, b] : pairs_) root[find(root, a)] = find(root, b);
    std::vector<std::vector<size_t>> members(bodies_);
    for (size_t v = 0; v < bodies_; ++v)
      if (on_forest_[v]) members[find(root, v)].push_back(v);
    for (const size_t c : edges_[bodies_])
      joints_to_world_.push_back({end_a(c) < bodies_ ? end_a(c) : end_b(c), static_cast<int>(c)});
    std::vector<int> joint_to_world(bodies_, kNone);
    for (const auto& [body, c] : joints_to_world_) joint_to_world[body] = c;
    std::vector<bool> done(bodies_, false);
    for (size_t v = 0; v < bodies_; ++v) {
      if (!on_forest_[v] || done[find(root, v)]) continue;
      done[find(root, v)] = true;
      JointGraph::Island island;
      island.first = static_cast<int>(graph_.nodes.size());
      const std::vector<size_t>& bodies = members[find(root, v)];
      for (const size_t body : bodies)
        if (joint_to_world[body] != kNone) number_tree(body, joint_to_world[body]);
      for (const size_t body : bodies)
        if (graph_.node_of_body[body] == kNone) number_tree(body, kNone);
      island.end = static_cast<int>(graph_.nodes.size());
      graph_.island_of_node.resize(graph_.nodes.size(), static_cast<int>(graph_.islands.size()));
      graph_.islands.push_back(std::move(island));
    }
  }

  // Numbers the nodes of a tree depth first, so that neighbours in a chain have successive numbers.
  void number_tree(size_t start, int joint_above) {
    struct Step {
      size_t body;
      int parent, constraint;
    };
    std::vector<Step> stack{{start, kNone, joint_above}};
    while (!stack.empty()) {
      const Step step = stack.back();
      stack.pop_back();
      const int node = static_cast<int>(graph_.nodes.size());
      graph_.node_of_body[step.body] = node;
      const bool is_b = step.constraint == kNone || end_b(static_cast<size_t>(step.constraint)) == step.body;
      graph_.nodes.push_back({core::BodyId(step.body), step.parent, step.constraint, is_b});
      const std::vector<size_t>& edges = edges_[step.body];
      for (size_t k = edges.size(); k-- > 0;) {
        const size_t other = end_a(edges[k]) == step.body ? end_b(edges[k]) : end_a(edges[k]);
        if (other < bodies_ && static_cast<int>(edges[k]) != step.constraint)
          stack.push_back({other, node, static_cast<int>(edges[k])});
      }
    }
  }

  const model::Model& model_;
  size_t bodies_;
  std::vector<std::vector<size_t>> edges_;  // constraints of the forest, by vertex
  std::vector<bool> on_forest_, in_forest_;
  std::vector<std::pair<size_t, size_t>> pairs_;  // moving bodies with a constraint between them
  struct JointToWorld {
    size_t body;
    int constraint;
  };
  std::vector<JointToWorld> joints_to_world_;
  JointGraph graph_;
};

}  // namespace

JointGraph build_joint_graph(const model::Model& model) { return Builder(model).build(); }

}  // namespace tumble::dynamics
