// Finds equal points by hashing. +0 and -0 are equal.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tumble/math/types.h"

namespace tumble::geometry::detail {

/// Numbers the distinct points of a list. The caller owns the points and may append to them between calls.
class PointIndex {
 public:
  explicit PointIndex(size_t expected = 0) { slots_.assign(std::bit_ceil(2 * expected + 16), kFree); }

  /// The index in `points` of the first added point that equals `point`, or `index` if there is none.
  uint32_t find_or_add(const std::vector<math::Vec3>& points, const math::Vec3& point, uint32_t index) {
    if (2 * (used_ + 1) > slots_.size()) grow(points);
    uint32_t& slot = find_slot(points, point);
    if (slot == kFree) {
      slot = index;
      ++used_;
    }
    return slot;
  }

 private:
  static constexpr uint32_t kFree = 0xffffffffu;

  static size_t hash(const math::Vec3& p) {
    uint64_t h = 0;
    for (int i = 0; i < 3; ++i) {
      h = (h ^ std::bit_cast<uint64_t>(p[i] + 0.0)) * 0x9e3779b97f4a7c15ull;  // -0 + 0 = +0
      h ^= h >> 32;
    }
    return static_cast<size_t>(h);
  }
  uint32_t& find_slot(const std::vector<math::Vec3>& points, const math::Vec3& point) {
    const size_t mask = slots_.size() - 1;
    size_t at = hash(point) & mask;
    while (slots_[at] != kFree && points[slots_[at]] != point) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow(const std::vector<math::Vec3>& points) {
    std::vector<uint32_t> old(2 * slots_.size(), kFree);
    old.swap(slots_);
    for (const uint32_t index : old)
      if (index != kFree) find_slot(points, points[index]) = index;
  }

  std::vector<uint32_t> slots_;  // open addressing, never more than half full
  size_t used_ = 0;
};

}  // namespace tumble::geometry::detail
