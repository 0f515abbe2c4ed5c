// Reduces contact candidates to corners: a patch is replaced by the vertices of its lower convex hull.
#pragma once

#include <vector>

#include "tumble/collision/contact.h"
#include "tumble/collision/parameters.h"

namespace tumble::collision {

struct Candidate {
  Contact contact;
  /// 0: vertex over face, crossing edges; 1: vertex over edge; 2: vertex over vertex; 3: nearest points of
  /// smooth shapes.
  int rank;
};

/// Spatial hash of points. Points are numbered in the order in which they were added.
class PointGrid {
 public:
  /// At most `most` points will be added. `reach` (above 1) extends search radii because of rounding.
  void clear(double cell, size_t most, double reach);
  void add(const math::Vec3& point);
  /// Calls visit(i) for all points i within `radius` (at most the cell size) and for some others. Stops and
  /// returns true if visit returns true.
  template <typename Visit>
  bool any_near(const math::Vec3& point, double radius, Visit&& visit) const;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  using Cell = Eigen::Matrix<int64_t, 3, 1>;
  Cell cell_of(const math::Vec3& point) const;
  size_t slot_of(const Cell& cell) const;

  double scale_ = 0, reach_ = 1;
  uint32_t count_ = 0;
  std::vector<uint32_t> first_, next_;  // linked lists by slot; without slots all points are visited
};

/// Reuses its memory between calls.
class PatchReducer {
 public:
  PatchReducer(const ManifoldParameters& manifold, const PatchParameters& patch);

  /// Appends the corners of all patches of the candidates. The first one is the deepest of all.
  void reduce(const std::vector<Candidate>& candidates, const ContactRange& range,
              std::vector<Contact>& corners);

 private:
  // A contact projected along the patch's normal.
  struct Spot {
    double s, t;
    const Contact* contact;
  };
  static double cross(const Spot& o, const Spot& a, const Spot& b) {
    return (a.s - o.s) * (b.t - o.t) - (a.t - o.t) * (b.s - o.s);
  }
  static bool is_deeper(const Spot& a, const Spot& b) {
    return a.contact->gap != b.contact->gap ? a.contact->gap < b.contact->gap
                                            : a.contact->key < b.contact->key;
  }
  // A candidate in the order of depth.
  struct Ranked {
    double level;
    int rank;
    FeatureKey key;
    const Candidate* candidate;
    bool operator<(const Ranked& other) const {
      if (level != other.level) return level < other.level;
      return rank != other.rank ? rank < other.rank : key < other.key;
    }
  };
  void sort_by_depth(const std::vector<Candidate>& candidates, double reach);
  bool is_duplicate(const Candidate& candidate, const ContactRange& range) const;
  uint32_t find_patch(const Contact& contact, double reach);
  void reduce_patch(const ContactRange& range, std::vector<Contact>& corners);
  template <typename Value, typename TieBreak>
  std::pair<Spot, double> find_extreme(size_t count, double width, Value&& value, TieBreak&& tie_break);
  void add_hull_between(const Spot& from, const Spot& to, size_t count, double width);
  void find_plane_hull(double width);
  // Three corners, or two of a straight patch, that a spot lies between. The patch has no spots below their
  // plane, as far as it is known.
  struct Base {
    uint32_t corners[3];
    int count = 0;   // 0: the spot lies outside of all corners
    double gap = 0;  // of the plane at the spot
  };
  Base find_base(const Spot& at, double flat) const;
  Base between(uint32_t i, uint32_t j, uint32_t k, const Spot& at, double flat, double& inside) const;
  Base between(uint32_t i, uint32_t j, const Spot& at) const;
  void lower_base(const Spot& at, double flat, Base& base) const;
  void add_bumps(double least, size_t most, double flat);
  void limit_corners(size_t most, bool keep_order);

  PatchParameters par_;
  double coincident_;                    // ManifoldParameters::coincident
  double corner_cosine_, patch_cosine_;  // of PatchParameters::corner_angle and angle
  std::vector<Ranked> ranked_;
  std::vector<const Contact*> distinct_, leaders_, patch_;  // leaders: the first contact of each patch
  std::vector<uint32_t> patch_of_;                          // of each distinct contact
  std::vector<uint32_t> begin_,
      members_;  // begin of each patch in members; members: indices of distinct contacts
  PointGrid point_grid_, normal_grid_;  // of distinct contacts, of leaders
  std::vector<Spot> spots_, hull_, chosen_;
  std::vector<double> values_, far_;
  std::vector<size_t> taken_;
  // A spot that may lie below the lower hull of the corners, and a bound on how deep.
  struct Bump {
    double depth;
    uint32_t spot;
    size_t corners;  // number of corners when the depth was computed
    bool operator<(const Bump& other) const {
      return depth != other.depth ? depth < other.depth : spot > other.spot;
    }
  };
  std::vector<Bump> bumps_;  // a heap
  std::vector<Base> bases_;  // by spot
  size_t polygon_ = 0;       // the first corners in hull_ are those of the plane hull, counter-clockwise
};

}  // namespace tumble::collision
