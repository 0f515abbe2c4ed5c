#include "tumble/dynamics/block_solver.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tumble/core/require.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/dynamics/tree_kernel.h"

namespace tumble::dynamics {

namespace {

using Vec6 = BlockSolver::Vec6;

Eigen::Map<Vec6> part(double* x, int node) { return Eigen::Map<Vec6>(x + 6 * node); }
Eigen::Map<const Vec6> part(const double* x, int node) { return Eigen::Map<const Vec6>(x + 6 * node); }

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;

Eigen::Map<const RowMatrix> rows_of(const std::vector<double>& J, int count) { return {J.data(), count, 6}; }

bool same(const BlockSolver::Rows& x, const BlockSolver::Rows& y) {
  return x.a == y.a && x.b == y.b && x.count == y.count;
}

// A spanning forest of joints, the world its root where it can be: of each body, the block of rows to its parent.
struct Forest {
  std::vector<int> parent,
      block;                  // by body; kNone: a root, or a child of the world; no block: a root that floats
  std::vector<int> children;  // how many
  bool closes = false;        // some block is left over
};

Forest find_forest(size_t nodes, const std::vector<BlockSolver::Rows>& rows) {
  Forest forest{std::vector<int>(nodes, kNone), std::vector<int>(nodes, kNone), std::vector<int>(nodes, 0),
                false};
  std::vector<std::vector<int>> blocks_at(nodes + 1);  // the world comes last
  for (size_t k = 0; k < rows.size(); ++k) {
    blocks_at[static_cast<size_t>(rows[k].a)].push_back(static_cast<int>(k));
    blocks_at[rows[k].b == kNone ? nodes : static_cast<size_t>(rows[k].b)].push_back(static_cast<int>(k));
  }
  std::vector<char> reached(nodes + 1, 0);
  size_t used = 0;
  std::vector<size_t> queue;
  const auto spread = [&](size_t root) {
    reached[root] = 1;
    queue.assign(1, root);
    for (size_t at = 0; at < queue.size(); ++at) {
      const size_t i = queue[at];
      for (const int k : blocks_at[i]) {
        const BlockSolver::Rows& r = rows[static_cast<size_t>(k)];
        const size_t b = r.b == kNone ? nodes : static_cast<size_t>(r.b), a = static_cast<size_t>(r.a);
        const size_t j = a == i ? b : a;
        if (reached[j]) continue;
        reached[j] = 1, ++used;
        forest.block[j] = k;
        if (i < nodes) forest.parent[j] = static_cast<int>(i), ++forest.children[i];
        queue.push_back(j);
      }
    }
  };
  spread(nodes);
  for (size_t i = 0; i < nodes; ++i)
    if (!reached[i]) spread(i);
  forest.closes = used < rows.size();
  return forest;
}

}  // namespace

void BlockSolver::begin(size_t nodes, const std::vector<std::pair<int, int>>& couplings,
                        const std::vector<Rows>& rows) {
  std::vector<std::pair<int, int>> coupled;
  for (const auto& [i, j] : couplings) coupled.emplace_back(std::min(i, j), std::max(i, j));
  for (const Rows& r : rows)
    if (r.b != kNone) coupled.emplace_back(std::min(r.a, r.b), std::max(r.a, r.b));
  std::sort(coupled.begin(), coupled.end());
  coupled.erase(std::unique(coupled.begin(), coupled.end()), coupled.end());
  const bool known = nodes == nodes_.size() && coupled == coupled_ && rows.size() == row_pattern_.size() &&
                     std::equal(rows.begin(), rows.end(), row_pattern_.begin(), same);
  if (known) {
    for (Node& node : nodes_) node.A.setZero();
    std::fill(blocks_.begin(), blocks_.end(), Block::Zero());
    clear_addition();
    for (RowBlock& block : row_blocks_)
      for (std::vector<double>& J : block.J) std::fill(J.begin(), J.end(), 0.0);
    return;
  }
  nodes_.assign(nodes, {});
  coupled_ = coupled, row_pattern_ = rows;
  row_blocks_.clear(), row_count_ = 0;
  for (const Rows& r : rows) {
    const auto size = static_cast<size_t>(6 * r.count);
    row_blocks_.push_back({r, row_count_, {std::vector<double>(size), std::vector<double>(size)}});
    row_count_ += static_cast<size_t>(r.count);
  }
  std::vector<std::vector<int>> neighbours(nodes);
  for (const auto& [i, j] : coupled_) {
    neighbours[static_cast<size_t>(i)].push_back(j);
    neighbours[static_cast<size_t>(j)].push_back(i);
  }
  const Forest forest = find_forest(nodes, rows);
  redundant_ = forest.closes;
  choose_order(neighbours, forest.parent, forest.children);
  for (size_t k = 0; k < row_blocks_.size(); ++k) {
    const Rows& r = row_blocks_[k].rows;
    const bool b_first = r.b != kNone && rank_[static_cast<size_t>(r.b)] < rank_[static_cast<size_t>(r.a)];
    Node& owner = nodes_[static_cast<size_t>(b_first ? r.b : r.a)];
    owner.own.push_back(static_cast<int>(k));
    owner.rows += r.count;
  }
  for (Node& node : nodes_) {
    node.Z.resize(6, node.rows);
    node.Z_ties.resize(node.ties.size());
    node.W.resize(node.rows, static_cast<Eigen::Index>(6 * node.ties.size()));
    for (size_t j = 0; j < node.ties.size(); ++j)
      for (size_t k = j + 1; k < node.ties.size(); ++k)
        node.updates.push_back(block_of(node.ties[j].node, node.ties[k].node));
  }
  working_.resize(blocks_.size());
  diagonals_.resize(nodes);
  clear_addition();
  softening_.assign(row_count_, 0.0);
}

// Children of the joints' forest before their parents, so that with each body go the rows to its parent, which are independent;
// and fewest neighbours first. Neighbours of an eliminated body become neighbours of each other.
void BlockSolver::choose_order(const std::vector<std::vector<int>>& neighbours,
                               const std::vector<int>& parent, std::vector<int> children) {
  const size_t n = nodes_.size();
  std::vector<std::vector<int>> open = neighbours;
  for (std::vector<int>& list : open) std::sort(list.begin(), list.end());
  order_.clear(), rank_.assign(n, -1), blocks_.clear();
  // Bodies by number of neighbours; entries may be out of date.
  std::vector<std::vector<int>> by_degree(n + 1);
  for (size_t i = n; i-- > 0;)
    if (children[i] == 0) by_degree[open[i].size()].push_back(static_cast<int>(i));
  size_t degree = 0;
  std::vector<int> merged;
  while (order_.size() < n) {
    while (by_degree[degree].empty()) ++degree;
    const int i = by_degree[degree].back();
    by_degree[degree].pop_back();
    const auto at = static_cast<size_t>(i);
    if (rank_[at] >= 0 || open[at].size() != degree) continue;
    rank_[at] = static_cast<int>(order_.size());
    order_.push_back(i);
    for (const int j : open[at]) {
      std::vector<int>& other = open[static_cast<size_t>(j)];
      merged.clear();
      std::set_union(other.begin(), other.end(), open[at].begin(), open[at].end(),
                     std::back_inserter(merged));
      std::erase(merged, i);
      std::erase(merged, j);
      other = merged;
      if (j == parent[at]) --children[static_cast<size_t>(j)];
      if (children[static_cast<size_t>(j)] > 0) continue;
      by_degree[other.size()].push_back(j);
      degree = std::min(degree, other.size());
    }
    for (const int j : open[at]) nodes_[at].ties.push_back({j, kNone});
  }
  for (const int i : order_) {
    Node& node = nodes_[static_cast<size_t>(i)];
    std::sort(node.ties.begin(), node.ties.end(), [&](const Tie& x, const Tie& y) {
      return rank_[static_cast<size_t>(x.node)] < rank_[static_cast<size_t>(y.node)];
    });
    for (Tie& tie : node.ties) tie.block = static_cast<int>(blocks_.size()), blocks_.push_back(Block::Zero());
  }
}

int BlockSolver::block_of(int i, int j) const {
  if (rank_[static_cast<size_t>(i)] > rank_[static_cast<size_t>(j)]) std::swap(i, j);
  for (const Tie& tie : nodes_[static_cast<size_t>(i)].ties)
    if (tie.node == j) return tie.block;
  return kNone;
}

void BlockSolver::add_block(int i, int j, const Block& A_ij, std::vector<Block>& blocks) {
  const int block = block_of(i, j);
  TUMBLE_REQUIRE(block != kNone, "these two bodies were not said to be coupled");
  Block& A = blocks[static_cast<size_t>(block)];
  if (rank_[static_cast<size_t>(i)] < rank_[static_cast<size_t>(j)])
    A += A_ij;
  else
    A += A_ij.transpose();
}

void BlockSolver::add_coupling(int i, int j, const Block& A_ij) { add_block(i, j, A_ij, blocks_); }
void BlockSolver::add_to_coupling(int i, int j, const Block& B_ij) { add_block(i, j, B_ij, extra_blocks_); }

void BlockSolver::clear_addition() {
  extra_diagonal_.assign(nodes_.size(), Block::Zero());
  extra_blocks_.assign(blocks_.size(), Block::Zero());
}

// E: of each row, a part of what its bodies alone would give it.
void BlockSolver::soften() {
  std::fill(softening_.begin(), softening_.end(), 0.0);
  if (!redundant_) return;
  for (const RowBlock& block : row_blocks_)
    for (int side = 0; side < 2; ++side) {
      const int node = side == 0 ? block.rows.a : block.rows.b;
      if (node == kNone) continue;
      const auto at = static_cast<size_t>(node);
      const Eigen::LLT<Block> A(nodes_[at].A + extra_diagonal_[at]);
      for (int k = 0; k < block.rows.count; ++k) {
        const Eigen::Map<const Vec6> J(&block.J[side][static_cast<size_t>(6 * k)]);
        softening_[block.first + static_cast<size_t>(k)] += kProximalPart * J.dot(A.solve(J));
      }
    }
}

void BlockSolver::factor() {
  soften();
  for (size_t k = 0; k < blocks_.size(); ++k) working_[k] = blocks_[k] + extra_blocks_[k];
  for (size_t i = 0; i < nodes_.size(); ++i) diagonals_[i] = nodes_[i].A + extra_diagonal_[i];
  for (const int i : order_) eliminate(i);
}

// Equation (2).
void BlockSolver::eliminate(int i) {
  Node& node = nodes_[static_cast<size_t>(i)];
  double A[kLower6];
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) A[lower(r, c)] = diagonals_[static_cast<size_t>(i)](r, c);
  factor_symmetric<6>(A, node.L, node.inverse_D);
  const Eigen::Map<const Vec6> inverse_D(node.inverse_D);
  Eigen::Index row = 0;
  node.W.setZero();
  for (const int k : node.own) {
    const RowBlock& block = row_blocks_[static_cast<size_t>(k)];
    const int side = block.rows.a == i ? 0 : 1, other = side == 0 ? block.rows.b : block.rows.a;
    const int count = block.rows.count;
    node.Z.middleCols(row, count) = rows_of(block.J[side], count).transpose();
    for (size_t t = 0; other != kNone && t < node.ties.size(); ++t)
      if (node.ties[t].node == other)
        node.W.block(row, static_cast<Eigen::Index>(6 * t), count, 6) = rows_of(block.J[1 - side], count);
    row += count;
  }
  for (Eigen::Index c = 0; c < node.rows; ++c) solve_lower<6>(node.L, node.Z.col(c).data());
  for (size_t t = 0; t < node.ties.size(); ++t) {
    Block& Z = node.Z_ties[t];
    Z = working_[static_cast<size_t>(node.ties[t].block)];
    for (Eigen::Index c = 0; c < 6; ++c) solve_lower<6>(node.L, Z.col(c).data());
  }
  if (node.rows > 0) {
    const Eigen::Matrix<double, 6, Eigen::Dynamic> Y = inverse_D.asDiagonal() * node.Z;
    Eigen::MatrixXd S = node.Z.transpose() * Y;
    row = 0;
    for (const int k : node.own) {
      const RowBlock& block = row_blocks_[static_cast<size_t>(k)];
      for (int c = 0; c < block.rows.count; ++c, ++row)
        S(row, row) += softening_[block.first + static_cast<size_t>(c)];
    }
    node.S.compute(S);
    for (size_t t = 0; t < node.ties.size(); ++t)
      node.W.middleCols(static_cast<Eigen::Index>(6 * t), 6).noalias() -= Y.transpose() * node.Z_ties[t];
  }
  size_t update = 0;
  for (size_t j = 0; j < node.ties.size(); ++j) {
    const Block scaled = inverse_D.asDiagonal() * node.Z_ties[j];
    Eigen::Matrix<double, Eigen::Dynamic, 6> V;
    if (node.rows > 0) V = node.S.solve(node.W.middleCols(static_cast<Eigen::Index>(6 * j), 6));
    for (size_t k = j; k < node.ties.size(); ++k) {
      Block change = -(scaled.transpose() * node.Z_ties[k]);
      if (node.rows > 0)
        change.noalias() += V.transpose() * node.W.middleCols(static_cast<Eigen::Index>(6 * k), 6);
      if (k == j)
        diagonals_[static_cast<size_t>(node.ties[j].node)] += change;
      else
        working_[static_cast<size_t>(node.updates[update++])] += change;
    }
  }
}

