#include "tumble/dynamics/linear/kkt_solver.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <type_traits>

#include "tumble/core/require.h"
#include "tumble/dynamics/tolerances.h"

namespace tumble::dynamics {

namespace {

using Vec6 = KktSolver::Vec6;

// Numbers of vectors begin where two fit a register: said, so that sums are taken in one order wherever they lie.
using Part = Eigen::Map<Vec6, Eigen::Aligned16>;
using ConstPart = Eigen::Map<const Vec6, Eigen::Aligned16>;
Part part(double* x, int node) { return Part(x + 6 * node); }
ConstPart part(const double* x, int node) { return ConstPart(x + 6 * node); }

using Six = const double (*)[6];  // rows of six numbers
using Square = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
Eigen::Map<const Square> square_at(Six rows) { return Eigen::Map<const Square>(*rows); }

inline void add_six(double a, const double* x, double* y) {
  TUMBLE_UNROLLED (k, 0, 6) y[k] = fma(a, x[k], y[k]);
}

inline double dot_six(const double* x, const double* y) {
  double even = x[0] * y[0], odd = x[1] * y[1];  // two sums are ready sooner than one
  TUMBLE_UNROLLED (k, 1, 3) even = fma(x[2 * k], y[2 * k], even), odd = fma(x[2 * k + 1], y[2 * k + 1], odd);
  return even + odd;
}

// S = M E M^T of any size, given and kept as a lower triangle: 1/E on its diagonal.
void factor_rows(double* S, int n) {
  for (int j = 0; j < n; ++j) {
    double* pivot = S + lower(j, 0);
    for (int k = 0; k < j; ++k) {
      const double m = pivot[k] * S[lower(k, k)];
      pivot[j] = fma(-m, pivot[k], pivot[j]);
      for (int i = j + 1; i < n; ++i) S[lower(i, j)] = fma(-m, S[lower(i, k)], S[lower(i, j)]);
    }
    pivot[j] = 1 / pivot[j];
  }
  // So far columns of M E: rows below are scaled once.
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) S[lower(i, j)] *= S[lower(j, j)];
}

void solve_rows(const double* S, int n, double* x) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i] = fma(-S[lower(i, j)], x[j], x[i]);
  for (int i = 0; i < n; ++i) x[i] *= S[lower(i, i)];
  for (int i = n - 1; i > 0; --i)
    for (int j = 0; j < i; ++j) x[j] = fma(-S[lower(i, j)], x[i], x[j]);
}

constexpr size_t kDiagonalFactors = 15 + 6;

// A symmetric block of which this is the lower triangle.
KktSolver::Block whole(const double* triangle) {
  KktSolver::Block A;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) A(r, c) = A(c, r) = triangle[lower(r, c)];
  return A;
}

// A block whose turning part alone is not zero.
void spread_turning(const double* K, KktSolver::Block& A) {
  A.setZero();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c) A(3 + r, 3 + c) = A(3 + c, 3 + r) = K[lower(r, c)];
}

}  // namespace

void KktSolver::begin(size_t nodes, const std::vector<std::pair<int, int>>& couplings,
                      const std::vector<Rows>& rows) {
  if (nodes == nodes_.size() && couplings == couplings_ && rows == row_pattern_) return begin_again();
  couplings_ = couplings, row_pattern_ = rows;
  build_pattern(nodes);
  along_ = false;
}

void KktSolver::begin_again() {
  std::fill(filled_.begin(), filled_.end(), Filled::nothing);
  along_ = false;
  select_all_islands();
  clear_addition();
}

bool KktSolver::begin_fused() {
  along_ = !redundant_;
  if (along_) clear_pending_blocks();
  return along_;
}

void KktSolver::select_island(size_t island) {
  chosen_ = islands_[island], chosen_end_ = islands_[island + 1];
}

void KktSolver::select_all_islands() { chosen_ = {}, chosen_end_ = islands_.back(); }

