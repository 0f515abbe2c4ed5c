#include "tumble/dynamics/linear/kkt_pattern.h"

#include <algorithm>

#include "tumble/core/require.h"
#include "tumble/dynamics/linear/kkt_factors.h"

namespace tumble::dynamics {

namespace {

void number_rows(KktPattern& pattern) {
  pattern.row_blocks.clear();
  for (const KktRows& rows : pattern.graph.rows) {
    pattern.row_blocks.push_back({rows, pattern.sizes.rows, pattern.sizes.J});
    pattern.sizes.rows += static_cast<size_t>(rows.count);
    pattern.sizes.J += 2 * pattern.row_blocks.back().numbers();
  }
}

void number_couplings(const LaterNeighbours& later, KktPattern& pattern) {
  pattern.neighbours.clear();
  for (const int i : pattern.elimination.order) {
    const std::vector<int>& list = later[static_cast<size_t>(i)];
    KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
    body.first_coupling = static_cast<int>(pattern.neighbours.size());
    pattern.neighbours.insert(pattern.neighbours.end(), list.begin(), list.end());
    body.end_coupling = static_cast<int>(pattern.neighbours.size());
  }
}

// Rows are eliminated with the first of their bodies.
void assign_rows(KktPattern& pattern) {
  std::vector<std::vector<int>> own(pattern.bodies.size());
  for (size_t k = 0; k < pattern.row_blocks.size(); ++k) {
    const KktRows& r = pattern.row_blocks[k].rows;
    const bool b_first = r.b != kNone && pattern.elimination.comes_later(r.a, r.b);
    own[static_cast<size_t>(b_first ? r.b : r.a)].push_back(static_cast<int>(k));
  }
  pattern.own_rows.clear();
  for (size_t i = 0; i < own.size(); ++i) {
    KktPattern::Body& body = pattern.bodies[i];
    body.first_own = static_cast<int>(pattern.own_rows.size());
    pattern.own_rows.insert(pattern.own_rows.end(), own[i].begin(), own[i].end());
    body.end_own = static_cast<int>(pattern.own_rows.size());
    for (const int k : own[i]) body.rows += pattern.row_blocks[static_cast<size_t>(k)].rows.count;
  }
}

// Finds the couplings that the elimination of each body changes, and marks them in `fills_in`.
void find_updates(KktPattern& pattern, std::vector<char>& fills_in) {
  const std::vector<int>& neighbours = pattern.neighbours;
  pattern.updates.clear();
  for (const int i : pattern.elimination.order) {
    KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
    body.first_update = static_cast<int>(pattern.updates.size());
    for (int j = body.first_coupling; j < body.end_coupling; ++j)
      for (int k = j + 1; k < body.end_coupling; ++k) {
        const int first = neighbours[static_cast<size_t>(j)], second = neighbours[static_cast<size_t>(k)];
        int t = pattern.bodies[static_cast<size_t>(first)].first_coupling;
        while (neighbours[static_cast<size_t>(t)] != second) ++t;
        pattern.updates.push_back(t);
        fills_in[static_cast<size_t>(t)] = 1;
      }
  }
}

bool is_link(const KktPattern& pattern, const KktPattern::Body& body, const std::vector<char>& fills_in) {
  if (body.couplings() > 1 || body.end_own - body.first_own != 1 || body.rows < 1 || body.rows > 6)
    return false;
  if (body.couplings() == 0) return true;
  const auto own = static_cast<size_t>(pattern.own_rows[static_cast<size_t>(body.first_own)]);
  return pattern.row_blocks[own].rows.b != kNone && !fills_in[static_cast<size_t>(body.first_coupling)];
}

void add_link(int i, KktPattern& pattern) {
  const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
  const auto own = static_cast<size_t>(pattern.own_rows[static_cast<size_t>(body.first_own)]);
  const KktPattern::RowBlock& block = pattern.row_blocks[own];
  const int side = block.side_of(i);
  const bool ends = body.couplings() == 0;
  pattern.links.push_back(
      {.J = static_cast<uint32_t>(block.J_of(side)),
       .P = static_cast<uint32_t>(block.J_of(1 - side)),
       .first_row = static_cast<uint32_t>(block.first),
       .parent = ends ? kNone : pattern.neighbours[static_cast<size_t>(body.first_coupling)],
       .coupling = body.first_coupling,
       .ball = block.rows.point != 0 ? static_cast<int>(pattern.sizes.balls++) : kNone,
       .rows = static_cast<int8_t>(body.rows),
       .point = static_cast<int8_t>(block.sign(side))});
}

// Finds which bodies are links, and assigns offsets of factors.
void assign_factors(const std::vector<char>& fills_in, KktPattern& pattern) {
  KktPattern::Sizes& sizes = pattern.sizes;
  pattern.links.clear(), pattern.link_at.clear();
  for (const int i : pattern.elimination.order) {
    KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
    body.factors = sizes.factors;
    if (is_link(pattern, body, fills_in)) {
      pattern.link_at.push_back(static_cast<int>(pattern.links.size()));
      add_link(i, pattern);
      sizes.factors += link_factors_size(body);
    } else {
      pattern.link_at.push_back(kNone);
      sizes.factors += body_factors_size(body);
      sizes.scratch = std::max(sizes.scratch, body_scratch_size(body));
    }
  }
}

}  // namespace

size_t KktPattern::coupling_of(int i, int j) const {
  if (elimination.comes_later(i, j)) std::swap(i, j);
  const Body& body = bodies[static_cast<size_t>(i)];
  for (int k = body.first_coupling; k < body.end_coupling; ++k)
    if (neighbours[static_cast<size_t>(k)] == j) return static_cast<size_t>(k);
  TUMBLE_REQUIRE(false, "these two bodies are not coupled in the pattern");
  return 0;
}

void build_pattern(size_t bodies, const std::vector<std::pair<int, int>>& couplings,
                   const std::vector<KktRows>& rows, KktPattern& out) {
  out.graph.bodies = bodies, out.graph.couplings = couplings, out.graph.rows = rows;
  out.bodies.assign(bodies, {});
  out.sizes = {};
  number_rows(out);
  number_couplings(build_elimination_order(out.graph, out.elimination), out);
  assign_rows(out);
  std::vector<char> fills_in(out.couplings(), 0);
  find_updates(out, fills_in);
  assign_factors(fills_in, out);
}

}  // namespace tumble::dynamics
