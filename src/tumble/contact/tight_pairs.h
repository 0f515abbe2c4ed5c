// Pairs of bodies that have no room for the usual contact offset: a box between two walls that it touches
// both, a wheel on an axle that touches the floor. Found at the start of a run, constant after that.
#pragma once

#include <vector>

#include "tumble/model/model.h"

namespace tumble::contact {

/// Two bodies with a contact offset of their own.
struct TightPair {
  core::BodyId a, b;  // a < b
  double offset = 0;  // m, below the usual contact offset: the gap they had room for at the start
  /// There is no room at all. Rounding needs some: for collision detection their shapes are smaller by
  /// TightPairs::shrinkage, and the offset is what that leaves.
  bool no_room = false;
};

struct TightPairs {
  std::vector<TightPair> pairs;   // sorted by a, then b
  std::vector<double> shrinkage;  // m, by body: how far its surface lies inside the true one; empty: nowhere

  bool empty() const { return pairs.empty(); }
  const TightPair* find(core::BodyId a, core::BodyId b) const;
  /// Is the body in a pair without any room?
  bool has_no_room(core::BodyId body) const { return shrinkage_of(body) > 0; }
  double shrinkage_of(core::BodyId body) const { return shrinkage.empty() ? 0 : shrinkage[body.index()]; }
};

/// Contact offset (m): the gap that two bodies keep while they touch. It is a hundredth of the accuracy times
/// l, the radius of the smaller moving body, but well above the rounding of coordinates as large as `extent`
/// (m). A tight pair has its own.
double compute_contact_offset(const model::Model& model, core::BodyId a, core::BodyId b, double accuracy,
                              double extent, const TightPairs& tight = {});
/// The length l above (m).
double compute_pair_size(const model::Model& model, core::BodyId a, core::BodyId b);

}  // namespace tumble::contact
