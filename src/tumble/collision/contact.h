// A contact point between two shapes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "tumble/math/types.h"

namespace tumble::collision {

/// The feature of each shape: kind (vertex, edge, face) and number. A pair of features has the same key in
/// every step.
struct FeatureKey {
  uint64_t value = 0;
  bool operator==(const FeatureKey&) const = default;
  auto operator<=>(const FeatureKey&) const = default;
  /// Kind and number of the feature of a, and of b.
  uint32_t of_a() const { return static_cast<uint32_t>(value >> 32); }
  uint32_t of_b() const { return static_cast<uint32_t>(value); }
};

enum class Feature : uint64_t {
  vertex = 0,
  edge = 1,
  face = 2,
  surface = 3
};  // surface: of a smooth shape, or of a plane

inline FeatureKey make_key(Feature a, uint32_t i, Feature b, uint32_t j) {
  return {static_cast<uint64_t>(a) << 62 | static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(b) << 30 |
          j};
}

struct Contact {
  math::Vec3 point;   // m, world, midway between the two surfaces
  math::Vec3 normal;  // unit, from b to a
  double gap;         // m
  FeatureKey key;
};

/// Which contacts to report. Gaps range from -max_penetration to max_gap.
struct ContactRange {
  double max_gap;              // m
  double contact_offset;       // m: the gap of two bodies at rest on each other
  double max_penetration = 0;  // m: above 0 only for bodies that overlap at the start
  size_t patch_corners = 16;   // maximum per patch
};

}  // namespace tumble::collision
