#include "tumble/dynamics/linear/elimination_order.h"

#include <algorithm>
#include <numeric>

namespace tumble::dynamics {

namespace {

// A spanning forest of joints, rooted at the world where possible.
struct SpanningForest {
  std::vector<int> parent;    // by body; kNone: a root, or a child of the world
  std::vector<int> children;  // by body: how many
  size_t joints = 0;          // in the forest; the others close loops
};

SpanningForest find_spanning_forest(size_t bodies, const std::vector<KktRows>& rows) {
  SpanningForest forest{std::vector<int>(bodies, kNone), std::vector<int>(bodies, 0), 0};
  const size_t world = bodies;
  const auto number = [&](int body) { return body == kNone ? world : static_cast<size_t>(body); };
  std::vector<std::vector<int>> rows_at(bodies + 1);
  for (size_t k = 0; k < rows.size(); ++k) {
    rows_at[number(rows[k].a)].push_back(static_cast<int>(k));
    rows_at[number(rows[k].b)].push_back(static_cast<int>(k));
  }
  std::vector<char> reached(bodies + 1, 0);
  std::vector<size_t> queue;
  const auto search_from = [&](size_t root) {  // breadth first
    reached[root] = 1;
    queue.assign(1, root);
    for (size_t at = 0; at < queue.size(); ++at) {
      const size_t i = queue[at];
      for (const int k : rows_at[i]) {
        const KktRows& r = rows[static_cast<size_t>(k)];
        const size_t a = number(r.a), j = a == i ? number(r.b) : a;
        if (reached[j]) continue;
        reached[j] = 1, ++forest.joints;
        if (i != world) forest.parent[j] = static_cast<int>(i), ++forest.children[i];
        queue.push_back(j);
      }
    }
  };
  search_from(world);
  for (size_t i = 0; i < bodies; ++i)
    if (!reached[i]) search_from(i);
  return forest;
}

// By body, in ascending order.
std::vector<std::vector<int>> find_neighbours(const KktGraph& graph) {
  std::vector<std::vector<int>> neighbours(graph.bodies);
  const auto connect = [&](int i, int j) {
    neighbours[static_cast<size_t>(i)].push_back(j);
    neighbours[static_cast<size_t>(j)].push_back(i);
  };
  for (const auto& [i, j] : graph.couplings) connect(i, j);
  for (const KktRows& r : graph.rows)
    if (r.b != kNone) connect(r.a, r.b);
  for (std::vector<int>& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

// By body: the number of its island. Islands are numbered by their first body.
std::vector<size_t> find_islands(const KktGraph& graph) {
  std::vector<size_t> parent(graph.bodies);
  std::iota(parent.begin(), parent.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  // The root of a set is its first body.
  const auto unite = [&](int i, int j) {
    const size_t a = find(static_cast<size_t>(i)), b = find(static_cast<size_t>(j));
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (const auto& [i, j] : graph.couplings) unite(i, j);
  for (const KktRows& rows : graph.rows)
    if (rows.b != kNone) unite(rows.a, rows.b);
  std::vector<size_t> number(graph.bodies);
  size_t count = 0;
  for (size_t i = 0; i < number.size(); ++i) number[i] = find(i) == i ? count++ : number[find(i)];
  return number;
}

// Children before parents, then minimum degree. Returns the neighbours that a body has when it is eliminated.
LaterNeighbours order_by_degree(const KktGraph& graph, const SpanningForest& forest,
                                std::vector<int>& order) {
  const size_t n = graph.bodies;
  std::vector<int> children = forest.children;  // that are not eliminated yet
  std::vector<std::vector<int>> adjacent = find_neighbours(graph);
  LaterNeighbours later(n);
  order.clear();
  std::vector<char> eliminated(n, 0);
  // Bodies by number of neighbours; entries may be out of date.
  std::vector<std::vector<int>> by_degree(n + 1);
  for (size_t i = n; i-- > 0;)
    if (children[i] == 0) by_degree[adjacent[i].size()].push_back(static_cast<int>(i));
  size_t degree = 0;
  std::vector<int> merged;
  while (order.size() < n) {
    while (by_degree[degree].empty()) ++degree;
    const int i = by_degree[degree].back();
    by_degree[degree].pop_back();
    const auto at = static_cast<size_t>(i);
    if (eliminated[at] || adjacent[at].size() != degree) continue;
    eliminated[at] = 1;
    order.push_back(i);
    for (const int j : adjacent[at]) {
      std::vector<int>& other = adjacent[static_cast<size_t>(j)];
      merged.clear();
      std::set_union(other.begin(), other.end(), adjacent[at].begin(), adjacent[at].end(),
                     std::back_inserter(merged));
      std::erase(merged, i);
      std::erase(merged, j);
      other = merged;
      if (j == forest.parent[at]) --children[static_cast<size_t>(j)];
      if (children[static_cast<size_t>(j)] > 0) continue;
      by_degree[other.size()].push_back(j);
      degree = std::min(degree, other.size());
    }
    later[at] = adjacent[at];
  }
  return later;
}

// Sorts bodies and rows by island, and finds the start of each island.
void sort_by_island(const KktGraph& graph, EliminationOrder& out) {
  const auto island_of = [&](int i) { return out.island_of[static_cast<size_t>(i)]; };
  const auto island_of_rows = [&](int k) { return island_of(graph.rows[static_cast<size_t>(k)].a); };
  const size_t n = graph.bodies;
  std::vector<int>&order = out.order, &row_order = out.row_order;
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return island_of(x) < island_of(y); });
  row_order.resize(graph.rows.size());
  std::iota(row_order.begin(), row_order.end(), 0);
  std::stable_sort(row_order.begin(), row_order.end(),
                   [&](int x, int y) { return island_of_rows(x) < island_of_rows(y); });
  out.islands.assign(1, {});
  for (size_t k = 0, row = 0; k < n;) {
    const size_t here = island_of(order[k]);
    while (k < n && island_of(order[k]) == here) ++k;
    while (row < row_order.size() && island_of_rows(row_order[row]) == here) ++row;
    out.islands.push_back({k, row});
  }
}

}  // namespace

LaterNeighbours build_elimination_order(const KktGraph& graph, EliminationOrder& out) {
  const SpanningForest forest = find_spanning_forest(graph.bodies, graph.rows);
  out.has_loops = forest.joints < graph.rows.size();
  LaterNeighbours later = order_by_degree(graph, forest, out.order);
  out.island_of = find_islands(graph);
  sort_by_island(graph, out);
  out.rank.resize(graph.bodies);
  for (size_t k = 0; k < graph.bodies; ++k) out.rank[static_cast<size_t>(out.order[k])] = static_cast<int>(k);
  for (std::vector<int>& list : later)
    std::sort(list.begin(), list.end(), [&](int x, int y) { return out.comes_later(y, x); });
  return later;
}

}  // namespace tumble::dynamics