// Which bodies are links of a tree, and where the factors of each lie.
void KktSolver::place_factors() {
  size_t numbers = 0, most = 0;
  std::vector<char> grows(ties_.size(), 0);  // blocks that earlier bodies add to
  int balls = 0;
  updates_.clear(), links_.clear(), link_at_.clear();
  for (const int i : order_) {
    Node& node = nodes_[static_cast<size_t>(i)];
    const size_t ties = static_cast<size_t>(node.end_tie - node.first_tie),
                 rows = static_cast<size_t>(node.rows);
    node.factors = numbers;
    node.link = kNone;
    if (ties <= 1 && rows >= 1 && rows <= 6 && node.end_own - node.first_own == 1) {
      const RowBlock& block = row_blocks_[static_cast<size_t>(own_[static_cast<size_t>(node.first_own)])];
      const int side = block.rows.a == i ? 0 : 1;
      const bool to_world = block.rows.b == kNone;
      if (ties == 0 || !(to_world || grows[static_cast<size_t>(node.first_tie)])) {
        node.link = static_cast<int>(links_.size());
        links_.push_back({.J = static_cast<uint32_t>(block.J_of(side)),
                          .P = static_cast<uint32_t>(block.J_of(1 - side)),
                          .first_row = static_cast<uint32_t>(block.first),
                          .parent = ties == 0 ? kNone : ties_[static_cast<size_t>(node.first_tie)].node,
                          .tie = node.first_tie,
                          .ball = block.rows.point != 0 ? balls++ : kNone,
                          .rows = static_cast<int8_t>(node.rows),
                          .point = static_cast<int8_t>(side == 0 ? block.rows.point : -block.rows.point)});
      }
    }
    link_at_.push_back(node.link);
    if (node.link != kNone) {
      with_rows(node.rows, [&](auto K) {
        numbers += sizeof(LinkFactors<decltype(K)::value>) / sizeof(double) + 36 * ties;
      });
    } else {
      numbers += kDiagonalFactors + 6 * rows + rows * (rows + 1) / 2 + 36 * ties + 6 * rows * ties;
      most = std::max(most, 6 * rows + 6 * rows * ties + 36);
    }
    node.first_update = static_cast<int>(updates_.size());
    for (int j = node.first_tie; j < node.end_tie; ++j)
      for (int k = j + 1; k < node.end_tie; ++k) {
        const Node& first = nodes_[static_cast<size_t>(ties_[static_cast<size_t>(j)].node)];
        int t = first.first_tie;
        while (ties_[static_cast<size_t>(t)].node != ties_[static_cast<size_t>(k)].node) ++t;
        updates_.push_back(t);
        grows[static_cast<size_t>(t)] = 1;
      }
  }
  balls_.resize(static_cast<size_t>(balls));
  factors_.assign(numbers, 0.0);
  scratch_.assign(most, 0.0);
}

// Where A_ij is, or A_ji.
size_t KktSolver::tie_of(int i, int j) const {
  if (is_swapped(i, j)) std::swap(i, j);
  const Node& node = nodes_[static_cast<size_t>(i)];
  for (int t = node.first_tie; t < node.end_tie; ++t)
    if (ties_[static_cast<size_t>(t)].node == j) return static_cast<size_t>(t);
  TUMBLE_REQUIRE(false, "these two bodies were not said to be coupled");
  return 0;
}

KktSolver::Block KktSolver::diagonal(int i) const {
  return whole(&diagonal_[kLower6 * static_cast<size_t>(i)]);
}

void KktSolver::set_diagonal(int i, const Block& A_ii) {
  double* A = lower_diagonal(i);
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) A[lower(r, c)] = A_ii(r, c);
}

// Blocks are as the last problem left them until something is added.
void KktSolver::add_coupling(int i, int j, const Block& A_ij) {
  const size_t tie = tie_of(i, j);
  Block& A = blocks_[tie];
  if (filled_[tie] == Filled::nothing) A.setZero();
  if (filled_[tie] == Filled::turning) spread_turning(&turning_[kLower3 * tie], A);
  filled_[tie] = Filled::whole;
  if (is_swapped(i, j))
    A += A_ij.transpose();
  else
    A += A_ij;
}

