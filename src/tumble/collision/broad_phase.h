// Broad phase: finds the overlapping pairs of many boxes, step after step. Interface of DynamicTree and
// SweepAndPrune.
//
// An item is a number, 0 .. n-1, with one box per step. The caller enlarges the box to cover the motion of
// the step. The result is exact and does not depend on the method or on earlier steps: all pairs whose boxes
// overlap, touching included, except pairs of two fixed items. Data of earlier steps only reduces the cost.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tumble/core/require.h"
#include "tumble/geometry/bvh.h"

namespace tumble::collision {

/// first < second. Ordered by first, then by second.
struct ItemPair {
  uint32_t first = 0;
  uint32_t second = 0;
  friend auto operator<=>(const ItemPair&, const ItemPair&) = default;
};

enum class Mobility : uint8_t { moving, fixed };

/// The box of a number that has no item at present. It overlaps nothing.
inline geometry::Bounds absent_box() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return {math::Vec3::Constant(infinite), math::Vec3::Constant(-infinite)};
}

inline bool is_absent(const geometry::Bounds& box) {
  return box.lower.x() == std::numeric_limits<double>::infinity() && box.upper.x() == -box.lower.x();
}

/// Cost of the last update, in counts that are the same on every machine.
struct BroadPhaseWork {
  uint64_t box_tests = 0;   // boxes visited: compared with another, moved in a sort, or put into a node
  uint64_t reinserted = 0;  // items moved in the tree, or all items if the tree was rebuilt
  uint64_t swaps = 0;       // swaps of neighbours in the sorted lists
};

class BroadPhase {
 public:
  virtual ~BroadPhase() = default;

  /// The overlapping pairs of these boxes, sorted. Valid until the next call. An item keeps its number from
  /// step to step. Items are added by a longer list or in place of an absent one. They are removed by a
  /// shorter list or by absent_box(). Boxes may be points and may be infinite. NaN coordinates and boxes with
  /// lower > upper throw core::LogicError and change nothing. `mobility`: one entry per item, or empty if all
  /// may move.
  virtual std::span<const ItemPair> update(std::span<const geometry::Bounds> boxes,
                                           std::span<const Mobility> mobility = {}) = 0;

  const BroadPhaseWork& work() const { return work_; }
  virtual size_t memory_bytes() const = 0;

 protected:
  static void require_box(const geometry::Bounds& box, size_t item) {
    // A comparison with NaN is false.
    TUMBLE_REQUIRE((box.lower.array() <= box.upper.array()).all() || is_absent(box),
                   "the box of item " + std::to_string(item) +
                       " has lower > upper or a coordinate that is not a number");
  }
  static void require_sizes(std::span<const geometry::Bounds> boxes, std::span<const Mobility> mobility) {
    TUMBLE_REQUIRE(mobility.empty() || mobility.size() == boxes.size(), "one mobility for each box, or none");
    TUMBLE_REQUIRE(boxes.size() < (1u << 31), "too many items");
  }
  BroadPhaseWork work_;
};

}  // namespace tumble::collision
