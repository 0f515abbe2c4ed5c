#include "tumble/dynamics/linear/kkt_elimination.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "tumble/dynamics/linear/body_elimination.h"
#include "tumble/dynamics/linear/link_elimination.h"

namespace tumble::dynamics {

namespace {

void eliminate_at(size_t position, const KktPattern& pattern, const KktMatrix& matrix, KktFactors& factors) {
  const int i = pattern.elimination.order[position], link = pattern.link_at[position];
  link == kNone ? eliminate_body(i, pattern, matrix, factors)
                : eliminate_link(i, static_cast<size_t>(link), pattern, matrix, factors);
}

void forward_at(size_t position, const KktPattern& pattern, const KktMatrix& matrix, KktFactors& factors,
                double* x, double* y) {
  const int i = pattern.elimination.order[position], link = pattern.link_at[position];
  link == kNone ? forward_body(i, pattern, factors, x, y)
                : forward_link(i, static_cast<size_t>(link), pattern, matrix, factors, x, y);
}

}  // namespace

void load_diagonal(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range,
                   KktFactors& factors) {
  for (const int i : pattern.bodies_in(range)) {
    const auto at = static_cast<size_t>(i);
    double* A = factors.diagonal_of(i);
    const double *given = &matrix.diagonal[kLower6 * at], *added = &matrix.addition.diagonal[kLower6 * at];
    if (matrix.addition.is_set[at])
      for (size_t k = 0; k < kLower6; ++k) A[k] = given[k] + added[k];
    else
      std::copy_n(given, kLower6, A);
  }
}

void clear_fill_in(const KktPattern& pattern, const KktRange& range, KktFactors& factors) {
  if (range.bodies() == pattern.bodies.size()) {
    for (const int update : pattern.updates)
      std::fill_n(&factors.fill_in[36 * static_cast<size_t>(update)], 36, 0.0);
    return;
  }
  for (const int i : pattern.bodies_in(range)) {
    const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
    std::fill_n(factors.fill_in.begin() + 36 * body.first_coupling, 36 * body.couplings(), 0.0);
  }
}

void compute_regularization(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range,
                            double part, KktFactors& factors) {
  for (const int chosen : pattern.row_blocks_in(range)) {
    const KktPattern::RowBlock& block = pattern.row_blocks[static_cast<size_t>(chosen)];
    double* E = factors.regularization.data() + block.first;
    std::fill_n(E, block.rows.count, 0.0);
    for (int side = 0; side < 2; ++side) {
      const int body = block.body(side);
      if (body == kNone) continue;
      const Eigen::LLT<KktMatrix::Block> A(symmetric_block(factors.diagonal_of(body)));
      double written[kPointRows];
      const double* rows = rows_on(block, side, matrix, written);
      for (int k = 0; k < block.rows.count; ++k) {
        const Eigen::Map<const Eigen::Matrix<double, 6, 1>> J(rows + 6 * k);
        E[k] += part * J.dot(A.solve(J));
      }
    }
  }
}

void eliminate(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
               KktFactors& factors) {
  for (size_t position = first; position < end; ++position) eliminate_at(position, pattern, matrix, factors);
}

void eliminate_and_forward(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
                           KktFactors& factors, double* x, double* y) {
  for (size_t position = first; position < end; ++position) {
    eliminate_at(position, pattern, matrix, factors);
    forward_at(position, pattern, matrix, factors, x, y);
  }
}

void forward_substitute(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
                        KktFactors& factors, double* x, double* y) {
  for (size_t position = first; position < end; ++position)
    forward_at(position, pattern, matrix, factors, x, y);
}

void back_substitute(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
                     KktFactors& factors, double* x, double* y) {
  for (size_t position = end; position-- > first;) {
    const int i = pattern.elimination.order[position], link = pattern.link_at[position];
    link == kNone ? back_body(i, pattern, factors, x, y)
                  : back_link(i, static_cast<size_t>(link), pattern, matrix, factors, x, y);
  }
}

}  // namespace tumble::dynamics
