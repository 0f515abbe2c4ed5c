// Bodies and constraints together, as in constraint_solver.h, where the matrix A ties bodies to each other or loops are too
// many for a dense Schur complement: sparse elimination of
//   [ A   J^T ] [x]   [b]
//   [ J   -E  ] [l] = [c]                                                                                       (1)
// with E a small part of the diagonal of J A^-1 J^T, block by block; then l <- l + dl, x <- x + dx with dx, dl the solution
// of (1) for what is left, b - A x - J^T l and c - J x, until nothing is: the proximal iteration, exact for redundant rows.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "tumble/dynamics/joint_graph.h"

namespace tumble::dynamics {

class SparseSolver {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;

  SparseSolver();
  ~SparseSolver();
  SparseSolver(SparseSolver&&) noexcept;
  SparseSolver& operator=(SparseSolver&&) noexcept;

  /// Begins a matrix for that many bodies.
  void begin(size_t nodes);
  /// Adds to A_ij, and its transpose to A_ji; i >= j.
  void add_block(int i, int j, const Block& block);
  /// The next row of J: 6 numbers for each of its bodies, kNone where there is none.
  void add_row(int node_a, const double* J_a, int node_b, const double* J_b);
  size_t rows() const { return rows_.size(); }
  /// Elimination in an order chosen anew only when the pattern has changed.
  void factor();

  /// `x` holds b and then x, 6 numbers a body; `y` holds c and then l, one a row.
  void solve(double* x, double* y);
  /// J x: `y` gets one number a row.
  void multiply_rows(const double* x, double* y) const;

 private:
  struct Row {
    int nodes[2];
    double J[2][6];
  };
  struct Factors;
  std::vector<Block> diagonal_;
  std::vector<std::pair<std::pair<int, int>, Block>> others_;  // i > j
  std::vector<Row> rows_;
  Eigen::VectorXd softening_;
  std::unique_ptr<Factors> factors_;
};

}  // namespace tumble::dynamics
