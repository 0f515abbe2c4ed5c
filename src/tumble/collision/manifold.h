// Contact manifolds: the corners of every patch where two shapes touch or nearly touch.
//
// Two polyhedra that touch without crossing do so in points, segments and plane polygons. Every corner of
// these is a vertex of one over a face of the other, or a crossing of two edges (or, at outer edges and
// corners, a vertex over an edge or another vertex). A pair of features is a candidate if it is locally
// nearest, up to a slope, and its gap lies within the contact range. Candidates with the same normal in one
// plane form a patch. Over a patch the approach speed of two rigid bodies is an affine function of position.
// So it suffices to keep the vertices of the lower convex hull of (position, gap). All other candidates are
// redundant. The corners do not depend on the triangulation of a face.
#pragma once

#include "tumble/collision/distance.h"
#include "tumble/collision/parameters.h"
#include "tumble/collision/patch.h"

namespace tumble::collision {

class FeatureScan;

/// Builds contact manifolds. Reuses its memory between calls. Use one builder per thread.
class ManifoldBuilder {
 public:
  explicit ManifoldBuilder(const CollisionParameters& parameters = {})
      : par_(parameters), reducer_(parameters.manifold, parameters.patch) {}

  /// Appends the contacts of a and b, patch by patch.
  void build(const Placed& a, const Placed& b, const ContactRange& range, PairMemory& memory,
             std::vector<Contact>& contacts);

  /// How often cached features separated convex shapes, and how often a full search was needed.
  struct Counters {
    uint64_t known = 0, searched = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  // Features of a convex polyhedron near the other one, in the frame of a except for `seen`.
  struct NearFeatures {
    struct Corner {
      uint32_t vertex;
      math::Vec3 at, seen;  // seen: in the frame of the other
    };
    struct Line {
      uint32_t edge;
      math::Vec3 from, to;
      math::Vec3 side_direction;  // unit, perpendicular to the line; or zero
    };
    std::vector<Corner> corners;
    std::vector<Line> lines;
    std::vector<const Polyhedron::Face*> faces;
    std::vector<double> heights;                     // of all vertices
    std::vector<const Polyhedron::Face*> face_over;  // by vertex: a face of the other shape that it lies over

    double compute_heights(const Polyhedron& shape, const math::Vec3& down);
    void collect(const FeatureScan& scan, bool is_a, const math::Vec3& down, double most);
    // Are both ends of the edge over one face?
    bool is_within(const Polyhedron& shape, const Polyhedron& other, uint32_t edge) const;
  };
  bool scan_by_features(const Placed& a, const Placed& b, const ContactRange& range, const PairMemory& memory,
                        bool& apart);
  double scan_convex(FeatureScan& scan, const math::Vec3& n, double slack);
  void scan_trees(FeatureScan& scan);
  bool scan_fine_surfaces(const Polyhedron& a, const Polyhedron& b, const math::Mat3& R, const math::Vec3& p,
                          const ContactRange& range);
  void scan_round(const Placed& a, const Placed& b, const ContactRange& range);
  void finish(const Placed& a, const ContactRange& range, PairMemory& memory, size_t first,
              std::vector<Contact>& contacts);

  CollisionParameters par_;
  NearFeatures features_[2];
  std::vector<Candidate> candidates_;  // in the frame of a
  std::vector<geometry::Bvh::NodePair> open_;
  // From b to a, in the frame of a: directions in which primitives are near a round shape.
  std::vector<math::Vec3> directions_;
  PatchReducer reducer_;
  Counters counters_;
};

}  // namespace tumble::collision
