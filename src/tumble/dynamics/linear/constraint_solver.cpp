#include "tumble/dynamics/linear/constraint_solver.h"

#include <algorithm>
#include <cmath>

#include "tumble/dynamics/linear/tree_kernel.h"
#include "tumble/dynamics/tolerances.h"

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
void turn_inertia(const math::Mat3& R, const math::Mat3& inertia_B, double* out) {
  const math::Mat3 I = R * inertia_B * R.transpose();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c) out[lower(r, c)] = I(r, c);
}

// The lower triangle of a body's mass and inertia, onto A.
void add_body(double mass, const double* I, double* A) {
  for (int r = 0; r < 3; ++r) {
    A[lower(r, r)] += mass;
    for (int c = 0; c <= r; ++c) A[lower(3 + r, 3 + c)] += I[lower(r, c)];
  }
}

double dot6(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

}  // namespace

ConstraintSolver::ConstraintSolver(const model::Model& model)
    : model_(&model),
      graph_(build_joint_graph(model)),
      tree_(links_of(model, graph_)),
      sparse_from_(kSparseFrom) {
  inertias_.assign(6 * graph_.nodes.size(), 0.0);
  for (const JointGraph::Node& node : graph_.nodes)
    bodies_.push_back({model.body(node.body).mass, model.body(node.body).inertia_B});
  place_rows();
}

void ConstraintSolver::set_active_limits(const std::vector<int>& limits) {
  if (limits == active_limits_) return;
  active_limits_ = limits;
  place_rows();
}

void ConstraintSolver::set_sparse_from(size_t rows) {
  sparse_from_ = rows;
  place_rows();
}

void ConstraintSolver::place_rows() {
  const size_t constraints = model_->constraints().size();
  first_rows_.assign(constraints + active_limits_.size(), 0);
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].constraint != kNone)
      first_rows_[static_cast<size_t>(graph_.nodes[i].constraint)] = tree_.first_row(i);
  size_t next = tree_.rows();
  closings_.clear();
  closings_.resize(graph_.islands.size());
  const auto add = [&](Closing& closing, const model::Constraint* constraint, size_t index) {
    closing.extras.push_back({constraint, next, node_of(constraint->a()), node_of(constraint->b()), {}});
    first_rows_[index] = next;
    next += static_cast<size_t>(constraint->rows());
  };
  for (size_t k = 0; k < graph_.islands.size(); ++k) {
    const JointGraph::Island& island = graph_.islands[k];
    Closing& closing = closings_[k];
    closing.first_row = next;
    for (const int c : island.closures)
      add(closing, model_->constraints()[static_cast<size_t>(c)].get(), static_cast<size_t>(c));
    for (size_t l = 0; l < active_limits_.size(); ++l) {
      const model::Limit* limit = model_->limits()[static_cast<size_t>(active_limits_[l])].get();
      const int node = std::max(node_of(limit->a()), node_of(limit->b()));
      if (node != kNone && graph_.island_of_node[static_cast<size_t>(node)] == static_cast<int>(k))
        add(closing, limit, constraints + l);
    }
    closing.rows = next - closing.first_row;
    if (closing.rows >= sparse_from_ && closing.rows > 0) {
      closing.sparse.emplace();
      continue;
    }
    const auto r = static_cast<Eigen::Index>(closing.rows);
    closing.T.setZero(Eigen::Index{6} * (island.end - island.first), r);
    const size_t end = island.end < static_cast<int>(graph_.nodes.size())
                           ? tree_.first_row(static_cast<size_t>(island.end))
                           : tree_.rows();
    closing.multipliers.setZero(
        static_cast<Eigen::Index>(end - tree_.first_row(static_cast<size_t>(island.first))), r);
    closing.S.setZero(r, r);
    for (Eigen::VectorXd* v : {&closing.softening, &closing.residual, &closing.solution, &closing.correction})
      v->setZero(r);
  }
  for (std::vector<double>* v : {&values_, &rates_, &biases_, &speeds_}) v->assign(next, 0.0);
}

void ConstraintSolver::keep_rows(size_t first_row, int count, const ConstraintRows& rows) {
  for (int i = 0; i < count; ++i) {
    const size_t row = first_row + static_cast<size_t>(i);
    values_[row] = rows.value[i];
    rates_[row] = rows.rate[i];
    biases_[row] = rows.bias[i];
  }
}

