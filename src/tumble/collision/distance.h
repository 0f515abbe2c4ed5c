// Distance of two shapes. It is the distance of surfaces, not of solids: a body inside a closed mesh is as
// far from it as from its surface. The distance is 0 for closed convex shapes that overlap and for meshes
// whose triangles intersect.
#pragma once

#include <optional>
#include <vector>

#include "tumble/collision/collider.h"
#include "tumble/collision/contact.h"
#include "tumble/collision/gjk.h"

namespace tumble::collision {

/// Front of a tree traversal: the pairs of nodes where the last search ended. They cover all pairs of
/// primitives. Each has a lower bound on its distance. Pairs that cannot have come near since then are
/// skipped.
struct Front {
  struct Entry {
    uint32_t a, b;  // nodes
    double bound;   // m: lower bound on the distance, plus the travel at that time
  };
  std::vector<Entry> entries;
  size_t max_entries = 0;  // with more entries the search restarts at the roots
  double travel = 0;       // m: upper bound on the path of any point of one shape relative to the other
  math::Mat3 R = math::Mat3::Identity();  // the last pose of b in the frame of a
  math::Vec3 p = math::Vec3::Zero();
  std::shared_ptr<const Polyhedron> shapes[2];  // the shapes of the nodes
};

/// Cache of a pair of shapes from the last query. After a small motion it saves most of the work. It changes
/// no contact of polyhedra. On curved surfaces it may change which of several equally deep points are
/// reported.
struct PairMemory {
  math::Vec3 normal = math::Vec3::Zero();                           // world, from b to a; zero: unknown
  uint32_t primitives[2] = {Polyhedron::kNone, Polyhedron::kNone};  // the nearest ones
  std::optional<FeatureKey> features = {};                          // features that separated convex shapes
  Front front;  // for two polyhedra that are not both convex
};

/// Distance, nearest points (world) and normal. The lower bound includes rounding.
Separation compute_distance(const Placed& a, const Placed& b, PairMemory& memory);
Separation compute_distance(const Placed& a, const Placed& b);

/// A primitive of a mesh and its separation from a solid, in the frame of the mesh, normal from the solid to
/// the mesh.
struct NearPrimitive {
  uint32_t primitive;
  Separation separation;
};
/// All primitives of a mesh within `reach` of a convex solid. Those that intersect it have no normal and are
/// left out. Used for cylinders and cones.
std::vector<NearPrimitive> find_near_primitives(const Placed& mesh, const Placed& solid, double reach);

/// The gap of two shapes along `normal` (unit, from b to a), minus rounding. It is a lower bound on their
/// distance.
double compute_gap_along(const Placed& a, const Placed& b, const math::Vec3& normal);

/// Nearest points of two points, segments or triangles (1 to 3 corners each). The distance is 0 if triangles
/// intersect.
Separation compute_primitive_distance(const math::Vec3* a, int a_count, const math::Vec3* b, int b_count);

/// True if products of four lengths of this size neither overflow nor underflow. Larger or smaller shapes
/// count as touching, have no contacts, and none of their motions is safe.
bool is_measurable(const Placed& a, const Placed& b);

/// Bound on the rounding error of a distance between them.
double compute_distance_rounding(const Placed& a, const Placed& b);

}  // namespace tumble::collision
