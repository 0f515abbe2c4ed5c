// Constraints of an island outside its spanning forest: joints that close loops, and active limits. Their
// rows J_e are solved by the Schur complement over the forest. With T(b, c) the solution of the forest
// (tree_solver.h),
//   S m = J_e T(b, c) - c_e,      S = J_e T J_e^T,      x = T(b, c) - T J_e^T m                           (1)
// S is singular if rows are redundant. No row is dropped. The proximal iteration
//   m <- m + (S + E)^-1 r,        r = J_e T(b, c) - c_e - S m                                             (2)
// with E a small part of the diagonal of J_e M^-1 J_e^T converges to the exact x, and to the multipliers m
// nearest to 0.
#pragma once

#include <Eigen/Cholesky>
#include <span>

#include "tumble/dynamics/linear/linear_parameters.h"
#include "tumble/dynamics/linear/tree_solver.h"

namespace tumble::dynamics {

/// A constraint outside the forest, with the rows evaluated last.
struct LoopConstraint {
  const model::Constraint* constraint;
  size_t first_row;    // among all rows
  int node_a, node_b;  // of the joint graph; kNone: does not move
  model::ConstraintRows rows;
};

class LoopClosure {
 public:
  /// For `rows` rows, the first of which has the number `first_row` among all.
  LoopClosure(const JointGraph::Island& island, const TreeSolver& tree, size_t first_row, size_t rows,
              const ProximalParameters& parameters);

  /// Factors S + E. The forest must be factored already.
  void factor(const model::Model& model, const JointGraph& graph, const TreeSolver& tree,
              std::span<const LoopConstraint> constraints);
  /// On entry `x` and `y` hold the solution of the forest, and c_e in the rows of `constraints`. On return
  /// they hold the solution of all.
  void solve(const TreeSolver& tree, std::span<const LoopConstraint> constraints, double* x, double* y);

 private:
  ProximalParameters parameters_;
  size_t first_node_, end_node_, first_row_;
  Eigen::MatrixXd T_;            // T J_e^T, a column for each row
  Eigen::MatrixXd multipliers_;  // of the forest's rows in T_
  Eigen::MatrixXd S_;
  Eigen::VectorXd regularization_, residual_, solution_, correction_;  // E, r, m and its change
  Eigen::LDLT<Eigen::MatrixXd> factors_;                               // of S + E
};

}  // namespace tumble::dynamics
