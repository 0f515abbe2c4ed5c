// The pattern of a KKT system (kkt_solver.h): its structure without numbers. It defines in which order bodies
// are eliminated, which blocks and rows are eliminated with each, and the offsets of all numbers of A, J and
// the factors. Couplings are the blocks A_ij of the elimination, i before j, fill-in included. They are
// numbered in elimination order of i, then of j.
#pragma once

#include <cstdint>
#include <span>

#include "tumble/dynamics/linear/elimination_order.h"

namespace tumble::dynamics {

/// A range of islands: from one start to another.
struct KktRange {
  EliminationOrder::Start first, end;
  size_t bodies() const { return end.body - first.body; }
};

/// Filled by build_pattern(), constant afterwards.
struct KktPattern {
  struct Body {
    int first_coupling = 0, end_coupling = 0;  // to later bodies, in the order of elimination
    int first_own = 0, end_own = 0;            // among own_rows: row blocks eliminated with this body
    int first_update = 0;                      // among updates
    int rows = 0;                              // eliminated with this body
    size_t factors = 0;                        // among KktFactors::numbers
    int couplings() const { return end_coupling - first_coupling; }
    size_t coupling(int k) const { return static_cast<size_t>(first_coupling) + static_cast<size_t>(k); }
  };
  struct RowBlock {
    KktRows rows;
    size_t first = 0;  // of its rows among all
    size_t J = 0;      // among KktMatrix::J: numbers on a, then on b
    size_t numbers() const { return rows.point != 0 ? 3 : static_cast<size_t>(6 * rows.count); }
    size_t J_of(int side) const { return side == 0 ? J : J + numbers(); }
    int body(int side) const { return side == 0 ? rows.a : rows.b; }
    int side_of(int body) const { return rows.a == body ? 0 : 1; }
    /// The sign of its rows on a body, if they are those of a point.
    int sign(int side) const { return side == 0 ? rows.point : -rows.point; }
  };
  /// A body with one block of rows whose only later neighbour is the other body of these rows, its parent.
  /// Most bodies are links, so that this struct is small.
  struct Link {
    uint32_t J, P;       // among KktMatrix::J: on the link and on its parent
    uint32_t first_row;  // among all
    int parent;          // kNone if the joint is to the world
    int coupling;        // to the parent
    int ball;            // among KktFactors::balls if its joint holds a point, or kNone
    int8_t rows, point;  // point: the sign of J, or 0
  };
  struct Sizes {
    size_t rows = 0;                         // of J
    size_t J = 0, factors = 0, scratch = 0;  // numbers
    size_t balls = 0;
  };

  KktGraph graph;
  EliminationOrder elimination;
  std::vector<Body> bodies;
  std::vector<int> neighbours;  // by coupling A_ij: j
  std::vector<int> updates;     // of each body, for its later neighbours j before k: the coupling A_jk
  std::vector<RowBlock> row_blocks;
  std::vector<int> own_rows;  // row blocks, by the body they are eliminated with
  std::vector<Link> links;    // in the order of elimination
  std::vector<int> link_at;   // by position in the order: index into links, or kNone
  Sizes sizes;

  size_t couplings() const { return neighbours.size(); }
  /// The coupling A_ij, or A_ji if j comes first. Fails if there is none.
  size_t coupling_of(int i, int j) const;
  KktRange island(size_t k) const { return {elimination.islands[k], elimination.islands[k + 1]}; }
  KktRange all() const { return {{}, elimination.islands.back()}; }
  std::span<const int> bodies_in(const KktRange& range) const {
    return std::span(elimination.order).subspan(range.first.body, range.bodies());
  }
  std::span<const int> row_blocks_in(const KktRange& range) const {
    return std::span(elimination.row_order)
        .subspan(range.first.row_block, range.end.row_block - range.first.row_block);
  }
};

/// Reuses the memory of `out`.
void build_pattern(size_t bodies, const std::vector<std::pair<int, int>>& couplings,
                   const std::vector<KktRows>& rows, KktPattern& out);

}  // namespace tumble::dynamics
