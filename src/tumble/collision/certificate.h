// Certificate that two moving shapes keep a minimum distance over a whole step.
//
// A body moves as x(t) = x0 + t v, R(t) = exp(t [w]) R0 about its centre of mass. At one time a plane with
// normal n separates two convex sets. Let one body, the carrier, carry the plane: n(t) = exp(t [w_c]) n,
// through the body's point x(t). The height of a point p(t) of the other body above the plane is
//   f(t) = n(t).(p(t) - x(t)) >= f0 + f1 t + f2 t^2/2 + f3 t^3/6 - M t^4/24                               (1)
// where M is a bound on the fourth derivative, which rigid motion gives in closed form. While the lowest
// vertex stays above the clearance, so does the distance. The Bernstein coefficients of (1) give the time for
// which this holds. At the end of that time the distance is computed again, and a new plane is chosen. A body
// that rocks, rolls or topples rests on a point that hardly moves. Expansion (1) sees that, while a bound by
// speeds (conservative advancement [Mirtich 1996]) would take hundreds of steps. Bounds by speeds are used
// for boxes of triangles that are far apart. Between two crossing edges the normal rotates with both, n(t) =
// a(t) x b(t). For smooth solids, (1) has an additional term: a concave function of the direction, bounded by
// its values at the control points of n(t).
#pragma once

#include "tumble/collision/manifold.h"

namespace tumble::collision {

/// The motion of a body over a step, in world axes.
struct Motion {
  math::Vec3 center = math::Vec3::Zero();            // m, centre of mass at the start
  math::Vec3 velocity = math::Vec3::Zero();          // m/s
  math::Vec3 angular_velocity = math::Vec3::Zero();  // rad/s
  double deviation = 0;  // m: bound on the deviation of any point of the body from this motion
};

/// The shape at its pose after time t.
Placed placed_after(const Placed& start, const Motion& motion, double t);

/// Result of a certificate.
struct Verdict {
  bool safe = true;
  /// s. Up to this time the distance certainly exceeds the clearance. The length of the step if safe.
  double time = 0;
  Contact approach{};   // the contact where the shapes come too near, at that time; world
  int evaluations = 0;  // distances computed for the pair of primitives that needed most of them
};

/// Are two shapes farther apart than `clearance` (m) at all times from 0 to h (s)?
Verdict certify(const Placed& a, const Motion& motion_a, const Placed& b, const Motion& motion_b, double h,
                double clearance, PairMemory& memory, const CertificateParameters& parameters = {});

}  // namespace tumble::collision
