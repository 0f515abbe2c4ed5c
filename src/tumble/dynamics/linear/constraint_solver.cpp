#include "tumble/dynamics/linear/constraint_solver.h"

#include <algorithm>

#include "tumble/dynamics/linear/tree_kernel.h"

namespace tumble::dynamics {

using model::BodyMotion;
using model::ConstraintRows;

namespace {

std::vector<TreeSolver::Link> links_of(const model::Model& model, const JointGraph& graph) {
  std::vector<TreeSolver::Link> links;
  for (const JointGraph::Node& node : graph.nodes)
    links.push_back({node.parent, node.constraint == kNone
                                      ? 0
                                      : model.constraints()[static_cast<size_t>(node.constraint)]->rows()});
  return links;
}

// R I R^T, lower triangle.
void rotate_inertia(const math::Mat3& R, const math::Mat3& inertia_B, double* out) {
  const math::Mat3 I = R * inertia_B * R.transpose();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c) out[lower(r, c)] = I(r, c);
}

// Adds mass and inertia of a body to the lower triangle A.
void add_body(double mass, const double* I, double* A) {
  for (int r = 0; r < 3; ++r) {
    A[lower(r, r)] += mass;
    for (int c = 0; c <= r; ++c) A[lower(3 + r, 3 + c)] += I[lower(r, c)];
  }
}

}  // namespace

ConstraintSolver::ConstraintSolver(const model::Model& model, const LinearParameters& parameters)
    : model_(&model),
      parameters_(parameters),
      graph_(build_joint_graph(model)),
      tree_(links_of(model, graph_)),
      inertias_(6 * graph_.nodes.size(), 0.0) {
  for (const JointGraph::Node& node : graph_.nodes)
    bodies_.push_back({model.body(node.body).mass, model.body(node.body).inertia_B});
  number_rows();
}

void ConstraintSolver::set_active_limits(const std::vector<int>& limits) {
  if (limits == active_limits_) return;
  active_limits_ = limits;
  number_rows();
}

void ConstraintSolver::number_rows() {
  const size_t constraints = model_->constraints().size();
  first_rows_.assign(constraints + active_limits_.size(), 0);
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].constraint != kNone)
      first_rows_[static_cast<size_t>(graph_.nodes[i].constraint)] = tree_.first_row(i);
  size_t next = tree_.rows();
  loops_.clear();
  loops_.resize(graph_.islands.size());
  const auto add = [&](Loops& loops, const model::Constraint* constraint, size_t index) {
    loops.constraints.push_back({constraint, next, node_of(constraint->a()), node_of(constraint->b()), {}});
    first_rows_[index] = next;
    next += static_cast<size_t>(constraint->rows());
  };
  for (size_t k = 0; k < graph_.islands.size(); ++k) {
    const JointGraph::Island& island = graph_.islands[k];
    const size_t first_row = next;
    for (const int c : island.closures)
      add(loops_[k], model_->constraints()[static_cast<size_t>(c)].get(), static_cast<size_t>(c));
    for (size_t l = 0; l < active_limits_.size(); ++l) {
      const model::Limit* limit = model_->limits()[static_cast<size_t>(active_limits_[l])].get();
      const int node = std::max(node_of(limit->a()), node_of(limit->b()));
      if (node != kNone && graph_.island_of_node[static_cast<size_t>(node)] == static_cast<int>(k))
        add(loops_[k], limit, constraints + l);
    }
    const size_t rows = next - first_row;
    if (rows == 0) continue;
    if (rows >= parameters_.sparse_from)
      loops_[k].sparse.emplace(island, parameters_.proximal);
    else
      loops_[k].closure.emplace(island, tree_, first_row, rows, parameters_.proximal);
  }
  evaluated_.resize(next);
}

void ConstraintSolver::RowValues::resize(size_t rows) {
  for (std::vector<double>* v : {&values, &rates, &biases, &speeds}) v->assign(rows, 0.0);
}

