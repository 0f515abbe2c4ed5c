// Do two moving shapes keep their distance over a whole step?
//
// A body moves as x(t) = x0 + t v, R(t) = exp(t [w]) R0 about its centre of mass. Two convex sets are told apart at one time by a
// direction n and a plane; carry the plane with one body, n(t) = exp(t [w_c]) n, through the body's point x(t). A point p(t) of the other
// is above it by
//   f(t) = n(t).(p(t) - x(t)) >= f0 + f1 t + f2 t^2/2 + f3 t^3/6 - M t^4/24                                     (1)
// with M a bound of the fourth derivative, which rigid motion gives in closed form. Where the least of all vertices stays above what
// is to be kept, so does the distance; how long that is follows from the Bernstein coefficients of (1), and from there the
// two are looked at again. A body that rocks, rolls or topples rests on a point that hardly moves: the expansion sees that, while
// a bound by speeds (conservative advancement) creeps along in hundreds of steps; it serves for whole boxes of
// triangles that are far apart. [Mirtich 1996 for the latter]
// Between two edges that cross the normal turns with both, n(t) = a(t) x b(t); over smooth solids (1) is joined by a concave function of the
// direction, bounded by its values at the control points of n(t).
#pragma once

#include "tumble/collision/manifold.h"

namespace tumble::collision {

/// How a body moves over a step: world axes, center and velocity of its centre of mass.
struct Motion {
  math::Vec3 center = math::Vec3::Zero();            // m, at the start
  math::Vec3 velocity = math::Vec3::Zero();          // m/s
  math::Vec3 angular_velocity = math::Vec3::Zero();  // rad/s
  double deviation = 0;                              // m: no point of the body leaves this motion by more
};

/// Where it stands after a time.
Placed place_at(const Placed& start, const Motion& motion, double t);

struct Verdict {
  bool safe = true;
  double time =
      0;  // s: up to here they are certainly farther apart than what is kept; the step's length if safe
  Contact approach{};   // where they come too near, at that time; world
  int evaluations = 0;  // distances computed for the pair of primitives that took most of them
};

/// Are two shapes farther apart than `kept` (m) at all times from 0 to h (s)?
Verdict certify(const Placed& a, const Motion& motion_a, const Placed& b, const Motion& motion_b, double h,
                double kept, PairMemory& memory, const CertificateParameters& parameters = {});

}  // namespace tumble::collision
