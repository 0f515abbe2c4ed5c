// The elimination order, fill-in, links and islands, without numbers.
#include "tumble/dynamics/linear/kkt_pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace tumble;
using dynamics::KktPattern;
using dynamics::KktRows;
using dynamics::kNone;

namespace {

using Pairs = std::vector<std::pair<int, int>>;

KktPattern pattern_of(size_t bodies, const Pairs& couplings, const std::vector<KktRows>& rows) {
  KktPattern pattern;
  build_pattern(bodies, couplings, rows, pattern);
  return pattern;
}

}  // namespace

TEST_CASE("in a tree of joints children come before parents, all bodies are links and there is no fill-in") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    constexpr int n = 12;
    std::vector<KktRows> rows = {{0, kNone, 3, 1}};
    for (int i = 1; i < n; ++i) rows.push_back({i, static_cast<int>(random() % static_cast<unsigned>(i)), 5});
    const KktPattern pattern = pattern_of(n, {}, rows);
    for (const KktRows& joint : rows)
      if (joint.b != kNone) CHECK(pattern.elimination.comes_later(joint.b, joint.a));
    CHECK(pattern.couplings() == n - 1);
    CHECK(pattern.updates.empty());
    CHECK(pattern.links.size() == n);
    CHECK(pattern.links.back().parent == kNone);
    CHECK(pattern.sizes.balls == 1);
    CHECK(pattern.sizes.rows == 3 + 5 * (n - 1));
    CHECK_FALSE(pattern.elimination.has_loops);
  }
}

TEST_CASE("a joint that closes a loop is found, and so is a joint that occurs twice") {
  CHECK(pattern_of(3, {}, {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}}).elimination.has_loops);
  CHECK(pattern_of(2, {}, {{0, 1, 3}, {0, 1, 3}}).elimination.has_loops);
  CHECK(pattern_of(2, {}, {{0, kNone, 3}, {1, kNone, 3}, {0, 1, 1}}).elimination.has_loops);
  CHECK_FALSE(pattern_of(2, {{0, 1}}, {{0, 1, 3}}).elimination.has_loops);
}

TEST_CASE("a ring of n bodies has a fill-in of n - 3 couplings") {
  constexpr int n = 7;
  Pairs ring;
  for (int i = 0; i < n; ++i) ring.emplace_back(i, (i + 1) % n);
  ring.push_back(ring.front());  // a pair that occurs twice
  const KktPattern pattern = pattern_of(n, ring, {});
  CHECK(pattern.couplings() == n + n - 3);
  CHECK(pattern.links.empty());
  for (const auto& [i, j] : ring) CHECK(pattern.coupling_of(i, j) == pattern.coupling_of(j, i));
  const KktPattern apart = pattern_of(3, {{0, 1}}, {});
  CHECK_THROWS(apart.coupling_of(0, 2));
}

TEST_CASE("islands are ranges of the order, with their own rows") {
  // 0-3 by a coupling, 1-4-5 by rows, 2 alone
  const KktPattern pattern = pattern_of(6, {{3, 0}}, {{5, 4, 3}, {0, kNone, 2}, {4, 1, 1}});
  const std::vector<std::vector<int>> bodies = {{0, 3}, {1, 4, 5}, {2}}, rows = {{1}, {0, 2}, {}};
  REQUIRE(pattern.elimination.islands.size() == bodies.size() + 1);
  const auto sorted = [](std::span<const int> list) {
    std::vector<int> copy(list.begin(), list.end());
    std::sort(copy.begin(), copy.end());
    return copy;
  };
  for (size_t k = 0; k < bodies.size(); ++k) {
    CHECK(sorted(pattern.bodies_in(pattern.island(k))) == bodies[k]);
    CHECK(sorted(pattern.row_blocks_in(pattern.island(k))) == rows[k]);
    for (const int i : bodies[k]) CHECK(pattern.elimination.island_of[static_cast<size_t>(i)] == k);
  }
  CHECK(pattern.bodies_in(pattern.all()).size() == 6);
  CHECK(KktPattern().all().bodies() == 0);
}
