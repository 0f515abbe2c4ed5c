// Measures whether and how deep two shapes overlap. An independent verification: it shares no code with the
// narrow phase, so that it reveals faults there. Used by tests and by `tumble run --verify`.
//
// Depth, in metres, is 0 if the interiors have no common point; touching is 0. Otherwise it is
//   convex against convex, and anything against a half-space: the minimum translation that separates the two;
//   a ball or capsule against triangles: radius minus the distance of its core from the surface, which is
//     negative inside a solid;
//   everything else against triangles: the largest distance of a point of one, inside the other, from the
//     other's surface; if only an edge crosses an edge, the distance of the two edges.
// Closed meshes are solids, possibly with cavities. Open meshes are sheets without an inside, and depth is
// how far a body reaches through. See docs/computation.md.
#pragma once

#include <map>
#include <memory>

#include "tumble/collision/shape.h"
#include "tumble/math/quat.h"

namespace tumble::collision {

namespace checker {
class Triangles;
}

struct Overlap {
  double depth = 0;  // m
  /// m: smaller depths are reported as 0. Infinite if the depth is unknown (numbers that are not finite or
  /// too large, meshes without triangles).
  double resolution = 0;
  /// m: the minimum translation may be smaller by this. 0, to `resolution`, except for deep overlaps of round
  /// shapes that can separate equally well in a continuum of directions.
  double uncertainty = 0;
};

/// Caches each mesh with its prepared data for its own lifetime. Use one checker per thread.
class OverlapChecker {
 public:
  OverlapChecker();
  ~OverlapChecker();
  OverlapChecker(const OverlapChecker&) = delete;
  OverlapChecker& operator=(const OverlapChecker&) = delete;

  /// The depth of two half-spaces, which never move, is 0.
  Overlap measure(const Shape& a, const math::Pose& X_WA, const Shape& b, const math::Pose& X_WB);

 private:
  struct Prepared;
  const checker::Triangles* triangles_of(const Shape& shape);
  double measure_depth(const Shape& a, const math::Pose& X_WA, const Shape& b, const math::Pose& X_WB,
                       double& uncertainty);
  // The map is only used for lookup: its order, which depends on addresses, never affects a result.
  std::map<const geometry::TriangleMesh*, Prepared> prepared_;
};

/// Bounding box of a shape in its own frame. Infinite for a half-space.
geometry::Bounds compute_shape_box(const Shape& shape);
/// Bounding box, in world axes, of a box in a shape's frame.
geometry::Bounds compute_world_box(const geometry::Bounds& box_S, const math::Pose& X_WS);

}  // namespace tumble::collision
