#include "tumble/dynamics/linear/kkt_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/linear/block_kernel.h"
#include "tumble/dynamics/linear/kkt_elimination.h"

namespace tumble::dynamics {

void KktSolver::set_pattern(size_t nodes, const std::vector<std::pair<int, int>>& couplings,
                            const std::vector<Rows>& rows) {
  const KktGraph& last = pattern_.graph;
  if (nodes == last.bodies && couplings == last.couplings && rows == last.rows) return reset();
  build_pattern(nodes, couplings, rows, pattern_);
  matrix_.resize(pattern_);
  factors_.resize(pattern_);
  select_all_islands();
  fused_ = false;
}

void KktSolver::reset() {
  matrix_.clear_couplings();
  fused_ = false;
  select_all_islands();
  clear_addition();
}

KktSolver::Block KktSolver::diagonal(int i) const {
  return symmetric_block(&matrix_.diagonal[kLower6 * static_cast<size_t>(i)]);
}

void KktSolver::set_diagonal(int i, const Block& A_ii) {
  double* A = lower_diagonal(i);
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) A[lower(r, c)] = A_ii(r, c);
}

void KktSolver::factor() {
  TUMBLE_ASSERT(!fused_);
  load_diagonal(pattern_, matrix_, selected_, factors_);
  if (pattern_.elimination.has_loops)
    compute_regularization(pattern_, matrix_, selected_, parameters_.regularization, factors_);
  clear_fill_in(pattern_, selected_, factors_);
  eliminate(pattern_, matrix_, selected_.first.body, selected_.end.body, factors_);
}

bool KktSolver::begin_fused() {
  fused_ = !pattern_.elimination.has_loops;
  if (fused_) clear_fill_in(pattern_, selected_, factors_);
  return fused_;
}

void KktSolver::eliminate_range(size_t first, size_t end, double* x, double* y) {
  TUMBLE_ASSERT(fused_);
  const size_t from = selected_.first.body;
  eliminate_and_forward(pattern_, matrix_, from + first, from + end, factors_, x, y);
}

void KktSolver::back_substitute(double* x, double* y) {
  dynamics::back_substitute(pattern_, matrix_, selected_.first.body, selected_.end.body, factors_, x, y);
}

void KktSolver::substitute(double* x, double* y) {
  forward_substitute(pattern_, matrix_, selected_.first.body, selected_.end.body, factors_, x, y);
  back_substitute(x, y);
}

void KktSolver::solve(double* x, double* y) {
  if (!pattern_.elimination.has_loops) return substitute(x, y);
  given_x_.resize(6 * nodes()), given_y_.resize(rows());
  residual_x_.resize(given_x_.size()), residual_y_.resize(given_y_.size());
  for_each_dof([&](size_t k) { residual_x_[k] = given_x_[k] = x[k], x[k] = 0; });
  for_each_row([&](size_t k) { residual_y_[k] = given_y_[k] = y[k], y[k] = 0; });
  double best = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < parameters_.max_iterations; ++iteration) {
    substitute(residual_x_.data(), residual_y_.data());
    for_each_dof([&](size_t k) { x[k] += residual_x_[k], residual_x_[k] = given_x_[k]; });
    for_each_row([&](size_t k) { y[k] += residual_y_[k], residual_y_[k] = given_y_[k]; });
    subtract_product(x, residual_x_.data());
    subtract_addition(pattern_, matrix_.addition, selected_, x, residual_x_.data());
    subtract_rows(x, y, residual_x_.data(), residual_y_.data());
    double largest = 0;
    for_each_row([&](size_t k) { largest = std::max(largest, std::abs(residual_y_[k])); });
    if (!(largest < parameters_.stall * best)) break;
    best = largest;
  }
}

}  // namespace tumble::dynamics
