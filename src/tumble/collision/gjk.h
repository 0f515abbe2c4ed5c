// Distance of two convex sets by the points they reach farthest. [Gilbert, Johnson, Keerthi 1988]
// With v = a - b the shortest difference known so far and w the difference reached in direction -v, every difference
// d of the two sets obeys v.d >= v.w, so the distance lies between v.w / |v| and |v|: the lower bound is certain,
// whatever rounding did to the search.
#pragma once

#include "tumble/math/types.h"

namespace tumble::collision {

/// Points given one by one, or a cylinder or cone along Y of its frame; in the world by R and p.
struct ConvexSet {
  enum class Kind { points, cylinder, cone };
  Kind kind = Kind::points;
  const math::Vec3* points = nullptr;  // in the frame of R and p
  int count = 0;
  double radius = 0, half_length = 0;  // of a cylinder or cone
  math::Mat3 R = math::Mat3::Identity();
  math::Vec3 p = math::Vec3::Zero();

  /// The point reached farthest in direction d.
  math::Vec3 support(const math::Vec3& d) const;
  /// d.support(d).
  double reach(const math::Vec3& d) const { return d.dot(support(d)); }
};

struct Separation {
  double distance = 0;     // m, between the two points: an upper bound; 0 where the sets meet
  double lower_bound = 0;  // m, certain
  math::Vec3 normal =
      math::Vec3::UnitY();  // unit, from b to a; where they meet, across the least overlap seen
  math::Vec3 on_a = math::Vec3::Zero(), on_b = math::Vec3::Zero();  // the two nearest points
  int iterations = 0;
};

/// `guess`: a direction from b to a to begin with; need not be unit.
Separation compute_convex_distance(const ConvexSet& a, const ConvexSet& b, const math::Vec3& guess);

}  // namespace tumble::collision
