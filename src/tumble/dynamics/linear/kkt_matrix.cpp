#include "tumble/dynamics/linear/kkt_matrix.h"

#include <algorithm>

#include "tumble/dynamics/linear/block_kernel.h"

namespace tumble::dynamics {

namespace {

using Block = KktMatrix::Block;
using Vec6 = Eigen::Matrix<double, 6, 1>;

// Vectors are aligned for pairs of doubles. Stating it makes the order of summation independent of addresses.
using Part = Eigen::Map<Vec6, Eigen::Aligned16>;
using ConstPart = Eigen::Map<const Vec6, Eigen::Aligned16>;
Part part(double* x, int body) { return Part(x + 6 * body); }
ConstPart part(const double* x, int body) { return ConstPart(x + 6 * body); }

void subtract_block(const Block& A_ij, int i, int j, const double* x, double* b) {
  part(b, i).noalias() -= A_ij * part(x, j);
  if (i != j) part(b, j).noalias() -= A_ij.transpose() * part(x, i);
}

void add_block(const Block& from, bool transposed, Block& to) {
  if (transposed)
    to += from.transpose();
  else
    to += from;
}

}  // namespace

void KktAddition::resize(const KktPattern& pattern) {
  diagonal.assign(kLower6 * pattern.bodies.size(), 0.0);
  is_set.assign(pattern.bodies.size(), 0);
  blocks.assign(pattern.couplings(), Block::Zero());
  fill.assign(pattern.couplings(), Fill::none);
  any = false;
}

void KktAddition::clear(const KktPattern& pattern, const KktRange& range) {
  if (!any) return;
  for (const int i : pattern.bodies_in(range)) {
    const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
    is_set[static_cast<size_t>(i)] = 0;
    for (auto k = static_cast<size_t>(body.first_coupling); k < static_cast<size_t>(body.end_coupling); ++k) {
      if (fill[k] != Fill::none) blocks[k].setZero();
      fill[k] = Fill::none;
    }
  }
  any = range.bodies() < pattern.bodies.size();
}

void KktAddition::add_to_diagonal(int body, const double* triangle) {
  const auto at = static_cast<size_t>(body);
  double* sum = &diagonal[kLower6 * at];
  if (!is_set[at]) std::fill_n(sum, kLower6, 0.0);
  any = true, is_set[at] = 1;
  for (size_t k = 0; k < kLower6; ++k) sum[k] += triangle[k];
}

void KktAddition::add_to_coupling(size_t coupling, const Block& B_ij, bool transposed) {
  any = true, fill[coupling] = Fill::full;
  add_block(B_ij, transposed, blocks[coupling]);
}

void KktMatrix::resize(const KktPattern& pattern) {
  J.assign(pattern.sizes.J, 0.0);
  diagonal.assign(kLower6 * pattern.bodies.size(), 0.0);
  blocks.assign(pattern.couplings(), Block::Zero());
  angular.assign(kLower3 * pattern.couplings(), 0.0);
  fill.assign(pattern.couplings(), Fill::none);
  addition.resize(pattern);
}

// The numbers stay until something is added.
void KktMatrix::clear_couplings() { std::fill(fill.begin(), fill.end(), Fill::none); }

void KktMatrix::add_to_coupling(size_t coupling, const Block& A_ij, bool transposed) {
  Block& A = blocks[coupling];
  if (fill[coupling] == Fill::none) A.setZero();
  if (fill[coupling] == Fill::angular) write_angular_block(&angular[kLower3 * coupling], A);
  fill[coupling] = Fill::full;
  add_block(A_ij, transposed, A);
}

void KktMatrix::subtract_angular(size_t coupling, const double* K) {
  double* A = &angular[kLower3 * coupling];
  switch (fill[coupling]) {
    case Fill::none:
      for (size_t k = 0; k < kLower3; ++k) A[k] = -K[k];
      fill[coupling] = Fill::angular;
      return;
    case Fill::angular:
      for (size_t k = 0; k < kLower3; ++k) A[k] -= K[k];
      return;
    case Fill::full:
      Block less;
      write_angular_block(K, less);
      blocks[coupling] -= less;
  }
}

void KktMatrix::sum_coupling(size_t coupling, Block& A_ij) const {
  if (fill[coupling] == Fill::full)
    A_ij = blocks[coupling];
  else if (fill[coupling] == Fill::angular)
    write_angular_block(&angular[kLower3 * coupling], A_ij);
  else
    A_ij.setZero();
  if (addition.fill[coupling] != Fill::none) A_ij += addition.blocks[coupling];
}

void subtract_product(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range,
                      const double* x, double* b) {
  for (const int i : pattern.bodies_in(range)) {
    const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
    subtract_block(symmetric_block(&matrix.diagonal[kLower6 * static_cast<size_t>(i)]), i, i, x, b);
    for (auto k = static_cast<size_t>(body.first_coupling); k < static_cast<size_t>(body.end_coupling); ++k) {
      if (matrix.fill[k] == Fill::none) continue;
      Block angular;
      if (matrix.fill[k] == Fill::angular) write_angular_block(&matrix.angular[kLower3 * k], angular);
      subtract_block(matrix.fill[k] == Fill::angular ? angular : matrix.blocks[k], i, pattern.neighbours[k],
                     x, b);
    }
  }
}

void subtract_addition(const KktPattern& pattern, const KktAddition& addition, const KktRange& range,
                       const double* x, double* b) {
  for (const int i : pattern.bodies_in(range)) {
    const auto at = static_cast<size_t>(i);
    const KktPattern::Body& body = pattern.bodies[at];
    if (addition.is_set[at]) subtract_block(symmetric_block(&addition.diagonal[kLower6 * at]), i, i, x, b);
    for (auto k = static_cast<size_t>(body.first_coupling); k < static_cast<size_t>(body.end_coupling); ++k)
      if (addition.fill[k] != Fill::none) subtract_block(addition.blocks[k], i, pattern.neighbours[k], x, b);
  }
}

void subtract_rows(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range, const double* x,
                   const double* l, double* b, double* c) {
  for (const int chosen : pattern.row_blocks_in(range)) {
    const KktPattern::RowBlock& block = pattern.row_blocks[static_cast<size_t>(chosen)];
    for (int side = 0; side < 2; ++side) {
      const int body = block.body(side);
      if (body == kNone) continue;
      double written[kPointRows];
      const auto J = reinterpret_cast<Six>(rows_on(block, side, matrix, written));
      for (int r = 0; r < block.rows.count; ++r) {
        const size_t row = block.first + static_cast<size_t>(r);
        c[row] -= dot_six(J[r], x + 6 * body);
        add_six(-l[row], J[r], b + 6 * body);
      }
    }
  }
}

}  // namespace tumble::dynamics
