// Bodies tied to each other in any way, body by body: with A symmetric, its 6 x 6 blocks A_ij where a spring, a contact or the
// implicit part of a force acts between two bodies, and J the rows of joints,
//   A x + J^T l = b,      J x = c                                                                               (1)
// A body i and the rows whose other body comes later, J_i on itself and J_ij on the other, are eliminated together, so that all
// pivots are positive where A is. With j, k the bodies that come later and are tied to it,
//   A_i = L D L^T,   Z = L^-1 J_i^T,   Z_j = L^-1 A_ij,   W_j = J_ij - Z^T D^-1 Z_j,   S = Z^T D^-1 Z + E
//   A_jk += W_j^T S^-1 W_k - Z_j^T D^-1 Z_k                                                                     (2)
// and the same with b. Along joints children come before parents: trees need no other blocks than they have and cost time
// proportional to their size; a link tied to its parent alone is eliminated by tree_kernel.h, or by ball_kernel.h. Else the order is that of fewest neighbours
// first. E, a small part of the diagonal, lets rows be redundant; what it makes wrong is taken off again by solving for what is left (the
// proximal iteration of constraint_solver.h). All numbers lie in flat arrays whose places are known from the pattern.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tumble/core/require.h"
#include "tumble/dynamics/joint_graph.h"
#include "tumble/dynamics/linear/ball_kernel.h"

namespace tumble::dynamics {

class KktSolver {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  /// k rows between two bodies; b may be kNone, a never is. Not 0, `point` says that they are the three of a point that both bodies hold: J is
  /// point [1, -[t]x] on a and -point [1, -[s]x] on b, with t and s its arms and point 1 or -1.
  struct Rows {
    int a = kNone, b = kNone;
    int count = 0, point = 0;
    bool operator==(const Rows&) const = default;
  };

  /// Which bodies are tied by blocks (pairs in any order, repeated or not) and which by rows. The order of elimination is kept
  /// while these stay the same, and nothing is allocated then. A_ij become zero; A_ii and J are to be set.
  void begin(size_t nodes, const std::vector<std::pair<int, int>>& couplings, const std::vector<Rows>& rows);
  /// The same with what was said last.
  void begin_again();

  size_t nodes() const { return nodes_.size(); }
  size_t rows() const { return row_count_; }
  /// How many A_ij elimination works with, those that were zero at first included.
  size_t blocks() const { return blocks_.size(); }
  /// Where the rows of a block begin among those of all.
  size_t first_row(size_t block) const { return row_blocks_[block].first; }
  /// A_ii, as a whole and, where it lies, as a lower triangle row by row.
  Block diagonal(int i) const;
  void set_diagonal(int i, const Block& A_ii);
  double* lower_diagonal(int i) {
    return &(along_ ? standing_ : diagonal_)[kLower6 * static_cast<size_t>(i)];
  }
  /// The same to be read, and not while going along.
  const double* given_diagonal(int i) const {
    TUMBLE_ASSERT(!along_);
    return &diagonal_[kLower6 * static_cast<size_t>(i)];
  }
  /// Adding to A_ij with i != j, which must be coupled; or taking a symmetric 3 x 3 matrix, given by its lower triangle, from its turning
  /// part alone.
  void add_coupling(int i, int j, const Block& A_ij);
  void subtract_turning(int i, int j, const double* K) { subtract_turning(tie_of(i, j), K); }
  /// The same by place, which is known from all that begin() was told.
  size_t tie_of(int i, int j) const;
  void subtract_turning(size_t tie, const double* K);
  /// The arms of a point on its bodies, three numbers each; of other blocks the k x 6 rows, row by row.
  double* J_a(size_t block) { return &J_[row_blocks_[block].J]; }
  double* J_b(size_t block) { return &J_[row_blocks_[block].J_of(1)]; }
  /// The same by place, which is known from the rows of begin().
  size_t place_of_J(size_t block, int side) const { return row_blocks_[block].J_of(side); }
  double* J_at(size_t place) { return &J_[place]; }
  const double* J_at(size_t place) const { return &J_[place]; }

  /// Islands: bodies tied to each other by blocks or rows. All that follows is of one of them, or of all as after begin(); what is known of
  /// the others stays as it is, factors too.
  size_t islands() const { return islands_.size() - 1; }
  void select_island(size_t island);
  void select_all_islands();
  /// Bodies of which it is now, in the order of elimination.
  std::span<const int> bodies() const {
    return std::span(order_).subspan(chosen_.node, chosen_end_.node - chosen_.node);
  }

  /// What is added to A for the next factor() alone: nothing at first.
  void clear_addition();
  void add_to_diagonal(int i, const double* B);  // a lower triangle
  void add_to_coupling(int i, int j, const Block& B_ij);
  /// Of A and what was added to it. Both stay as they are, and J must until all is solved.
  void factor();
  /// `x` holds b and then x, 6 numbers a body; `y` holds c and then l, one a row.
  void solve(double* x, double* y);
  /// factor() and solve() for who sets up A, J, b and c while they go on, so that all of a body is at hand once: after begin() begin_fused(), which is
  /// false where rows may be redundant and this cannot be; then, from the first of bodies() to the last, a few at a time, eliminate_range(); and
  /// back_substitute(). Of those bodies everything must be set by then; to A_ii and b of later ones, once they are set, more may be added. Of
  /// those that are eliminated A_ii is lost: its place has the factors.
  bool begin_fused();
  void eliminate_range(size_t first, size_t end, double* x, double* y);
  void back_substitute(double* x, double* y);
  /// Calls `act` with the place of every number of the chosen bodies, six each, and of every one of their rows.
  template <class Act>
  void for_each_dof(const Act& act) const {
    for (const int i : bodies())
      for (size_t k = 6 * static_cast<size_t>(i), end = k + 6; k < end; ++k) act(k);
  }
  template <class Act>
  void for_each_row(const Act& act) const {
    for (const int chosen : chosen_rows()) {
      const RowBlock& block = row_blocks_[static_cast<size_t>(chosen)];
      for (size_t k = block.first, end = k + static_cast<size_t>(block.rows.count); k < end; ++k) act(k);
    }
  }
  /// b - A x, without what was added to A.
  void subtract_product(const double* x, double* b) const;
  /// b - J^T l and c - J x.
  void subtract_rows(const double* x, const double* l, double* b, double* c) const;

