// From candidates to corners: what lies in one patch is replaced by the vertices of its lower convex hull.
#pragma once

#include <vector>

#include "tumble/collision/contact.h"

namespace tumble::collision {

struct Candidate {
  Contact contact;
  int rank;  // 0: vertex over face, crossing edges; 1: vertex over edge; 2: vertex over vertex; 3: nearest points of smooth shapes
};

/// Keeps its memory between calls.
class PatchReducer {
 public:
  /// Appends the corners of all patches of the candidates, which it orders. The first one is the deepest of all.
  void reduce(std::vector<Candidate>& candidates, const Shell& shell, std::vector<Contact>& corners);

 private:
  // A contact seen along the patch's normal.
  struct Spot {
    double s, t;
    const Contact* contact;
  };
  static double turn(const Spot& o, const Spot& a, const Spot& b) {
    return (a.s - o.s) * (b.t - o.t) - (a.t - o.t) * (b.s - o.s);
  }
  void reduce_patch(const Shell& shell, std::vector<Contact>& corners);
  void find_plane_hull(double width);
  double lower_hull_at(const Spot& at, double flat) const;
  void thin_out(size_t most);

  std::vector<const Contact*> distinct_, patch_;
  std::vector<int> patch_of_;  // of each of the distinct
  std::vector<Spot> spots_, kept_, chosen_;
  std::vector<double> far_;
};

}  // namespace tumble::collision
