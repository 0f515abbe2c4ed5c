// From candidates to corners: what lies in one patch is replaced by the vertices of its lower convex hull.
#pragma once

#include <vector>

#include "tumble/collision/contact.h"
#include "tumble/collision/parameters.h"

namespace tumble::collision {

struct Candidate {
  Contact contact;
  int rank;  // 0: vertex over face, crossing edges; 1: vertex over edge; 2: vertex over vertex; 3: nearest points of smooth shapes
};

/// Numbers at places, found again by place.
class PlaceIndex {
 public:
  /// Places are `most` at most. Searches look `reach` (above 1) times as far as asked: rounding.
  void clear(double cell, size_t most, double reach);
  void add(const math::Vec3& place);
  /// visit(i) for the i-th place added, for all within `radius` (no more than the cell) and some others; true if it
  /// was true for one, which ends it.
  template <typename Visit>
  bool any_near(const math::Vec3& place, double radius, Visit&& visit) const;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  using Cell = Eigen::Matrix<int64_t, 3, 1>;
  Cell cell_of(const math::Vec3& place) const;
  size_t slot_of(const Cell& cell) const;

  double scale_ = 0, reach_ = 1;
  uint32_t count_ = 0;
  std::vector<uint32_t> first_, next_;  // lists by slot; without slots, all are looked at
};

/// Keeps its memory between calls.
class PatchReducer {
 public:
  PatchReducer(const ManifoldParameters& manifold, const PatchParameters& patch);

  /// Appends the corners of all patches of the candidates. The first one is the deepest of all.
  void reduce(const std::vector<Candidate>& candidates, const Shell& shell, std::vector<Contact>& corners);

 private:
  // A contact seen along the patch's normal.
  struct Spot {
    double s, t;
    const Contact* contact;
  };
  static double turn(const Spot& o, const Spot& a, const Spot& b) {
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
  void rank(const std::vector<Candidate>& candidates, double reach);
  bool is_known(const Candidate& candidate, const Shell& shell) const;
  uint32_t find_patch(const Contact& contact, double reach);
  void reduce_patch(const Shell& shell, std::vector<Contact>& corners);
  template <typename Value, typename Then>
  std::pair<Spot, double> find_extreme(size_t count, double width, Value&& value, Then&& then);
  void add_hull_between(const Spot& from, const Spot& to, size_t count, double width);
  void find_plane_hull(double width);
  double lower_hull_at(const Spot& at, double flat) const;
  void thin_out(size_t most);

  PatchParameters par_;
  double coincident_;                    // ManifoldParameters::coincident
  double corner_cosine_, patch_cosine_;  // of PatchParameters::corner_angle and angle
  std::vector<Ranked> ranked_;
  std::vector<const Contact*> distinct_, heads_, patch_;  // heads: the first of each patch
  std::vector<uint32_t> patch_of_;                        // of each of the distinct
  std::vector<uint32_t> begin_, members_;  // of each patch, among the members: numbers of the distinct
  PlaceIndex places_, normals_;            // of the distinct, of the heads
  std::vector<Spot> spots_, kept_, chosen_;
  std::vector<double> values_, far_;
};

}  // namespace tumble::collision
