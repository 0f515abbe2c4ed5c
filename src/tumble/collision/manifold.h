// Where two shapes touch, or nearly: the corners of every patch at which they are nearest.
//
// Two polyhedra that touch without crossing do so in points, segments and plane polygons. Every corner of these is a vertex
// of one over a face of the other, or a crossing of two edges (or, at outer edges and corners, a vertex over an edge or another
// vertex). A pair of features is a candidate if it is locally nearest, up to a slope, and its gap lies within
// the shell. Candidates with the same normal in one plane are a patch. Over a patch the speed of approach of two rigid bodies is an affine
// function of place, so it suffices to hold the vertices of the lower convex hull of (place, gap); the rest adds
// nothing but redundancy. Corners are the same however a face is cut into triangles.
#pragma once

#include "tumble/collision/distance.h"
#include "tumble/collision/parameters.h"
#include "tumble/collision/patch.h"

namespace tumble::collision {

class FeatureScan;

/// Builds manifolds one after the other; keeps its memory between them. One for each thread.
class ManifoldBuilder {
 public:
  explicit ManifoldBuilder(const CollisionParameters& parameters = {})
      : par_(parameters), reducer_(parameters.manifold, parameters.patch) {}

  /// Appends the contacts of a and b, patch by patch.
  void build(const Placed& a, const Placed& b, const Shell& shell, PairMemory& memory,
             std::vector<Contact>& contacts);

  /// How often features known from the last time told convex shapes apart, and how often shapes had to be searched.
  struct Counters {
    uint64_t known = 0, searched = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  // Features of a convex polyhedron near the other. All places in the frame of a, but for `seen`.
  struct Near {
    struct Corner {
      uint32_t vertex;
      math::Vec3 at, seen;  // seen in the frame of the other
    };
    struct Line {
      uint32_t edge;
      math::Vec3 from, to;
      math::Vec3 aside;  // unit and across the line, or zero: how far to the side of it something lies
    };
    std::vector<Corner> corners;
    std::vector<Line> lines;
    std::vector<const Polyhedron::Face*> faces;
    std::vector<double> heights;                // of all vertices
    std::vector<const Polyhedron::Face*> over;  // for every vertex, a face of the other it lies over

    double measure(const Polyhedron& shape, const math::Vec3& down);
    void gather(const FeatureScan& scan, bool is_a, const math::Vec3& down, double most);
    // Both ends of the edge over one face.
    bool is_within(const Polyhedron& shape, const Polyhedron& other, uint32_t edge) const;
  };
  bool scan_by_features(const Placed& a, const Placed& b, const Shell& shell, const PairMemory& memory,
                        bool& apart);
  double scan_convex(FeatureScan& scan, const math::Vec3& n, double slack);
  void scan_trees(FeatureScan& scan);
  void scan_round(const Placed& a, const Placed& b, const Shell& shell);
  void finish(const Placed& a, const Shell& shell, PairMemory& memory, size_t first,
              std::vector<Contact>& contacts);

  CollisionParameters par_;
  Near near_[2];
  std::vector<Candidate> candidates_;  // in the frame of a
  std::vector<geometry::Bvh::NodePair> open_;
  std::vector<math::Vec3> directions_;  // from b to a, in the frame of a: in which something round is near
  PatchReducer reducer_;
  Counters counters_;
};

}  // namespace tumble::collision
