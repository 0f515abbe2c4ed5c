// Bodies tied to each other in any way, body by body: with A symmetric, its 6 x 6 blocks A_ij where a spring, a contact or the
// implicit part of a force acts between two bodies, and J the rows of joints,
//   A x + J^T l = b,      J x = c                                                                               (1)
// A body i and the rows whose other body comes later, J_i on itself and J_ij on the other, are eliminated together, so that all
// pivots are positive where A is. With j, k the bodies that come later and are tied to it,
//   A_i = L D L^T,   Z = L^-1 J_i^T,   Z_j = L^-1 A_ij,   W_j = J_ij - Z^T D^-1 Z_j,   S = Z^T D^-1 Z + E
//   A_jk += W_j^T S^-1 W_k - Z_j^T D^-1 Z_k                                                                     (2)
// and the same with b. Along joints children come before parents: trees need no other blocks than they have and cost time
// proportional to their size. Else the order is that of fewest neighbours first. E, a small part of the diagonal, lets rows be redundant; what it makes wrong is taken off
// again by solving for what is left (the proximal iteration of constraint_solver.h).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <utility>
#include <vector>

#include "tumble/dynamics/joint_graph.h"

namespace tumble::dynamics {

class BlockSolver {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  /// k rows between two bodies; b may be kNone, a never is.
  struct Rows {
    int a = kNone, b = kNone;
    int count = 0;
  };

  /// Which bodies are tied by blocks (pairs in any order, repeated or not) and which by rows. The order of elimination is kept
  /// while these stay the same. All numbers become zero.
  void begin(size_t nodes, const std::vector<std::pair<int, int>>& couplings, const std::vector<Rows>& rows);

  size_t nodes() const { return nodes_.size(); }
  size_t rows() const { return row_count_; }
  /// For each body the number of its island: of the bodies tied to it by blocks or rows, and so on.
  std::vector<size_t> islands() const;
  /// Where the rows of a block begin among those of all.
  size_t first_row(size_t block) const { return row_blocks_[block].first; }
  /// A_ii; and adding to A_ij with i != j, which must be coupled.
  Block& diagonal(int i) { return nodes_[static_cast<size_t>(i)].A; }
  void add_coupling(int i, int j, const Block& A_ij);
  /// The k x 6 rows of a block on its bodies, row by row.
  double* J_a(size_t block) { return row_blocks_[block].J[0].data(); }
  double* J_b(size_t block) { return row_blocks_[block].J[1].data(); }

  /// What is added to A for the next factor() alone: nothing at first.
  void clear_addition();
  void add_to_diagonal(int i, const Block& B) { extra_diagonal_[static_cast<size_t>(i)] += B; }
  void add_to_coupling(int i, int j, const Block& B_ij);
  /// Of A and what was added to it. Both stay as they are.
  void factor();
  /// `x` holds b and then x, 6 numbers a body; `y` holds c and then l, one a row.
  void solve(double* x, double* y);
  /// b - A x, without what was added to A.
  void subtract_product(const double* x, double* b) const;
  /// b - J^T l and c - J x.
  void subtract_rows(const double* x, const double* l, double* b, double* c) const;

 private:
  struct Tie {          // of an eliminated body to one that comes later
    int node = kNone;   // that body
    int block = kNone;  // where A_ij is among blocks_, as elimination leaves it
  };
  struct Node {
    Block A = Block::Zero();
    std::vector<Tie> ties;     // in the order of elimination
    std::vector<int> own;      // row blocks eliminated with it
    std::vector<int> updates;  // for ties j < k: the block A_jk
    int rows = 0;
    // Factors.
    double L[15] = {}, inverse_D[6] = {};
    Eigen::Matrix<double, 6, Eigen::Dynamic> Z;  // by own row
    std::vector<Block> Z_ties;                   // by tie
    Eigen::MatrixXd W;                           // by own row; 6 columns a tie
    Eigen::LLT<Eigen::MatrixXd> S;
  };
  struct RowBlock {
    Rows rows;
    size_t first = 0;
    std::vector<double> J[2];
  };
  void choose_order(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& parent,
                    std::vector<int> children);
  void soften();
  void eliminate(int i);
  void solve_once(double* x, double* y) const;
  int block_of(int i, int j) const;
  void add_block(int i, int j, const Block& A_ij, std::vector<Block>& blocks);

  std::vector<Node> nodes_;
  std::vector<int> order_, rank_;
  std::vector<RowBlock> row_blocks_;
  std::vector<std::pair<int, int>> coupled_;  // i < j by number; sorted, without repetition
  std::vector<Rows> row_pattern_;
  std::vector<Block> blocks_, extra_blocks_,
      working_;                                    // A_ij, i first in the order: given, added, as eliminated
  std::vector<Block> extra_diagonal_, diagonals_;  // A_ii: added, as eliminated
  std::vector<double> softening_;
  size_t row_count_ = 0;
  bool redundant_ = false;
  std::vector<double> left_x_, left_y_;  // scratch
};

}  // namespace tumble::dynamics
