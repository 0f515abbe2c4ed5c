// Linear systems of bodies that are coupled in any way. A is symmetric. Its 6 x 6 block A_ij is not zero
// where a spring, a contact or the implicit part of a force acts between bodies i and j. J has the rows of
// joints:
//   A x + J^T l = b,      J x = c                                                                         (1)
// Bodies are eliminated one after the other. The rows whose other body comes later are eliminated with body
// i: J_i on body i itself, J_ij on the later one. Then all pivots are positive if A is positive definite. For
// the later neighbours j, k of body i,
//   A_i = L D L^T,   Z = L^-1 J_i^T,   Z_j = L^-1 A_ij,   W_j = J_ij - Z^T D^-1 Z_j,   S = Z^T D^-1 Z + E
//   A_jk += W_j^T S^-1 W_k - Z_j^T D^-1 Z_k                                                               (2)
// and likewise for b. A body with one joint and no other later neighbour than its parent is a link:
// tree_kernel.h and ball_kernel.h implement (2) for links. Trees have no fill-in and take time proportional
// to their bodies. Where joints close loops, rows may be redundant and S without E singular. E is a
// regularization, a small part of the diagonal of J A^-1 J^T. The proximal iteration removes its effect: with
// F the factors of (1) with E,
//   (x, l) <- (x, l) + F^-1 (b - A x - J^T l,  c - J x)                                                   (3)
//
// Parts: KktPattern (structure and order of elimination), KktMatrix (A, J and additions to A), KktFactors,
// and the functions of kkt_elimination.h between them.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tumble/core/require.h"
#include "tumble/dynamics/linear/kkt_factors.h"
#include "tumble/dynamics/linear/kkt_matrix.h"
#include "tumble/dynamics/linear/kkt_pattern.h"
#include "tumble/dynamics/linear/linear_parameters.h"

namespace tumble::dynamics {

class KktSolver {
 public:
  using Block = KktMatrix::Block;
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Rows = KktRows;

  explicit KktSolver(const ProximalParameters& parameters = {}) : parameters_(parameters) {}

  /// Sets which bodies are coupled by blocks (pairs in any order, repeated or not), and which by rows. If
  /// both are those of the last call, the elimination order stays and nothing is allocated. Sets A_ij to zero
  /// and selects all islands; A_ii and J must be set afterwards.
  void set_pattern(size_t nodes, const std::vector<std::pair<int, int>>& couplings,
                   const std::vector<Rows>& rows);
  /// The same with the couplings and rows of the last call.
  void reset();

  size_t nodes() const { return pattern_.bodies.size(); }
  size_t rows() const { return pattern_.sizes.rows; }
  /// The number of blocks A_ij of the elimination, fill-in included.
  size_t blocks() const { return pattern_.couplings(); }
  /// The first row of a block of rows, among all.
  size_t first_row(size_t block) const { return pattern_.row_blocks[block].first; }

  /// A_ii: as a block, and as a pointer to its lower triangle.
  Block diagonal(int i) const;
  void set_diagonal(int i, const Block& A_ii);
  double* lower_diagonal(int i) {
    return &(fused_ ? factors_.diagonal : matrix_.diagonal)[kLower6 * static_cast<size_t>(i)];
  }
  /// Not valid between begin_fused() and the next set_pattern() or reset(): factors overwrite it.
  const double* lower_diagonal(int i) const {
    TUMBLE_ASSERT(!fused_);
    return &matrix_.diagonal[kLower6 * static_cast<size_t>(i)];
  }
  /// A_ij += a block. i and j differ and are coupled in the pattern.
  void add_coupling(int i, int j, const Block& A_ij) {
    matrix_.add_to_coupling(coupling_of(i, j), A_ij, pattern_.elimination.comes_later(i, j));
  }
  /// The number of A_ij, which depends on the pattern alone.
  size_t coupling_of(int i, int j) const { return pattern_.coupling_of(i, j); }
  /// The part of A_ij between angular velocities -= K, a symmetric matrix given by its lower triangle.
  void subtract_angular(size_t coupling, const double* K) { matrix_.subtract_angular(coupling, K); }

