// One island of a joint graph, solved as a whole by sparse elimination (sparse_solver.h): its bodies, the
// joints of its forest and the constraints outside it. For islands with so many loops that their Schur
// complement (loop_closure.h) would be a large dense matrix, e.g. nets of links.
#pragma once

#include "tumble/dynamics/linear/sparse_solver.h"

namespace tumble::dynamics {

class SparseIsland {
 public:
  SparseIsland(const JointGraph::Island& island, const ProximalParameters& parameters)
      : island_{island.first, island.end}, solver_(parameters) {}

  /// Begins a matrix without bodies and rows.
  void begin();
  /// Mass and inertia of a node, a lower triangle.
  void set_mass(int node, const double* A);
  void add_rows(size_t first_row, int count, int node_a, int node_b, const model::ConstraintRows& rows);
  void factor() { solver_.factor(); }
  /// `x` and `y` are those of all islands.
  void solve(double* x, double* y);

 private:
  struct Range {
    int first, end;
  };
  int index_of(int node) const { return node == kNone ? kNone : node - island_.first; }

  Range island_;  // nodes
  SparseSolver solver_;
  std::vector<size_t> row_order_;  // by row of solver_: its number among the rows of all islands
};

}  // namespace tumble::dynamics
