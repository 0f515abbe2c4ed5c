// Broad phase by sweep and prune: sorted lists of the endpoints of boxes along the three axes (Baraff,
// Physically Based Modeling: Rigid Body Simulation II, Nonpenetration Constraints, SIGGRAPH course notes
// 1997, section 7.2).
//
// Two boxes overlap if their extents overlap along x, y and z. Each axis has a sorted list of all 2n
// endpoints, kept from step to step. Motion disturbs it little, so insertion sort takes time n + the number
// of swaps. The overlap of two extents along an axis can only change when a lower and an upper endpoint are
// swapped there. At each such swap
//   a lower endpoint moves before another's upper one: the two overlap along this axis now;
//     if they overlap along all three, they are a new pair
//   an upper endpoint moves before another's lower one: the two are apart now, and no longer a pair
// Both tests use the new boxes, so the order of the swaps does not matter. Baraff's notes keep a table of
// pairs. Here it is the sorted list, updated once per step with the added and removed pairs. Memory is
// proportional to items and pairs.
//
// At equal coordinates lower endpoints come first: boxes that touch overlap. If many items are new or jump,
// so that swaps exceed the cost of sorting, the lists are sorted again and swept once along the axis with the
// fewest overlaps.
//
// This is cheap if few items move slowly and apart. In a pile, extents overlap along an axis n^(5/3) times or
// more without the boxes overlapping, and there are as many swaps. There DynamicTree is the better choice.
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
  struct Endpoint {
    double at;  // m
    uint32_t item;
    bool is_upper;
    bool before(const Endpoint& other) const {
      return at < other.at || (at == other.at && is_upper < other.is_upper);
    }
  };

  bool is_pair(uint32_t a, uint32_t b) const;
  void update_boxes(std::span<const geometry::Bounds> boxes, std::span<const Mobility> mobility);
  bool insertion_sort(std::vector<Endpoint>& ends, uint64_t max_swaps);
  void update_pairs();
  void sort_and_sweep();

  std::vector<geometry::Bounds> boxes_;
  std::vector<Mobility> mobility_;
  std::array<std::vector<Endpoint>, 3> ends_;  // along x, y, z
  std::vector<ItemPair> pairs_;

  // Scratch memory of an update.
  std::vector<ItemPair> added_, removed_, scratch_;
  std::vector<uint8_t> arriving_, leaving_;  // by item
  std::vector<uint32_t> open_, index_in_open_;
};

}  // namespace tumble::collision
