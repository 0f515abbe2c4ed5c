// Broad phase by sorted lists of where boxes begin and end along the three axes (Baraff, Physically Based Modeling:
// Rigid Body Simulation II, Nonpenetration Constraints, SIGGRAPH course notes 1997, section 7.2).
//
// Two boxes meet when their extents overlap along x, y and z. Each axis has a list of all 2n ends in their order, kept from step
// to step; motion disturbs it little, so insertion sort mends it in time n + the number of exchanges. The overlap of two
// extents along an axis can only change when a beginning and an end change places there. At each such exchange
//   a beginning comes before another's end:  along this axis the two overlap now; if they do along all three, they are a new pair
//   an end comes before another's beginning: the two are apart now, and no pair any more
// Both questions are asked of the new boxes, so the order of the exchanges does not matter. The notes keep a table of pairs;
// here it is the sorted list, changed once a step by what came and went, and memory is that of the items and the pairs.
//
// At equal coordinates a beginning comes first: boxes that touch, meet. When many items are new or jump, so that exchanges
// outgrow what sorting costs, the lists are sorted afresh and swept once along the axis with the fewest overlaps.
//
// Cheap where few items move slowly and apart. In a pile extents overlap along an axis without the boxes meeting, n^(5/3)
// times or more, and exchanges are as many: there DynamicTree is the better choice.
#pragma once

#include <array>
#include <vector>

#include "tumble/collision/broad_phase.h"

namespace tumble::collision {

class SweepAndPrune final : public BroadPhase {
 public:
  std::span<const ItemPair> update(std::span<const geometry::Bounds> boxes,
                                   std::span<const Mobility> mobility = {}) override;
  size_t memory_bytes() const override;

 private:
  struct End {
    double at;  // m
    uint32_t item;
    bool is_upper;
    bool before(const End& other) const {
      return at < other.at || (at == other.at && is_upper < other.is_upper);
    }
  };

  bool makes_pair(uint32_t a, uint32_t b) const;
  void take_over(std::span<const geometry::Bounds> boxes, std::span<const Mobility> mobility);
  bool mend_order(std::vector<End>& ends, uint64_t most_exchanges);
  void change_pairs();
  void sweep_afresh();

  std::vector<geometry::Bounds> boxes_;
  std::vector<Mobility> mobility_;
  std::array<std::vector<End>, 3> ends_;  // along x, y, z
  std::vector<ItemPair> pairs_;

  // scratch of an update
  std::vector<ItemPair> come_, gone_, scratch_;
  std::vector<uint8_t> arrives_, leaves_;  // by item
  std::vector<uint32_t> open_, place_in_open_;
};

}  // namespace tumble::collision
