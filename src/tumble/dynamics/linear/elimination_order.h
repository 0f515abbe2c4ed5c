// The order in which the bodies of a KKT system (kkt_solver.h) are eliminated. Elimination of a body couples
// all its neighbours, so that the order determines the fill-in. Along joints, children come before their
// parents: then the rows eliminated with a body are independent, and a tree has no fill-in. Otherwise the
// body with the fewest neighbours comes first (minimum degree). Bodies that are not connected are islands;
// each island is a range of the order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "tumble/dynamics/joint_graph.h"

namespace tumble::dynamics {

/// `count` rows of J, on bodies a and b. b may be kNone, a never is. If `point` is not 0, they are the three
/// rows of a point that both bodies hold: J is point [1, -[t]x] on a and -point [1, -[s]x] on b, with t and s
/// the arms of the point on a and on b, and point 1 or -1.
struct KktRows {
  int a = kNone, b = kNone;
  int count = 0, point = 0;
  bool operator==(const KktRows&) const = default;
};

/// Which bodies are coupled by blocks A_ij (pairs in any order, repeated or not), and which by rows.
struct KktGraph {
  size_t bodies = 0;
  std::vector<std::pair<int, int>> couplings;
  std::vector<KktRows> rows;
};

struct EliminationOrder {
  /// Where an island begins in `order` and in `row_order`.
  struct Start {
    size_t body = 0, row_block = 0;
  };
  std::vector<int> order;          // bodies
  std::vector<int> rank;           // by body: its position in `order`
  std::vector<int> row_order;      // entries of KktGraph::rows, by island
  std::vector<Start> islands{{}};  // and the end
  std::vector<size_t> island_of;   // by body
  bool has_loops = false;          // joints close loops: some rows may depend on others

  bool comes_later(int i, int j) const { return rank[static_cast<size_t>(i)] > rank[static_cast<size_t>(j)]; }
};

/// Neighbours of each body when it is eliminated, in the order of elimination.
using LaterNeighbours = std::vector<std::vector<int>>;

LaterNeighbours build_elimination_order(const KktGraph& graph, EliminationOrder& out);

}  // namespace tumble::dynamics
