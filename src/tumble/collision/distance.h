// How far apart two shapes are. Surfaces are measured, not solids: a body wholly inside a closed mesh is as far from it as
// from its surface. Closed convex shapes that overlap are 0 apart, and so are meshes whose triangles cross.
#pragma once

#include <optional>
#include <vector>

#include "tumble/collision/collider.h"
#include "tumble/collision/contact.h"
#include "tumble/collision/gjk.h"

namespace tumble::collision {

/// Where the search through two trees of boxes ended: pairs of nodes that make up all pairs of primitives, with how far they were
/// apart. What cannot have come near since is passed over.
struct Front {
  struct Entry {
    uint32_t a, b;  // nodes
    double apart;   // m, no more than they were apart, and the way at that time
  };
  std::vector<Entry> entries;
  size_t most = 0;  // more entries than this: from the roots again
  double way = 0;   // m, no less than any point of the one has moved as seen from the other
  math::Mat3 R = math::Mat3::Identity();  // the last pose of b in the frame of a
  math::Vec3 p = math::Vec3::Zero();
  std::shared_ptr<const Polyhedron> shapes[2];  // whose nodes they are
};

/// What two shapes looked like when they were asked about last: asked again after a small motion, most of the work is saved.
/// Changes no contact of polyhedra, and on curved surfaces only which of equally deep points stand for them.
struct PairMemory {
  math::Vec3 normal = math::Vec3::Zero();                           // world, from b to a; zero: nothing known
  uint32_t primitives[2] = {Polyhedron::kNone, Polyhedron::kNone};  // the nearest ones
  std::optional<FeatureKey> features = {};                          // that told convex shapes apart
  Front front;                                                      // of two polyhedra not both convex
};

/// Distance, nearest points (world) and normal. The lower bound holds with rounding.
Separation compute_distance(const Placed& a, const Placed& b, PairMemory& memory);
Separation compute_distance(const Placed& a, const Placed& b);

/// One primitive of a mesh, and how far it is from a solid: in the frame of the mesh, normal from the solid to the mesh.
struct NearPrimitive {
  uint32_t primitive;
  Separation apart;
};
/// All primitives of a mesh that are no farther than `reach` from a cylinder or cone.
std::vector<NearPrimitive> find_near_primitives(const Placed& mesh, const Placed& solid, double reach);

/// How far the two are apart along `normal` (unit, from b to a), rounding deducted: no distance is smaller.
double compute_gap_along(const Placed& a, const Placed& b, const math::Vec3& normal);

/// Nearest points of two points, segments or triangles (1 to 3 corners each); distance 0 where triangles cross.
Separation compute_primitive_distance(const math::Vec3* a, int a_count, const math::Vec3* b, int b_count);

/// Products of four lengths of this size stay numbers. Larger or smaller ones are not told apart: they count as touching, without
/// contacts, and no motion of theirs is safe.
bool is_measurable(const Placed& a, const Placed& b);

/// Bound of the rounding of a distance between them.
double compute_distance_rounding(const Placed& a, const Placed& b);

}  // namespace tumble::collision
