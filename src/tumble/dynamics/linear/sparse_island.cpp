#include "tumble/dynamics/linear/sparse_island.h"

#include "tumble/dynamics/linear/block_kernel.h"

namespace tumble::dynamics {

void SparseIsland::begin() {
  solver_.begin(static_cast<size_t>(island_.end - island_.first));
  row_order_.clear();
}

void SparseIsland::set_mass(int node, const double* A) {
  solver_.set_mass(index_of(node), symmetric_block(A));
}

void SparseIsland::add_rows(size_t first_row, int count, int node_a, int node_b,
                            const model::ConstraintRows& rows) {
  for (int i = 0; i < count; ++i) {
    solver_.add_row(index_of(node_a), rows.J_a[i], index_of(node_b), rows.J_b[i]);
    row_order_.push_back(first_row + static_cast<size_t>(i));
  }
}

void SparseIsland::solve(double* x, double* y) {
  std::vector<double> rows(row_order_.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = y[row_order_[i]];
  solver_.solve(x + 6 * static_cast<size_t>(island_.first), rows.data());
  for (size_t i = 0; i < rows.size(); ++i) y[row_order_[i]] = rows[i];
}

}  // namespace tumble::dynamics