  /// J of a block on its bodies: the three numbers of the arm of a point, or the rows, six numbers each.
  double* J_a(size_t block) { return &matrix_.J[pattern_.row_blocks[block].J_of(0)]; }
  double* J_b(size_t block) { return &matrix_.J[pattern_.row_blocks[block].J_of(1)]; }
  /// The same by offset, which depends on the rows of the pattern alone. Side 0 is a.
  size_t J_offset(size_t block, int side) const { return pattern_.row_blocks[block].J_of(side); }
  double* J_at(size_t offset) { return &matrix_.J[offset]; }
  const double* J_at(size_t offset) const { return &matrix_.J[offset]; }

  /// Islands are sets of bodies connected by blocks or rows. All functions below work on the selected island,
  /// or on all. They do not change the others and their factors.
  size_t islands() const { return pattern_.elimination.islands.size() - 1; }
  size_t island_of(int i) const { return pattern_.elimination.island_of[static_cast<size_t>(i)]; }
  void select_island(size_t island) { selected_ = pattern_.island(island); }
  void select_all_islands() { selected_ = pattern_.all(); }
  /// Selected bodies in elimination order.
  std::span<const int> bodies() const { return pattern_.bodies_in(selected_); }

  /// Additions to A for the next factor() only; initially zero.
  void clear_addition() { matrix_.addition.clear(pattern_, selected_); }
  /// Adds a lower triangle to A_ii.
  void add_to_diagonal(int i, const double* B) { matrix_.addition.add_to_diagonal(i, B); }
  void add_to_coupling(int i, int j, const Block& B_ij) {
    matrix_.addition.add_to_coupling(coupling_of(i, j), B_ij, pattern_.elimination.comes_later(i, j));
  }

  /// Factors A with its additions. A, additions and J must not change until the last solve().
  void factor();
  /// Solves (1). `x` holds b and then x, 6 numbers a body; `y` holds c and then l, one number a row.
  void solve(double* x, double* y);

  /// factor() and solve() in one pass, for callers that set up A, J, b and c at the same time: the data of a
  /// body are then in the cache. After set_pattern() or reset(), call begin_fused(). It returns false if rows
  /// may be redundant, which needs several passes. Then call eliminate_range() for all bodies(), from the
  /// first to the last, a few at a time, and back_substitute(). When a body is eliminated, all its numbers
  /// must be set. A_ii and b of later bodies may still be added to, once they are set. A_ii of an eliminated
  /// body is lost.
  bool begin_fused();
  void eliminate_range(size_t first, size_t end, double* x, double* y);
  void back_substitute(double* x, double* y);

  /// Calls `act` with the index in x of every number of the selected bodies.
  template <class Act>
  void for_each_dof(const Act& act) const {
    for (const int i : bodies())
      for (size_t k = 6 * static_cast<size_t>(i), end = k + 6; k < end; ++k) act(k);
  }
  /// Calls `act` with every row of the selected bodies.
  template <class Act>
  void for_each_row(const Act& act) const {
    for (const int chosen : pattern_.row_blocks_in(selected_)) {
      const KktPattern::RowBlock& block = pattern_.row_blocks[static_cast<size_t>(chosen)];
      for (size_t k = block.first, end = k + static_cast<size_t>(block.rows.count); k < end; ++k) act(k);
    }
  }
  /// b -= A x, without additions to A.
  void subtract_product(const double* x, double* b) const {
    dynamics::subtract_product(pattern_, matrix_, selected_, x, b);
  }
  /// b -= J^T l and c -= J x.
  void subtract_rows(const double* x, const double* l, double* b, double* c) const {
    dynamics::subtract_rows(pattern_, matrix_, selected_, x, l, b, c);
  }

 private:
  void substitute(double* x, double* y);

  ProximalParameters parameters_;
  KktPattern pattern_;
  KktMatrix matrix_;
  KktFactors factors_;
  KktRange selected_;
  bool fused_ = false;                                               // A_ii are stored in factors_
  std::vector<double> given_x_, given_y_, residual_x_, residual_y_;  // scratch of (3)
};

}  // namespace tumble::dynamics
