// Systems (1) of kkt_solver.h by sparse elimination of one matrix,
//   [ A   J^T ] [x]   [b]
//   [ J   -E  ] [l] = [c]                                                                                 (1)
// E is a small part of the diagonal of J A^-1 J^T, taken body by body, and makes (1) regular where rows are
// redundant. The proximal iteration takes its effect out again: the solution of (1) for the residuals b - A x
// - J^T l and c - J x is added to x and l until rounding stops it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "tumble/dynamics/joint_graph.h"
#include "tumble/dynamics/linear/linear_parameters.h"

namespace tumble::dynamics {

class SparseSolver {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;

  explicit SparseSolver(const ProximalParameters& parameters = {});
  ~SparseSolver();
  SparseSolver(SparseSolver&&) noexcept;
  SparseSolver& operator=(SparseSolver&&) noexcept;

  /// Begins a matrix for this number of bodies.
  void begin(size_t nodes);
  /// Adds to A_ij, and its transpose to A_ji; i >= j.
  void add_block(int i, int j, const Block& block);
  /// The next row of J: 6 numbers on each of its bodies, either of which may be kNone.
  void add_row(int node_a, const double* J_a, int node_b, const double* J_b);
  size_t rows() const { return rows_.size(); }
  /// The order of elimination is chosen again only if the pattern has changed.
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

  ProximalParameters parameters_;
  std::vector<Block> diagonal_;
  std::vector<std::pair<std::pair<int, int>, Block>> others_;  // i > j
  std::vector<Row> rows_;
  Eigen::VectorXd softening_;  // E
  std::unique_ptr<Factors> factors_;
};

}  // namespace tumble::dynamics