void KktSolver::subtract_turning(size_t tie, const double* K) {
  double* A = &turning_[kLower3 * tie];
  switch (filled_[tie]) {
    case Filled::nothing:
      for (size_t k = 0; k < kLower3; ++k) A[k] = -K[k];
      filled_[tie] = Filled::turning;
      return;
    case Filled::turning:
      for (size_t k = 0; k < kLower3; ++k) A[k] -= K[k];
      return;
    case Filled::whole:
      Block less;
      spread_turning(K, less);
      blocks_[tie] -= less;
  }
}

// A_ij and what is added to it.
void KktSolver::gather_coupling(size_t tie, Block& A_ij) const {
  if (filled_[tie] == Filled::whole)
    A_ij = blocks_[tie];
  else if (filled_[tie] == Filled::turning)
    spread_turning(&turning_[kLower3 * tie], A_ij);
  else
    A_ij.setZero();
  if (extra_filled_[tie] != Filled::nothing) A_ij += extra_blocks_[tie];
}

void KktSolver::add_to_diagonal(int i, const double* B) {
  const auto at = static_cast<size_t>(i);
  double* extra = &extra_diagonal_[kLower6 * at];
  if (!has_extra_[at]) std::fill_n(extra, kLower6, 0.0);
  any_extra_ = true, has_extra_[at] = 1;
  for (size_t k = 0; k < kLower6; ++k) extra[k] += B[k];
}

void KktSolver::add_to_coupling(int i, int j, const Block& B_ij) {
  const size_t tie = tie_of(i, j);
  Block& B = extra_blocks_[tie];
  any_extra_ = true, extra_filled_[tie] = Filled::whole;
  if (is_swapped(i, j))
    B += B_ij.transpose();
  else
    B += B_ij;
}

void KktSolver::clear_addition() {
  if (!any_extra_) return;
  for (const int i : bodies()) {
    const auto at = static_cast<size_t>(i);
    has_extra_[at] = 0;
    for (auto t = static_cast<size_t>(nodes_[at].first_tie); t < static_cast<size_t>(nodes_[at].end_tie);
         ++t) {
      if (extra_filled_[t] != Filled::nothing) extra_blocks_[t].setZero();
      extra_filled_[t] = Filled::nothing;
    }
  }
  any_extra_ = bodies().size() < nodes_.size();
}

// The rows of a block on one of its bodies: where they are or, if they are those of a point, written out.
const double* KktSolver::write_rows(const RowBlock& block, int side, double* out) const {
  const double* J = &J_[block.J_of(side)];
  if (block.rows.point == 0) return J;
  write_point_rows(J, side == 0 ? block.rows.point : -block.rows.point, reinterpret_cast<double(*)[6]>(out));
  return out;
}

// E: of each row, a part of what its bodies alone would give it.
void KktSolver::soften() {
  if (!redundant_) return;
  for (const int chosen : chosen_rows()) {
    const RowBlock& block = row_blocks_[static_cast<size_t>(chosen)];
    std::fill_n(softening_.begin() + static_cast<std::ptrdiff_t>(block.first), block.rows.count, 0.0);
    for (int side = 0; side < 2; ++side) {
      const int node = side == 0 ? block.rows.a : block.rows.b;
      if (node == kNone) continue;
      const Eigen::LLT<Block> A(whole(&standing_[kLower6 * static_cast<size_t>(node)]));
      double written[18];
      const double* rows = write_rows(block, side, written);
      for (int k = 0; k < block.rows.count; ++k) {
        const Eigen::Map<const Vec6> J(rows + 6 * k);
        softening_[block.first + static_cast<size_t>(k)] += kProximalPart * J.dot(A.solve(J));
      }
    }
  }
}

