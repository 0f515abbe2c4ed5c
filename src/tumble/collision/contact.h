// One place where two shapes touch, or nearly.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "tumble/math/types.h"

namespace tumble::collision {

/// Which feature of each shape: kind (vertex, edge, face) and number. The same two features keep their key.
struct FeatureKey {
  uint64_t value = 0;
  bool operator==(const FeatureKey&) const = default;
  auto operator<=>(const FeatureKey&) const = default;
  /// Kind and number of the one's, of the other's.
  uint32_t of_a() const { return static_cast<uint32_t>(value >> 32); }
  uint32_t of_b() const { return static_cast<uint32_t>(value); }
};

enum class Feature : uint64_t {
  vertex = 0,
  edge = 1,
  face = 2,
  surface = 3
};  // surface: of a smooth shape, or a plane

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

struct Shell {
  double thickness;           // m: contacts with a gap up to this
  double kept;                // m: the separation that is kept between touching bodies
  double deepest = 0;         // m: and from minus this (bodies that start touching)
  size_t patch_corners = 16;  // at most, per patch
};

}  // namespace tumble::collision