void BlockSolver::solve_once(double* x, double* y) const {
  Eigen::VectorXd g;
  const auto gather = [&](const Node& node) {
    g.resize(node.rows);
    Eigen::Index row = 0;
    for (const int k : node.own) {
      const RowBlock& block = row_blocks_[static_cast<size_t>(k)];
      for (int c = 0; c < block.rows.count; ++c) g[row++] = y[block.first + static_cast<size_t>(c)];
    }
  };
  const auto scatter = [&](const Node& node) {
    Eigen::Index row = 0;
    for (const int k : node.own) {
      const RowBlock& block = row_blocks_[static_cast<size_t>(k)];
      for (int c = 0; c < block.rows.count; ++c) y[block.first + static_cast<size_t>(c)] = g[row++];
    }
  };
  // From the first to the last: x holds L^-1 b, y holds g.
  for (const int i : order_) {
    const Node& node = nodes_[static_cast<size_t>(i)];
    double* z = x + 6 * i;
    solve_lower<6>(node.L, z);
    const Vec6 scaled = Eigen::Map<const Vec6>(node.inverse_D).cwiseProduct(part(z, 0));
    Eigen::VectorXd s;
    if (node.rows > 0) {
      gather(node);
      g = node.Z.transpose() * scaled - g;
      scatter(node);
      s = node.S.solve(g);
    }
    for (size_t t = 0; t < node.ties.size(); ++t) {
      Eigen::Map<Vec6> b = part(x, node.ties[t].node);
      b.noalias() -= node.Z_ties[t].transpose() * scaled;
      if (node.rows > 0)
        b.noalias() -= node.W.middleCols(static_cast<Eigen::Index>(6 * t), 6).transpose() * s;
    }
  }
  // And back.
  for (size_t at = order_.size(); at-- > 0;) {
    const int i = order_[at];
    const Node& node = nodes_[static_cast<size_t>(i)];
    Vec6 z = part(x, i);
    for (size_t t = 0; t < node.ties.size(); ++t) z.noalias() -= node.Z_ties[t] * part(x, node.ties[t].node);
    if (node.rows > 0) {
      gather(node);
      for (size_t t = 0; t < node.ties.size(); ++t)
        g.noalias() += node.W.middleCols(static_cast<Eigen::Index>(6 * t), 6) * part(x, node.ties[t].node);
      g = node.S.solve(g).eval();
      scatter(node);
      z.noalias() -= node.Z * g;
    }
    z = z.cwiseProduct(Eigen::Map<const Vec6>(node.inverse_D));
    solve_upper<6>(node.L, z.data());
    part(x, i) = z;
  }
}