void KktSolver::clear_pending_blocks() {
  if (bodies().size() == nodes_.size()) {
    for (const int update : updates_)
      std::fill_n(&pending_blocks_[36 * static_cast<size_t>(update)], 36, 0.0);
    return;
  }
  for (const int i : bodies()) {
    const Node& node = nodes_[static_cast<size_t>(i)];
    std::fill_n(pending_blocks_.begin() + 36 * node.first_tie, 36 * (node.end_tie - node.first_tie), 0.0);
  }
}

void KktSolver::factor() {
  TUMBLE_ASSERT(!along_);
  for (const int i : bodies()) {
    const auto at = static_cast<size_t>(i);
    double* A = &standing_[kLower6 * at];
    const double *given = &diagonal_[kLower6 * at], *extra = &extra_diagonal_[kLower6 * at];
    if (has_extra_[at])
      for (size_t k = 0; k < kLower6; ++k) A[k] = given[k] + extra[k];
    else
      std::copy_n(given, kLower6, A);
  }
  soften();
  clear_pending_blocks();
  for (size_t at = chosen_.node; at < chosen_end_.node; ++at) eliminate_node(at);
}

void KktSolver::eliminate_node(size_t at) {
  const int i = order_[at], link = link_at_[at];
  link == kNone ? eliminate(i) : eliminate_link(i, links_[static_cast<size_t>(link)]);
}

void KktSolver::eliminate_range(size_t first, size_t end, double* x, double* y) {
  TUMBLE_ASSERT(along_);
  for (size_t at = chosen_.node + first; at < chosen_.node + end; ++at)
    eliminate_node(at), descend_node(at, x, y);
}

KktSolver::Filled KktSolver::filling(const Link& link) const {
  const auto tie = static_cast<size_t>(link.tie);
  return link.parent == kNone ? Filled::nothing : std::max(filled_[tie], extra_filled_[tie]);
}

// A link that is tied but to its parent: equation (2) by ball_kernel.h where it can be, else by tree_kernel.h.
void KktSolver::eliminate_link(int i, Link& link) {
  const Filled filled = filling(link);
  link.is_ball = link.point != 0 && !redundant_ && filled != Filled::whole;
  if (link.is_ball) return eliminate_ball(i, link);
  const double* softening = redundant_ ? &softening_[link.first_row] : nullptr;
  const Node& node = nodes_[static_cast<size_t>(i)];
  const RowBlock& block = row_blocks_[static_cast<size_t>(own_[static_cast<size_t>(node.first_own)])];
  const int side = block.rows.a == i ? 0 : 1;
  double written[2][18];
  const auto J = reinterpret_cast<Six>(write_rows(block, side, written[0])),
             P = reinterpret_cast<Six>(write_rows(block, 1 - side, written[1]));
  with_rows(link.rows, [&](auto count) {
    constexpr int K = decltype(count)::value;
    auto& f = *reinterpret_cast<LinkFactors<K>*>(&factors_[node.factors]);
    factor_own<K>(&standing_[kLower6 * static_cast<size_t>(i)], J, softening, f);
    if (link.parent == kNone) return;
    double* A_parent = &standing_[kLower6 * static_cast<size_t>(link.parent)];
    if (filled == Filled::nothing) return pass_on<K>(P, f, A_parent);
    const auto X = reinterpret_cast<double(*)[6]>(&f + 1);
    Block C;
    gather_coupling(static_cast<size_t>(link.tie), C);
    if (filled == Filled::turning)
      couple_link<K, 3>(P, reinterpret_cast<Six>(C.data()) + 3, f, X, A_parent);
    else
      couple_link<K, 6>(P, reinterpret_cast<Six>(C.data()), f, X, A_parent);
  });
}

void KktSolver::eliminate_ball(int i, const Link& link) {
  static constexpr double kNothing[kLower3] = {};
  BallColumns& columns = balls_[static_cast<size_t>(link.ball)];
  const auto tie = static_cast<size_t>(link.tie);
  const bool ends = link.parent == kNone;
  const double* C = ends || filled_[tie] == Filled::nothing ? kNothing : &turning_[kLower3 * tie];
  factor_turning(&J_[link.J], C, &standing_[kLower6 * static_cast<size_t>(i)], columns);
  if (!ends)
    dynamics::pass_on(ball_at(i), columns, &J_[link.P], C,
                      &standing_[kLower6 * static_cast<size_t>(link.parent)]);
}

