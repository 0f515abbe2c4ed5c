// Where two shapes touch, or nearly: the corners of every patch at which they are nearest.
//
// Two polyhedra that touch without crossing do so in points, segments and plane polygons. Every corner of these is a vertex
// of one over a face of the other, or a crossing of two edges (or, at outer edges and corners, a vertex over an edge or another
// vertex). A pair of features is a candidate if it is locally nearest, up to a slope kSlope, and its gap lies within the
// shell. Candidates with the same normal in one plane are a patch. Over a patch the speed of approach of two rigid bodies is an affine
// function of place, so it suffices to hold the vertices of the lower convex hull of (place, gap); the rest adds
// nothing but redundancy. Corners are the same however a face is cut into triangles.
#pragma once

#include <vector>

#include "tumble/collision/distance.h"

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

/// Appends the contacts of a and b, patch by patch.
void build_manifold(const Placed& a, const Placed& b, const Shell& shell, PairMemory& memory,
                    std::vector<Contact>& contacts);

}  // namespace tumble::collision