namespace {

void subtract_block(const BlockSolver::Block& A_ij, int i, int j, const double* x, double* b) {
  part(b, i).noalias() -= A_ij * part(x, j);
  if (i != j) part(b, j).noalias() -= A_ij.transpose() * part(x, i);
}

}  // namespace

void BlockSolver::subtract_product(const double* x, double* b) const {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const auto at = static_cast<int>(i);
    subtract_block(nodes_[i].A, at, at, x, b);
    for (const Tie& tie : nodes_[i].ties)
      subtract_block(blocks_[static_cast<size_t>(tie.block)], at, tie.node, x, b);
  }
}

void BlockSolver::subtract_rows(const double* x, const double* l, double* b, double* c) const {
  for (const RowBlock& block : row_blocks_)
    for (int side = 0; side < 2; ++side) {
      const int node = side == 0 ? block.rows.a : block.rows.b;
      if (node == kNone) continue;
      const Eigen::Map<const RowMatrix> J = rows_of(block.J[side], block.rows.count);
      Eigen::Map<Eigen::VectorXd>(c + block.first, block.rows.count).noalias() -= J * part(x, node);
      part(b, node).noalias() -=
          J.transpose() * Eigen::Map<const Eigen::VectorXd>(l + block.first, block.rows.count);
    }
}