void KktSolver::descend_link(int i, const Link& link, double* x, double* y) const {
  const double* b = x + 6 * i;
  double* b_parent = link.parent == kNone ? nullptr : x + 6 * link.parent;
  if (link.is_ball)
    return dynamics::descend(ball_at(i), balls_[static_cast<size_t>(link.ball)], arms_of(link), b,
                             y + link.first_row, b_parent);
  const Filled filled = filling(link);
  with_rows(link.rows, [&](auto count) {
    constexpr int K = decltype(count)::value;
    const auto& f =
        *reinterpret_cast<const LinkFactors<K>*>(&factors_[nodes_[static_cast<size_t>(i)].factors]);
    dynamics::descend<K>(f, b, y + link.first_row, b_parent);
    const auto X = reinterpret_cast<Six>(&f + 1);
    if (filled == Filled::turning) descend_coupling<3>(X, b, b_parent);
    if (filled == Filled::whole) descend_coupling<6>(X, b, b_parent);
  });
}

void KktSolver::ascend_link(int i, const Link& link, double* x, double* y) const {
  const double* v_parent = link.parent == kNone ? nullptr : x + 6 * link.parent;
  if (link.is_ball)
    return dynamics::ascend(ball_at(i), balls_[static_cast<size_t>(link.ball)], arms_of(link), x + 6 * i,
                            y + link.first_row, v_parent);
  const Filled filled = filling(link);
  with_rows(link.rows, [&](auto count) {
    constexpr int K = decltype(count)::value;
    const auto& f =
        *reinterpret_cast<const LinkFactors<K>*>(&factors_[nodes_[static_cast<size_t>(i)].factors]);
    dynamics::ascend<K>(f, x + 6 * i, y + link.first_row, v_parent);
    const auto X = reinterpret_cast<Six>(&f + 1);
    if (filled == Filled::turning) ascend_coupling<3>(X, x + 6 * i, v_parent);
    if (filled == Filled::whole) ascend_coupling<6>(X, x + 6 * i, v_parent);
  });
}

// The factors of (2) one after the other. All sums are taken in one order, whatever addresses numbers have: Eigen's of matrices whose size it
// does not know are not.
struct KktSolver::General {
  double *L, *inverse_D;
  double *Z, *S;       // of own rows: six numbers each; the factors of S
  double *Z_ties, *W;  // by tie, row by row: 6 x 6, and rows x 6
  int rows;
  double (*Z_of(int tie) const)[6] { return reinterpret_cast<double(*)[6]>(Z_ties + 36 * tie); }
  double (*W_of(int tie) const)[6] { return reinterpret_cast<double(*)[6]>(W + 6 * rows * tie); }
};

KktSolver::General KktSolver::general_of(const Node& node) {
  double* f = &factors_[node.factors];
  const int rows = node.rows, ties = node.end_tie - node.first_tie;
  double* Z = f + kDiagonalFactors;
  double* S = Z + 6 * rows;
  double* Z_ties = S + rows * (rows + 1) / 2;
  return {f, f + 15, Z, S, Z_ties, Z_ties + 36 * ties, rows};
}

