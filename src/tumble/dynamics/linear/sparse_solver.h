// Bodies and constraints together, as in constraint_solver.h, for an island with too many loops for a dense
// Schur complement: sparse elimination of
//   [ M   J^T ] [x]   [b]
//   [ J   -E  ] [l] = [c]                                                                            (1)
// with E a small part of the diagonal of J M^-1 J^T. Then x <- x + dx, l <- l + dl with dx, dl the solution
// of (1) for the residuals b - M x - J^T l and c - J x, until these are rounding: the proximal iteration,
// exact for redundant rows. Entry by entry: in a sheet of rods the 6 x 6 blocks of KktSolver cost ten times
// as much (docs/decisions/0027-where-kkt-solver-serves.md).
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
  /// Mass and inertia of a body.
  void set_mass(int node, const Block& M);
  /// The next row of J: 6 numbers for each of its bodies, kNone where there is none.
  void add_row(int node_a, const double* J_a, int node_b, const double* J_b);
  /// Elimination in an order chosen anew only when the pattern has changed.
  void factor();

  /// `x` holds b and then x, 6 numbers a body; `y` holds c and then l, one a row.
  void solve(double* x, double* y);

 private:
  struct Row {
    int nodes[2];
    double J[2][6];
  };
  struct Factors;

  ProximalParameters parameters_;
  std::vector<Block> masses_;  // by node
  std::vector<Row> rows_;
  Eigen::VectorXd regularization_;  // E
  std::unique_ptr<Factors> factors_;
};

}  // namespace tumble::dynamics
