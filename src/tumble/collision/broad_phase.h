// Which of many boxes meet, step after step: what two methods, DynamicTree and SweepAndPrune, have in common.
//
// An item is a number, 0 .. n-1, with one box a step; the caller has swept it over the step and enlarged it. The answer
// is exact and does not depend on the method or on earlier steps: all pairs whose boxes have a point in common, borders
// included, but for pairs of two fixed items. Memory of earlier steps only makes it cheap.
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

/// first < second; ordered by first, then by second.
struct ItemPair {
  uint32_t first = 0;
  uint32_t second = 0;
  friend auto operator<=>(const ItemPair&, const ItemPair&) = default;
};

enum class Mobility : uint8_t { moving, fixed };

/// The box of a number that has no item for now: it meets nothing.
inline geometry::Bounds absent_box() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return {math::Vec3::Constant(infinite), math::Vec3::Constant(-infinite)};
}

inline bool is_absent(const geometry::Bounds& box) {
  return box.lower.x() == std::numeric_limits<double>::infinity() && box.upper.x() == -box.lower.x();
}

/// What the last update cost, in counts that are the same on every machine.
struct BroadPhaseWork {
  uint64_t box_tests = 0;  // a box looked at: compared with another, moved past it in a sort, put into a node
  uint64_t reinserted = 0;  // items that left their place in the tree (or all of them: it was built anew)
  uint64_t exchanges = 0;   // of neighbours in the sorted lists
};

class BroadPhase {
 public:
  virtual ~BroadPhase() = default;

  /// The pairs of these boxes, sorted; valid until the next call. An item keeps its number from step to step. Items come by
  /// a longer list or in place of an absent one, and go by a shorter list or absent_box(). Boxes may be points and may be
  /// infinite; numbers that are none, and boxes turned inside out, throw core::LogicError and change nothing.
  /// `mobility`: of each item, or empty when all may move.
  virtual std::span<const ItemPair> update(std::span<const geometry::Bounds> boxes,
                                           std::span<const Mobility> mobility = {}) = 0;

  const BroadPhaseWork& work() const { return work_; }
  virtual size_t memory_bytes() const = 0;

 protected:
  static void require_box(const geometry::Bounds& box, size_t item) {
    // a comparison with NaN is false
    TUMBLE_REQUIRE((box.lower.array() <= box.upper.array()).all() || is_absent(box),
                   "the box of item " + std::to_string(item) + " is turned inside out or not a number");
  }
  static void require_sizes(std::span<const geometry::Bounds> boxes, std::span<const Mobility> mobility) {
    TUMBLE_REQUIRE(mobility.empty() || mobility.size() == boxes.size(), "one mobility for each box, or none");
    TUMBLE_REQUIRE(boxes.size() < (1u << 31), "too many items");
  }
  BroadPhaseWork work_;
};

}  // namespace tumble::collision