void ConstraintSolver::keep_speeds(const model::Constraint& constraint, size_t first_row,
                                   const ConstraintRows& rows, const BodyMotion& a, const BodyMotion& b) {
  for (int i = 0; i < constraint.rows(); ++i)
    speeds_[first_row + static_cast<size_t>(i)] = speed_of_row(constraint, rows, i, a, b);
}

void ConstraintSolver::evaluate(double t, std::span<const BodyMotion> motions) { walk(t, motions, false); }

void ConstraintSolver::factor(double t, std::span<const BodyMotion> motions) { walk(t, motions, true); }

void ConstraintSolver::walk(double t, std::span<const BodyMotion> motions, bool factoring) {
  if (factoring)
    for (size_t k = 0; k < closings_.size(); ++k)
      if (closings_[k].sparse) begin_sparse(graph_.islands[k], closings_[k]);
  ConstraintRows rows;
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    const JointGraph::Node& node = graph_.nodes[i];
    if (node.constraint != kNone) {
      const model::Constraint& joint = *model_->constraints()[static_cast<size_t>(node.constraint)];
      const BodyMotion &a = motion_of(joint.a(), motions), &b = motion_of(joint.b(), motions);
      joint.evaluate(t, a, b, rows);
      keep_rows(tree_.first_row(i), joint.rows(), rows);
      if (!factoring) keep_speeds(joint, tree_.first_row(i), rows, a, b);
    }
    if (!factoring) continue;
    const NodeBody& body = bodies_[i];
    double* I = &inertias_[6 * i];
    turn_inertia(motions[node.body.index()].rotation, body.inertia_B, I);
    Closing& closing = closing_of_node(i);
    if (closing.sparse) {
      add_sparse_body(closing, i);
      if (node.constraint != kNone)
        add_sparse_rows(closing, tree_.first_row(i),
                        *model_->constraints()[static_cast<size_t>(node.constraint)], rows);
    } else {
      add_body(body.mass, I, tree_.matrix(i));
      tree_.factor(i, node.is_b ? rows.J_b : rows.J_a, node.is_b ? rows.J_a : rows.J_b);
    }
  }
  for (size_t k = 0; k < closings_.size(); ++k) {
    for (Extra& extra : closings_[k].extras) {
      const BodyMotion &a = motion_of(extra.constraint->a(), motions),
                       &b = motion_of(extra.constraint->b(), motions);
      extra.constraint->evaluate(t, a, b, extra.rows);
      keep_rows(extra.first_row, extra.constraint->rows(), extra.rows);
      if (!factoring) keep_speeds(*extra.constraint, extra.first_row, extra.rows, a, b);
      if (factoring && closings_[k].sparse)
        add_sparse_rows(closings_[k], extra.first_row, *extra.constraint, extra.rows);
    }
    if (!factoring || closings_[k].rows == 0) continue;
    if (closings_[k].sparse)
      closings_[k].sparse->factor();
    else
      close(graph_.islands[k], closings_[k]);
  }
}

void ConstraintSolver::begin_sparse(const JointGraph::Island& island, Closing& closing) {
  closing.sparse->begin(static_cast<size_t>(island.end - island.first));
  closing.order.clear();
}

void ConstraintSolver::add_sparse_body(Closing& closing, size_t node) {
  double A[kLower6] = {};
  add_body(bodies_[node].mass, &inertias_[6 * node], A);
  SparseSolver::Block block;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) block(r, c) = block(c, r) = A[lower(r, c)];
  closing.sparse->set_mass(static_cast<int>(node) - first_node(closing), block);
}

void ConstraintSolver::add_sparse_rows(Closing& closing, size_t first_row,
                                       const model::Constraint& constraint, const ConstraintRows& rows) {
  const int a = node_of(constraint.a()), b = node_of(constraint.b());
  const int first = first_node(closing);
  for (int i = 0; i < constraint.rows(); ++i) {
    closing.sparse->add_row(a == kNone ? kNone : a - first, rows.J_a[i], b == kNone ? kNone : b - first,
                            rows.J_b[i]);
    closing.order.push_back(first_row + static_cast<size_t>(i));
  }
}