// Z_j of a tie: A_ij as it stands, under L^-1.
void KktSolver::eliminate_tie(size_t tie, const double* L, double (*Z)[6]) const {
  const double* pending = &pending_blocks_[36 * tie];
  TUMBLE_UNROLLED (r, 0, 6)
    TUMBLE_UNROLLED (c, 0, 6) Z[r][c] = pending[6 * r + c];
  const auto add_block = [&](const Block& A) {
    const double* columns = A.data();
    TUMBLE_UNROLLED (r, 0, 6)
      TUMBLE_UNROLLED (c, 0, 6) Z[r][c] += columns[6 * c + r];
  };
  if (filled_[tie] == Filled::whole) add_block(blocks_[tie]);
  if (filled_[tie] == Filled::turning) {
    const double* K = &turning_[kLower3 * tie];
    TUMBLE_UNROLLED (r, 0, 3)
      TUMBLE_UNROLLED (c, 0, 3) Z[3 + r][3 + c] += K[r < c ? lower(c, r) : lower(r, c)];
  }
  if (extra_filled_[tie] != Filled::nothing) add_block(extra_blocks_[tie]);
  TUMBLE_UNROLLED (r, 1, 6)
    TUMBLE_UNROLLED (c, 0, r) add_six(-L[strict(r, c)], Z[c], Z[r]);
}

// Z and S of own rows, W of every tie; S^-1 W into `V`.
void KktSolver::eliminate_rows(int i, const General& f, double* V) {
  const Node& node = nodes_[static_cast<size_t>(i)];
  const int ties = node.end_tie - node.first_tie, rows = node.rows;
  std::fill_n(f.W, 6 * rows * ties, 0.0);
  int row = 0;
  for (int o = node.first_own; o < node.end_own; ++o) {
    const RowBlock& block = row_blocks_[static_cast<size_t>(own_[static_cast<size_t>(o)])];
    const int side = block.rows.a == i ? 0 : 1, other = side == 0 ? block.rows.b : block.rows.a;
    const int count = block.rows.count;
    double written[18];
    std::copy_n(write_rows(block, side, written), 6 * count, f.Z + 6 * row);
    for (int t = 0; other != kNone && t < ties; ++t)
      if (ties_[node.tie(t)].node == other)
        std::copy_n(write_rows(block, 1 - side, written), 6 * count, f.W_of(t)[row]);
    for (int c = 0; c < count; ++c)
      f.S[lower(row + c, row + c)] = softening_[block.first + static_cast<size_t>(c)];
    row += count;
  }
  double* Y = V + 6 * rows * ties;
  for (int r = 0; r < rows; ++r) {
    double *z = f.Z + 6 * r, *y = Y + 6 * r;
    solve_lower<6>(f.L, z);
    TUMBLE_UNROLLED (k, 0, 6) y[k] = f.inverse_D[k] * z[k];
    for (int c = 0; c < r; ++c) f.S[lower(r, c)] = dot_six(z, Y + 6 * c);
    f.S[lower(r, r)] += dot_six(z, y);
  }
  factor_rows(f.S, rows);
  for (int t = 0; t < ties; ++t) {
    double(*W)[6] = f.W_of(t), (*v)[6] = reinterpret_cast<double(*)[6]>(V + 6 * rows * t);
    for (int r = 0; r < rows; ++r) {
      TUMBLE_UNROLLED (k, 0, 6) add_six(-Y[6 * r + k], f.Z_of(t)[k], W[r]);
      std::copy_n(W[r], 6, v[r]);
      for (int c = 0; c < r; ++c) add_six(-f.S[lower(r, c)], v[c], v[r]);
    }
    for (int r = 0; r < rows; ++r)
      TUMBLE_UNROLLED (k, 0, 6) v[r][k] *= f.S[lower(r, r)];
    for (int r = rows - 1; r > 0; --r)
      for (int c = 0; c < r; ++c) add_six(-f.S[lower(r, c)], v[r], v[c]);
  }
}

