// Do two shapes overlap, and how deep? An independent witness: nothing of it is shared with the narrow phase that
// keeps bodies apart, so that a fault there is seen here. Used by tests and by `tumble run --verify`.
//
// Depth, in metres, is 0 when the interiors have no point in common; touching is 0. Else it is
//   convex against convex, and anything against a half-space: the least translation that separates the two;
//   a ball or capsule against triangles: radius less the distance of its core from the surface, counted negative
//     inside a solid;
//   everything else against triangles: the largest distance of a point of one, inside the other, from the other's
//     surface; where nothing but an edge crosses an edge, the distance of the two edges.
// Closed meshes are solids, with what cavities they have; open ones are sheets without an inside, and depth is how
// far a body reaches through. docs/computation.md says more.
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
  /// m: a smaller depth would be given as 0. Infinite when nothing could be found out (numbers that are not finite or
  /// too large, meshes without triangles).
  double resolution = 0;
  /// m: the least translation may be smaller by this. 0, to `resolution`, but for deep overlaps of round shapes that
  /// could leave each other equally well in a continuum of directions.
  double uncertainty = 0;
};

/// Keeps each mesh, and what it prepared of it, for the next question, as long as it lives. One for each thread.
class OverlapChecker {
 public:
  OverlapChecker();
  ~OverlapChecker();
  OverlapChecker(const OverlapChecker&) = delete;
  OverlapChecker& operator=(const OverlapChecker&) = delete;

  /// Two half-spaces, which never move, do not overlap.
  Overlap measure(const Shape& a, const math::Pose& X_WA, const Shape& b, const math::Pose& X_WB);

 private:
  struct Prepared;
  const checker::Triangles* triangles_of(const Shape& shape);
  double measure_depth(const Shape& a, const math::Pose& X_WA, const Shape& b, const math::Pose& X_WB,
                       double& uncertainty);
  // By mesh, for looking up only: their order, that of addresses, never decides anything.
  std::map<const geometry::TriangleMesh*, Prepared> prepared_;
};

/// The box round a shape in its own frame; infinite for a half-space.
geometry::Bounds compute_shape_box(const Shape& shape);
/// The box, in world axes, round a box given in a shape's frame.
geometry::Bounds compute_world_box(const geometry::Bounds& box_S, const math::Pose& X_WS);

}  // namespace tumble::collision
