// The pattern of KktSolver: which bodies are tied, in which order they are eliminated, and which are islands.
#include <algorithm>
#include <numeric>

#include "tumble/dynamics/linear/kkt_solver.h"

namespace tumble::dynamics {

namespace {

// A spanning forest of joints, the world its root where it can be: of each body, the block of rows to its parent.
struct Forest {
  std::vector<int> parent,
      block;                  // by body; kNone: a root, or a child of the world; no block: a root that floats
  std::vector<int> children;  // how many
  bool closes = false;        // some block is left over
};

Forest find_forest(size_t nodes, const std::vector<KktSolver::Rows>& rows) {
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
        const KktSolver::Rows& r = rows[static_cast<size_t>(k)];
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

void KktSolver::build_pattern(size_t nodes) {
  nodes_.assign(nodes, {});
  row_blocks_.clear(), row_count_ = 0;
  size_t numbers = 0;
  for (const Rows& r : row_pattern_) {
    row_blocks_.push_back({r, row_count_, numbers});
    row_count_ += static_cast<size_t>(r.count);
    numbers += 2 * row_blocks_.back().numbers();
  }
  J_.assign(numbers, 0.0);
  const Forest forest = find_forest(nodes, row_pattern_);
  redundant_ = forest.closes;
  choose_order(forest.parent, forest.children);
  // With which body each block of rows is eliminated.
  std::vector<std::vector<int>> own(nodes);
  for (size_t k = 0; k < row_blocks_.size(); ++k) {
    const Rows& r = row_blocks_[k].rows;
    const bool b_first = r.b != kNone && rank_[static_cast<size_t>(r.b)] < rank_[static_cast<size_t>(r.a)];
    own[static_cast<size_t>(b_first ? r.b : r.a)].push_back(static_cast<int>(k));
  }
  own_.clear();
  for (size_t i = 0; i < nodes; ++i) {
    nodes_[i].first_own = static_cast<int>(own_.size());
    own_.insert(own_.end(), own[i].begin(), own[i].end());
    nodes_[i].end_own = static_cast<int>(own_.size());
    for (const int k : own[i]) nodes_[i].rows += row_blocks_[static_cast<size_t>(k)].rows.count;
  }
  place_factors();
  diagonal_.assign(kLower6 * nodes, 0.0), extra_diagonal_.assign(kLower6 * nodes, 0.0);
  turning_.assign(kLower3 * blocks_.size(), 0.0);
  extra_blocks_ = blocks_;
  pending_blocks_.assign(36 * blocks_.size(), 0.0);
  filled_.assign(blocks_.size(), Filled::nothing), extra_filled_ = filled_;
  has_extra_.assign(nodes, 0);
  any_extra_ = false;
  standing_.assign(kLower6 * nodes, 0.0);
  softening_.assign(row_count_, 0.0);
  select_all_islands();
}

// Children of the joints' forest before their parents, so that with each body go the rows to its parent, which are independent;
// and fewest neighbours first. Neighbours of an eliminated body become neighbours of each other.
void KktSolver::choose_order(const std::vector<int>& parent, std::vector<int> children) {
  const size_t n = nodes_.size();
  std::vector<std::vector<int>> open(n), ties(n);
  const auto tie = [&](int i, int j) {
    open[static_cast<size_t>(i)].push_back(j);
    open[static_cast<size_t>(j)].push_back(i);
  };
  for (const auto& [i, j] : couplings_) tie(i, j);
  for (const Rows& r : row_pattern_)
    if (r.b != kNone) tie(r.a, r.b);
  for (std::vector<int>& list : open) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  order_.clear(), rank_.assign(n, -1);
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
    ties[at] = open[at];
  }
  // Island by island, which changes nothing else.
  const std::vector<size_t> island = find_islands();
  const auto island_of = [&](int i) { return island[static_cast<size_t>(i)]; };
  std::stable_sort(order_.begin(), order_.end(), [&](int x, int y) { return island_of(x) < island_of(y); });
  for (size_t k = 0; k < n; ++k) rank_[static_cast<size_t>(order_[k])] = static_cast<int>(k);
  const auto island_of_rows = [&](int k) { return island_of(row_pattern_[static_cast<size_t>(k)].a); };
  row_order_.resize(row_pattern_.size());
  std::iota(row_order_.begin(), row_order_.end(), 0);
  std::stable_sort(row_order_.begin(), row_order_.end(),
                   [&](int x, int y) { return island_of_rows(x) < island_of_rows(y); });
  islands_.assign(1, {});
  for (size_t k = 0, row = 0; k < n;) {
    const size_t here = island_of(order_[k]);
    while (k < n && island_of(order_[k]) == here) ++k;
    while (row < row_order_.size() && island_of_rows(row_order_[row]) == here) ++row;
    islands_.push_back({k, row});
  }
  ties_.clear();
  for (const int i : order_) {
    std::vector<int>& later = ties[static_cast<size_t>(i)];
    std::sort(later.begin(), later.end(),
              [&](int x, int y) { return rank_[static_cast<size_t>(x)] < rank_[static_cast<size_t>(y)]; });
    Node& node = nodes_[static_cast<size_t>(i)];
    node.first_tie = static_cast<int>(ties_.size());
    for (const int j : later) ties_.push_back({j, static_cast<int>(ties_.size())});
    node.end_tie = static_cast<int>(ties_.size());
  }
  blocks_.assign(ties_.size(), Block::Zero());
}

// For each body the number of its island.
std::vector<size_t> KktSolver::find_islands() const {
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
  for (const auto& [i, j] : couplings_) join(i, j);
  for (const Rows& rows : row_pattern_)
    if (rows.b != kNone) join(rows.a, rows.b);
  std::vector<size_t> number(nodes_.size());
  size_t count = 0;
  for (size_t i = 0; i < number.size(); ++i) number[i] = find(i) == i ? count++ : number[find(i)];
  return number;
}

}  // namespace tumble::dynamics