 private:
  struct Tie {          // of an eliminated body to one that comes later
    int node = kNone;   // that body
    int block = kNone;  // where A_ij is among blocks_
  };
  struct Node {
    int first_tie = 0, end_tie = 0;  // among ties_, in the order of elimination
    size_t tie(int t) const { return static_cast<size_t>(first_tie) + static_cast<size_t>(t); }
    int first_own = 0, end_own = 0;  // among own_: row blocks eliminated with it
    int first_update = 0;            // among updates_: for ties j < k, the block A_jk
    int rows = 0;
    int link = kNone;    // among links_: rows to one body alone, and no other tie
    size_t factors = 0;  // among factors_
  };
  struct RowBlock {
    Rows rows;
    size_t first = 0, J = 0;  // among y; among J_: on a, then on b
    size_t numbers() const { return rows.point != 0 ? 3 : static_cast<size_t>(6 * rows.count); }
    size_t J_of(int side) const { return side == 0 ? J : J + numbers(); }
  };
  enum class Filled : char { nothing, turning, whole };  // of a block
  struct General;                                        // factors of a node that is no link
  // A node that is one: many are gone through at a time, so that it is short.
  struct Link {
    uint32_t J, P;       // among J_
    uint32_t first_row;  // among y
    int parent;          // kNone where the joint is to the world
    int tie;
    int ball;              // among balls_, where it has a point
    int8_t rows, point;    // point: the sign of J, or 0
    bool is_ball = false;  // as it was eliminated: by ball_kernel.h
  };

  void build_pattern(size_t nodes);
  std::vector<size_t> find_islands() const;
  std::span<const int> chosen_rows() const {
    return std::span(row_order_).subspan(chosen_.row, chosen_end_.row - chosen_.row);
  }
  void choose_order(const std::vector<int>& parent, std::vector<int> children);
  void place_factors();
  bool is_swapped(int i, int j) const {
    return rank_[static_cast<size_t>(i)] > rank_[static_cast<size_t>(j)];
  }
  const double* write_rows(const RowBlock& block, int side, double* out) const;
  void soften();
  void clear_pending_blocks();
  void gather_coupling(size_t tie, Block& A_ij) const;
  Filled filling(const Link& link) const;
  General general_of(const Node& node);
  void eliminate_ball(int i, const Link& link);
  BallArms arms_of(const Link& link) const { return {double(link.point), &J_[link.J], &J_[link.P]}; }
  const BallFactors& ball_at(int i) const {
    return *reinterpret_cast<const BallFactors*>(&standing_[kLower6 * static_cast<size_t>(i)]);
  }
  void eliminate_link(int i, Link& link);
  void eliminate_tie(size_t tie, const double* L, double (*Z)[6]) const;
  void eliminate_rows(int i, const General& f, double* V);
  void eliminate(int i);
  void eliminate_node(size_t at);
  template <class Act>
  void each_own_row(const Node& node, const Act& act) const;
  void descend(int i, double* x, double* y);
  void descend_link(int i, const Link& link, double* x, double* y) const;
  void ascend(int i, double* x, double* y);
  void ascend_link(int i, const Link& link, double* x, double* y) const;
  void descend_node(size_t at, double* x, double* y);
  void solve_once(double* x, double* y);
  void subtract_addition(const double* x, double* b) const;

  std::vector<std::pair<int, int>> couplings_;  // as given
  std::vector<Rows> row_pattern_;
  std::vector<Node> nodes_;
  std::vector<Tie> ties_;
  std::vector<Link> links_;  // in the order of elimination
  std::vector<int> own_, updates_, order_, rank_;
  std::vector<int> link_at_;  // by place in order_, as Node::link
  struct Start {
    size_t node = 0, row = 0;
  };
  std::vector<Start> islands_;  // where each begins in order_ and in row_order_, and the end
  std::vector<int> row_order_;  // blocks of rows by island
  Start chosen_, chosen_end_;
  std::vector<RowBlock> row_blocks_;
  size_t row_count_ = 0;
  bool redundant_ = false, along_ = false;

  std::vector<double> J_;
  std::vector<double> diagonal_;               // lower triangles of A_ii
  std::vector<Block> blocks_;                  // A_ij, i first in the order, where it is filled as a whole
  std::vector<double> turning_;                // where only its turning part is: that, a lower triangle
  std::vector<double> extra_diagonal_;         // what is added to A_ii, where has_extra_ says so
  std::vector<Block> extra_blocks_;            // and to A_ij
  std::vector<Filled> filled_, extra_filled_;  // by block
  std::vector<char> has_extra_;                // by body
  bool any_extra_ = false;
  // A_ii as elimination has it, a lower triangle: at first A_ii and what is added to it, then what earlier bodies make of it; of a
  // ball its factors. And what is added to A_ij, row by row.
  std::vector<double> standing_, pending_blocks_;
  std::vector<BallColumns> balls_;
  std::vector<double> factors_, softening_;
  std::vector<double> scratch_, left_x_, left_y_, given_x_, given_y_;
};

}  // namespace tumble::dynamics
