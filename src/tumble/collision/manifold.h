// Where two shapes touch, or nearly: the corners of every patch at which they are nearest.
//
// Two polyhedra that touch without crossing do so in points, segments and plane polygons. Every corner of these is a vertex
// of one over a face of the other, or a crossing of two edges (or, at outer edges and corners, a vertex over an edge or another
// vertex). A pair of features is a candidate if it is locally nearest, up to a slope kSlope, and its gap lies within the
// shell. Candidates with the same normal in one plane are a patch. Over a patch the speed of approach of two rigid bodies is an affine
// function of place, so it suffices to hold the vertices of the lower convex hull of (place, gap); the rest adds
// nothing but redundancy. Corners are the same however a face is cut into triangles.
#pragma once

#include "tumble/collision/distance.h"
#include "tumble/collision/patch.h"

namespace tumble::collision {

class FeatureScan;

/// Builds manifolds one after the other; keeps its memory between them. One for each thread.
class ManifoldBuilder {
 public:
  /// Appends the contacts of a and b, patch by patch.
  void build(const Placed& a, const Placed& b, const Shell& shell, PairMemory& memory,
             std::vector<Contact>& contacts);

  /// How often a face known from the last time told convex shapes apart, and how often they had to be searched.
  struct Counters {
    uint64_t by_face = 0, searched = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  // Features of a convex polyhedron near the other.
  struct Near {
    std::vector<uint32_t> vertices, edges, faces;
    std::vector<uint32_t> over;   // for every vertex, a face of the other it lies over
    std::vector<double> heights;  // of all vertices
    std::vector<math::Vec3> places,
        ends;  // of the vertices, and of both ends of the edges, in the frame of the other
  };
  bool scan_by_face(const Placed& a, const Placed& b, const Shell& shell, PairMemory& memory, bool& apart);
  double scan_convex(FeatureScan& scan, const math::Vec3& n, double slack);
  void scan_trees(FeatureScan& scan);
  void finish(const Placed& a, const Shell& shell, PairMemory& memory, size_t first,
              std::vector<Contact>& contacts);

  Near near_[2];
  std::vector<Candidate> candidates_;  // in the frame of a
  std::vector<geometry::Bvh::NodePair> open_;
  PatchReducer reducer_;
  Counters counters_;
};

}  // namespace tumble::collision