void ConstraintSolver::RowValues::store(size_t first_row, int count, const ConstraintRows& rows) {
  for (int i = 0; i < count; ++i) {
    const size_t row = first_row + static_cast<size_t>(i);
    values[row] = rows.value[i];
    rates[row] = rows.rate[i];
    biases[row] = rows.bias[i];
  }
}

void ConstraintSolver::evaluate(double t, std::span<const BodyMotion> motions) {
  evaluate_all(t, motions, false);
}

void ConstraintSolver::factor(double t, std::span<const BodyMotion> motions) {
  evaluate_all(t, motions, true);
}

// From the leaves of the forest to its roots, so that nodes can be factored along the way; then loops.
void ConstraintSolver::evaluate_all(double t, std::span<const BodyMotion> motions, bool factoring) {
  if (factoring)
    for (Loops& loops : loops_)
      if (loops.sparse) loops.sparse->begin();
  ConstraintRows rows;
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    if (const int joint = graph_.nodes[i].constraint; joint != kNone)
      evaluate_row(*model_->constraints()[static_cast<size_t>(joint)], t, motions, factoring,
                   tree_.first_row(i), rows);
    if (factoring) factor_node(i, motions, rows);
  }
  for (Loops& loops : loops_) {
    for (LoopConstraint& loop : loops.constraints) {
      evaluate_row(*loop.constraint, t, motions, factoring, loop.first_row, loop.rows);
      if (factoring && loops.sparse)
        loops.sparse->add_rows(loop.first_row, loop.constraint->rows(), loop.node_a, loop.node_b, loop.rows);
    }
    if (factoring && loops.sparse) loops.sparse->factor();
    if (factoring && loops.closure) loops.closure->factor(*model_, graph_, tree_, loops.constraints);
  }
}

void ConstraintSolver::evaluate_row(const model::Constraint& constraint, double t,
                                    std::span<const BodyMotion> motions, bool factoring, size_t first_row,
                                    ConstraintRows& rows) {
  const BodyMotion &a = motion_of(constraint.a(), motions), &b = motion_of(constraint.b(), motions);
  constraint.evaluate(t, a, b, rows);
  evaluated_.store(first_row, constraint.rows(), rows);
  if (factoring) return;
  for (int i = 0; i < constraint.rows(); ++i)
    evaluated_.speeds[first_row + static_cast<size_t>(i)] = speed_of_row(constraint, rows, i, a, b);
}

// `rows` are those of the joint above the node.
void ConstraintSolver::factor_node(size_t i, std::span<const BodyMotion> motions,
                                   const ConstraintRows& rows) {
  const JointGraph::Node& node = graph_.nodes[i];
  const NodeBody& body = bodies_[i];
  double* I = &inertias_[6 * i];
  rotate_inertia(motions[node.body.index()].rotation, body.inertia_B, I);
  std::optional<SparseIsland>& sparse = loops_[static_cast<size_t>(graph_.island_of_node[i])].sparse;
  if (!sparse) {
    add_body(body.mass, I, tree_.matrix(i));
    tree_.factor(i, node.is_b ? rows.J_b : rows.J_a, node.is_b ? rows.J_a : rows.J_b);
    return;
  }
  double A[kLower6] = {};
  add_body(body.mass, I, A);
  sparse->set_mass(static_cast<int>(i), A);
  if (node.constraint == kNone) return;
  const model::Constraint& joint = *model_->constraints()[static_cast<size_t>(node.constraint)];
  sparse->add_rows(tree_.first_row(i), joint.rows(), node_of(joint.a()), node_of(joint.b()), rows);
}

void ConstraintSolver::solve(double* x, double* y) {
  for (size_t k = 0; k < graph_.islands.size(); ++k) {
    Loops& loops = loops_[k];
    if (loops.sparse) {
      loops.sparse->solve(x, y);
      continue;
    }
    const auto first = static_cast<size_t>(graph_.islands[k].first),
               end = static_cast<size_t>(graph_.islands[k].end);
    tree_.solve(first, end, x + 6 * first, y + tree_.first_row(first));
    if (loops.closure) loops.closure->solve(tree_, loops.constraints, x, y);
  }
}

}  // namespace tumble::dynamics