// Equation (2).
void KktSolver::eliminate(int i) {
  const Node& node = nodes_[static_cast<size_t>(i)];
  const General f = general_of(node);
  factor_symmetric<6>(&standing_[kLower6 * static_cast<size_t>(i)], f.L, f.inverse_D);
  const int ties = node.end_tie - node.first_tie, rows = node.rows;
  for (int t = 0; t < ties; ++t) eliminate_tie(node.tie(t), f.L, f.Z_of(t));
  double* V = scratch_.data();
  if (rows > 0) eliminate_rows(i, f, V);
  int update = node.first_update;
  for (int j = 0; j < ties; ++j) {
    const Square scaled = (-Eigen::Map<const Vec6>(f.inverse_D)).asDiagonal() * square_at(f.Z_of(j));
    const Six V_j = reinterpret_cast<Six>(V + 6 * rows * j);
    for (int k = j; k < ties; ++k) {
      Square change = scaled.transpose() * square_at(f.Z_of(k));
      for (int r = 0; r < rows; ++r)
        TUMBLE_UNROLLED (c, 0, 6) add_six(V_j[r][c], f.W_of(k)[r], change.data() + 6 * c);
      if (k > j) {
        Eigen::Map<Square>(
            &pending_blocks_[36 * static_cast<size_t>(updates_[static_cast<size_t>(update++)])]) += change;
        continue;
      }
      double* pending = &standing_[kLower6 * static_cast<size_t>(ties_[node.tie(j)].node)];
      TUMBLE_UNROLLED (r, 0, 6)
        TUMBLE_UNROLLED (c, 0, r + 1) pending[lower(r, c)] += change(r, c);
    }
  }
}

// Calls act(row among own rows, its number in y).
template <class Act>
void KktSolver::each_own_row(const Node& node, const Act& act) const {
  int row = 0;
  for (int o = node.first_own; o < node.end_own; ++o) {
    const RowBlock& block = row_blocks_[static_cast<size_t>(own_[static_cast<size_t>(o)])];
    for (int c = 0; c < block.rows.count; ++c, ++row) act(row, block.first + static_cast<size_t>(c));
  }
}

// From the first to the last: of a link x stays b, of others it becomes L^-1 b; y becomes g.
void KktSolver::descend(int i, double* x, double* y) {
  const Node& node = nodes_[static_cast<size_t>(i)];
  const General f = general_of(node);
  double *z = x + 6 * i, *s = scratch_.data(), scaled[6];
  solve_lower<6>(f.L, z);
  TUMBLE_UNROLLED (r, 0, 6) scaled[r] = f.inverse_D[r] * z[r];
  each_own_row(node, [&](int row, size_t at) { s[row] = y[at] = dot_six(f.Z + 6 * row, scaled) - y[at]; });
  solve_rows(f.S, f.rows, s);
  for (int t = 0; t < node.end_tie - node.first_tie; ++t) {
    double* b = x + 6 * ties_[node.tie(t)].node;
    TUMBLE_UNROLLED (r, 0, 6) add_six(-scaled[r], f.Z_of(t)[r], b);
    for (int r = 0; r < f.rows; ++r) add_six(-s[r], f.W_of(t)[r], b);
  }
}

// And back: x becomes x, y becomes l.
void KktSolver::ascend(int i, double* x, double* y) {
  const Node& node = nodes_[static_cast<size_t>(i)];
  const General f = general_of(node);
  double *z = x + 6 * i, *l = scratch_.data();
  each_own_row(node, [&](int row, size_t at) { l[row] = y[at]; });
  for (int t = 0; t < node.end_tie - node.first_tie; ++t) {
    const double* later = x + 6 * ties_[node.tie(t)].node;
    TUMBLE_UNROLLED (r, 0, 6) z[r] -= dot_six(f.Z_of(t)[r], later);
    for (int r = 0; r < f.rows; ++r) l[r] += dot_six(f.W_of(t)[r], later);
  }
  solve_rows(f.S, f.rows, l);
  each_own_row(node, [&](int row, size_t at) { y[at] = l[row]; });
  for (int r = 0; r < f.rows; ++r) add_six(-l[r], f.Z + 6 * r, z);
  TUMBLE_UNROLLED (r, 0, 6) z[r] *= f.inverse_D[r];
  solve_upper<6>(f.L, z);
}

void KktSolver::descend_node(size_t at, double* x, double* y) {
  const int i = order_[at], link = link_at_[at];
  link == kNone ? descend(i, x, y) : descend_link(i, links_[static_cast<size_t>(link)], x, y);
}

