// GJK: distance of two convex sets by their support mappings. [Gilbert, Johnson, Keerthi 1988] Let v = a - b
// be the shortest difference so far and w the support point of the difference in direction -v. Every
// difference d of the two sets obeys v.d >= v.w, so the distance lies between v.w / |v| and |v|. The lower
// bound is certain whatever rounding did to the search.
#pragma once

#include "tumble/math/types.h"

namespace tumble::collision {

class Polyhedron;

/// A finite set of points, or a cylinder or cone along Y of its frame, at the pose R, p.
struct ConvexSet {
  enum class Kind { points, cylinder, cone };
  Kind kind = Kind::points;
  const math::Vec3* points = nullptr;  // in the frame of R and p
  int count = 0;
  const Polyhedron* searched = nullptr;  // these are its vertices, so many that its tree is searched
  double radius = 0, half_length = 0;    // of a cylinder or cone
  math::Mat3 R = math::Mat3::Identity();
  math::Vec3 p = math::Vec3::Zero();

  /// Support mapping: the point farthest in direction d.
  math::Vec3 support(const math::Vec3& d) const;
  /// Support function: d.support(d).
  double reach(const math::Vec3& d) const { return d.dot(support(d)); }
};

struct Separation {
  double distance = 0;     // m, between the two points: an upper bound; 0 if the sets intersect
  double lower_bound = 0;  // m, certain
  /// Unit, from b to a. If they intersect, the direction of least overlap found.
  math::Vec3 normal = math::Vec3::UnitY();
  math::Vec3 on_a = math::Vec3::Zero(), on_b = math::Vec3::Zero();  // the two nearest points
  int iterations = 0;
};

/// `guess`: initial direction from b to a, of any length.
Separation compute_convex_distance(const ConvexSet& a, const ConvexSet& b, const math::Vec3& guess);

}  // namespace tumble::collision
