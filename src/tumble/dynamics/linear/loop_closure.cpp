#include "tumble/dynamics/linear/loop_closure.h"

#include <algorithm>
#include <cmath>

namespace tumble::dynamics {

namespace {

double row_times_twist(const double* J, const double* v) {
  return J[0] * v[0] + J[1] * v[1] + J[2] * v[2] + (J[3] * v[3] + J[4] * v[4] + J[5] * v[5]);
}

// Calls act(constraint, row of it, row among those of all loops).
template <class Act>
void for_each_loop_row(std::span<const LoopConstraint> constraints, const Act& act) {
  Eigen::Index row = 0;
  for (const LoopConstraint& loop : constraints)
    for (int i = 0; i < loop.constraint->rows(); ++i, ++row) act(loop, i, row);
}

// Estimate of J M^-1 J^T of a row on one body: all moments of inertia are replaced by their mean.
double response_of(const model::Body& body, const double* J) {
  const math::Vec3 angular(J[3], J[4], J[5]);
  return body.inverse_mass * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]) +
         angular.squaredNorm() * body.inverse_inertia_B.trace() / 3;
}

}  // namespace

LoopClosure::LoopClosure(const JointGraph::Island& island, const TreeSolver& tree, size_t first_row,
                         size_t rows, const ProximalParameters& parameters)
    : parameters_(parameters),
      first_node_(static_cast<size_t>(island.first)),
      end_node_(static_cast<size_t>(island.end)),
      first_row_(first_row) {
  const size_t end_of_rows = end_node_ < tree.size() ? tree.first_row(end_node_) : tree.rows();
  const auto r = static_cast<Eigen::Index>(rows);
  T_.setZero(static_cast<Eigen::Index>(6 * (end_node_ - first_node_)), r);
  multipliers_.setZero(static_cast<Eigen::Index>(end_of_rows - tree.first_row(first_node_)), r);
  S_.setZero(r, r);
  for (Eigen::VectorXd* v : {&regularization_, &residual_, &solution_, &correction_}) v->setZero(r);
}

// One solve of the forest for each row.
void LoopClosure::factor(const model::Model& model, const JointGraph& graph, const TreeSolver& tree,
                         std::span<const LoopConstraint> constraints) {
  T_.setZero();
  multipliers_.setZero();
  for_each_loop_row(constraints, [&](const LoopConstraint& loop, int i, Eigen::Index column) {
    double* x = T_.col(column).data();
    double scale = 0;
    for (const auto& [node, J] :
         {std::pair(loop.node_a, loop.rows.J_a[i]), std::pair(loop.node_b, loop.rows.J_b[i])}) {
      if (node == kNone) continue;
      const auto n = static_cast<size_t>(node);
      for (size_t c = 0; c < 6; ++c) x[6 * (n - first_node_) + c] += J[c];
      scale += response_of(model.body(graph.nodes[n].body), J);
    }
    regularization_[column] = parameters_.regularization * scale;
    tree.solve(first_node_, end_node_, x, multipliers_.col(column).data());
  });
  for_each_loop_row(constraints, [&](const LoopConstraint& loop, int i, Eigen::Index row) {
    for (Eigen::Index column = 0; column <= row; ++column) {
      const double* x = T_.col(column).data();
      double sum = 0;
      if (loop.node_a != kNone)
        sum += row_times_twist(loop.rows.J_a[i], x + 6 * (static_cast<size_t>(loop.node_a) - first_node_));
      if (loop.node_b != kNone)
        sum += row_times_twist(loop.rows.J_b[i], x + 6 * (static_cast<size_t>(loop.node_b) - first_node_));
      S_(row, column) = S_(column, row) = sum;
    }
  });
  factors_.compute(S_ + Eigen::MatrixXd(regularization_.asDiagonal()));
}

void LoopClosure::solve(const TreeSolver& tree, std::span<const LoopConstraint> constraints, double* x,
                        double* y) {
  double largest_term = 0;  // of the terms that cancel in r
  for_each_loop_row(constraints, [&](const LoopConstraint& loop, int i, Eigen::Index row) {
    double sum = -y[first_row_ + static_cast<size_t>(row)];
    largest_term = std::max(largest_term, std::abs(sum));
    for (const auto& [node, J] :
         {std::pair(loop.node_a, loop.rows.J_a[i]), std::pair(loop.node_b, loop.rows.J_b[i])}) {
      if (node == kNone) continue;
      const double* v = x + 6 * static_cast<size_t>(node);
      sum += row_times_twist(J, v);
      for (int c = 0; c < 6; ++c) largest_term = std::max(largest_term, std::abs(J[c] * v[c]));
    }
    residual_[row] = sum;
  });
  solution_.setZero();
  double left = residual_.cwiseAbs().maxCoeff();
  for (int k = 0; k < parameters_.max_iterations && left > parameters_.round_off * largest_term; ++k) {
    correction_ = factors_.solve(residual_);
    solution_ += correction_;
    residual_.noalias() -= S_ * correction_;
    left = residual_.cwiseAbs().maxCoeff();
  }
  Eigen::Map<Eigen::VectorXd>(x + 6 * first_node_, T_.rows()).noalias() -= T_ * solution_;
  Eigen::Map<Eigen::VectorXd>(y + tree.first_row(first_node_), multipliers_.rows()).noalias() -=
      multipliers_ * solution_;
  std::copy_n(solution_.data(), solution_.size(), y + first_row_);
}

}  // namespace tumble::dynamics