void ConstraintSolver::solve_sparse(const JointGraph::Island& island, Closing& closing, double* x,
                                    double* y) {
  std::vector<double> rows(closing.order.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = y[closing.order[i]];
  closing.sparse->solve(x + 6 * static_cast<size_t>(island.first), rows.data());
  for (size_t i = 0; i < rows.size(); ++i) y[closing.order[i]] = rows[i];
}

// Equation (2): one solution of the forest for each row beyond it.
void ConstraintSolver::close(const JointGraph::Island& island, Closing& closing) {
  const auto first = static_cast<size_t>(island.first), end = static_cast<size_t>(island.end);
  closing.T.setZero();
  closing.multipliers.setZero();
  Eigen::Index column = 0;
  for (const Extra& extra : closing.extras)
    for (int i = 0; i < extra.constraint->rows(); ++i, ++column) {
      double* x = closing.T.col(column).data();
      double scale = 0;
      for (const auto& [node, J] :
           {std::pair(extra.node_a, extra.rows.J_a[i]), std::pair(extra.node_b, extra.rows.J_b[i])}) {
        if (node == kNone) continue;
        const auto n = static_cast<size_t>(node);
        for (size_t c = 0; c < 6; ++c) x[6 * (n - first) + c] += J[c];
        const model::Body& body = model_->body(graph_.nodes[n].body);
        const math::Vec3 turn(J[3], J[4], J[5]);
        scale += body.inverse_mass * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]) +
                 turn.squaredNorm() * body.inverse_inertia_B.trace() / 3;
      }
      closing.softening[column] = kProximalPart * scale;
      tree_.solve(first, end, x, closing.multipliers.col(column).data());
    }
  column = 0;
  for (const Extra& extra : closing.extras)
    for (int i = 0; i < extra.constraint->rows(); ++i, ++column)
      for (Eigen::Index other = 0; other <= column; ++other) {
        const double* x = closing.T.col(other).data();
        double sum = 0;
        if (extra.node_a != kNone)
          sum += dot6(extra.rows.J_a[i], x + 6 * (static_cast<size_t>(extra.node_a) - first));
        if (extra.node_b != kNone)
          sum += dot6(extra.rows.J_b[i], x + 6 * (static_cast<size_t>(extra.node_b) - first));
        closing.S(column, other) = closing.S(other, column) = sum;
      }
  closing.factors.compute(closing.S + Eigen::MatrixXd(closing.softening.asDiagonal()));
}

void ConstraintSolver::solve(double* x, double* y) {
  for (size_t k = 0; k < graph_.islands.size(); ++k) {
    const JointGraph::Island& island = graph_.islands[k];
    if (closings_[k].sparse) {
      solve_sparse(island, closings_[k], x, y);
      continue;
    }
    const auto first = static_cast<size_t>(island.first), end = static_cast<size_t>(island.end);
    tree_.solve(first, end, x + 6 * first, y + tree_.first_row(first));
    if (closings_[k].rows > 0) solve_closing(island, closings_[k], x, y);
  }
}

// Equation (3), on what the forest has left.
void ConstraintSolver::solve_closing(const JointGraph::Island& island, Closing& closing, double* x,
                                     double* y) {
  double size = 0;  // of the terms that must cancel
  Eigen::Index column = 0;
  for (const Extra& extra : closing.extras)
    for (int i = 0; i < extra.constraint->rows(); ++i, ++column) {
      double sum = -y[closing.first_row + static_cast<size_t>(column)];
      size = std::max(size, std::abs(sum));
      for (const auto& [node, J] :
           {std::pair(extra.node_a, extra.rows.J_a[i]), std::pair(extra.node_b, extra.rows.J_b[i])}) {
        if (node == kNone) continue;
        const double* v = x + 6 * static_cast<size_t>(node);
        sum += dot6(J, v);
        for (int c = 0; c < 6; ++c) size = std::max(size, std::abs(J[c] * v[c]));
      }
      closing.residual[column] = sum;
    }
  closing.solution.setZero();
  double left = closing.residual.cwiseAbs().maxCoeff();
  for (int pass = 0; pass < kProximalPasses && left > kRowRoundOff * size; ++pass) {
    closing.correction = closing.factors.solve(closing.residual);
    closing.solution += closing.correction;
    closing.residual.noalias() -= closing.S * closing.correction;
    left = closing.residual.cwiseAbs().maxCoeff();
  }
  const auto first = static_cast<size_t>(island.first);
  Eigen::Map<Eigen::VectorXd>(x + 6 * first, closing.T.rows()).noalias() -= closing.T * closing.solution;
  Eigen::Map<Eigen::VectorXd>(y + tree_.first_row(first), closing.multipliers.rows()).noalias() -=
      closing.multipliers * closing.solution;
  std::copy_n(closing.solution.data(), closing.rows, y + closing.first_row);
}

}  // namespace tumble::dynamics
