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
};

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