void BlockSolver::solve(double* x, double* y) {
  if (!redundant_) return solve_once(x, y);
  const size_t n = 6 * nodes_.size();
  const std::vector<double> b(x, x + n), c(y, y + row_count_);
  left_x_ = b, left_y_ = c;
  std::fill(x, x + n, 0.0), std::fill(y, y + row_count_, 0.0);
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kProximalPasses; ++pass) {
    solve_once(left_x_.data(), left_y_.data());
    for (size_t i = 0; i < n; ++i) x[i] += left_x_[i];
    for (size_t i = 0; i < row_count_; ++i) y[i] += left_y_[i];
    left_x_ = b, left_y_ = c;
    subtract_product(x, left_x_.data());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto at = static_cast<int>(i);
      subtract_block(extra_diagonal_[i], at, at, x, left_x_.data());
      for (const Tie& tie : nodes_[i].ties)
        subtract_block(extra_blocks_[static_cast<size_t>(tie.block)], at, tie.node, x, left_x_.data());
    }
    subtract_rows(x, y, left_x_.data(), left_y_.data());
    double now = 0;
    for (const double v : left_y_) now = std::max(now, std::abs(v));
    if (!(now < kProximalProgress * best)) break;
    best = now;
  }
}

std::vector<size_t> BlockSolver::islands() const {
  std::vector<size_t> root(nodes_.size());
  std::iota(root.begin(), root.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto join = [&](int i, int j) {
    const size_t a = find(static_cast<size_t>(i)), b = find(static_cast<size_t>(j));
    root[std::max(a, b)] = std::min(a, b);
  };
  for (const auto& [i, j] : coupled_) join(i, j);
  for (const Rows& rows : row_pattern_)
    if (rows.b != kNone) join(rows.a, rows.b);
  std::vector<size_t> number(nodes_.size());
  size_t count = 0;
  for (size_t i = 0; i < number.size(); ++i) number[i] = find(i) == i ? count++ : number[find(i)];
  return number;
}

}  // namespace tumble::dynamics