void KktSolver::back_substitute(double* x, double* y) {
  for (size_t at = chosen_end_.node; at-- > chosen_.node;) {
    const int i = order_[at], link = link_at_[at];
    link == kNone ? ascend(i, x, y) : ascend_link(i, links_[static_cast<size_t>(link)], x, y);
  }
}

void KktSolver::solve_once(double* x, double* y) {
  for (size_t at = chosen_.node; at < chosen_end_.node; ++at) descend_node(at, x, y);
  back_substitute(x, y);
}

namespace {

void subtract_block(const KktSolver::Block& A_ij, int i, int j, const double* x, double* b) {
  part(b, i).noalias() -= A_ij * part(x, j);
  if (i != j) part(b, j).noalias() -= A_ij.transpose() * part(x, i);
}

}  // namespace

void KktSolver::subtract_product(const double* x, double* b) const {
  for (const int at : bodies()) {
    const auto i = static_cast<size_t>(at);
    subtract_block(diagonal(at), at, at, x, b);
    for (auto t = static_cast<size_t>(nodes_[i].first_tie); t < static_cast<size_t>(nodes_[i].end_tie); ++t) {
      if (filled_[t] == Filled::nothing) continue;
      Block turning;
      if (filled_[t] == Filled::turning) spread_turning(&turning_[kLower3 * t], turning);
      subtract_block(filled_[t] == Filled::turning ? turning : blocks_[t], at, ties_[t].node, x, b);
    }
  }
}

void KktSolver::subtract_addition(const double* x, double* b) const {
  for (const int at : bodies()) {
    const auto i = static_cast<size_t>(at);
    if (has_extra_[i]) subtract_block(whole(&extra_diagonal_[kLower6 * i]), at, at, x, b);
    for (int t = nodes_[i].first_tie; t < nodes_[i].end_tie; ++t)
      if (extra_filled_[static_cast<size_t>(t)] != Filled::nothing)
        subtract_block(extra_blocks_[static_cast<size_t>(t)], at, ties_[static_cast<size_t>(t)].node, x, b);
  }
}

void KktSolver::subtract_rows(const double* x, const double* l, double* b, double* c) const {
  for (const int chosen : chosen_rows()) {
    const RowBlock& block = row_blocks_[static_cast<size_t>(chosen)];
    for (int side = 0; side < 2; ++side) {
      const int node = side == 0 ? block.rows.a : block.rows.b;
      if (node == kNone) continue;
      double written[18];
      const auto J = reinterpret_cast<Six>(write_rows(block, side, written));
      for (int r = 0; r < block.rows.count; ++r) {
        const size_t row = block.first + static_cast<size_t>(r);
        c[row] -= dot_six(J[r], x + 6 * node);
        add_six(-l[row], J[r], b + 6 * node);
      }
    }
  }
}

void KktSolver::solve(double* x, double* y) {
  if (!redundant_) return solve_once(x, y);
  given_x_.resize(6 * nodes_.size()), given_y_.resize(row_count_);
  left_x_.resize(given_x_.size()), left_y_.resize(given_y_.size());
  for_each_dof([&](size_t k) { left_x_[k] = given_x_[k] = x[k], x[k] = 0; });
  for_each_row([&](size_t k) { left_y_[k] = given_y_[k] = y[k], y[k] = 0; });
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kProximalPasses; ++pass) {
    solve_once(left_x_.data(), left_y_.data());
    for_each_dof([&](size_t k) { x[k] += left_x_[k], left_x_[k] = given_x_[k]; });
    for_each_row([&](size_t k) { y[k] += left_y_[k], left_y_[k] = given_y_[k]; });
    subtract_product(x, left_x_.data());
    subtract_addition(x, left_x_.data());
    subtract_rows(x, y, left_x_.data(), left_y_.data());
    double now = 0;
    for_each_row([&](size_t k) { now = std::max(now, std::abs(left_y_[k])); });
    if (!(now < kProximalProgress * best)) break;
    best = now;
  }
}

}  // namespace tumble::dynamics
