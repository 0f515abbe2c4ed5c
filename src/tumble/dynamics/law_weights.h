// How much of a law's force, stiffness k and damping d a kick between two steps takes. The kick at t_n leads from v-, over h-, to v, over h; with
// the middle time m = (h- + h)/2 and g the longer of the two steps, a force F(x, v-) gives the impulse
//   m (F + theta_d d (v- - v) - theta^2 g k v + (1 - theta)^2 h- k v-)                                            (1)
// Every law has its force weighed by m, as gravity is: what is in balance stays there, at the start and wherever steps change. In steps of one
// length (1) is the theta method. Its theta follows from s = g w, w the law's own frequency: 1/2 + s/32 up to s = 0.3, beyond it 1. That of
// damping follows from z = m d j, j the mobility along the law: (1 + theta_d z) v = (1 - (1 - theta_d) z) v- is to be e^-z v-, with
//   e^-z = 1/(1 + z + z^2/2 + z^3/6):   1 - theta_d = (3 + z)/(6 + 3 z + z^2)                                    (2)
// which is 1/2 - z/12 where z is small, so that the step is of the second order, and leaves v on the side of v- however large it is.
#pragma once

#include <algorithm>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

struct LawWeights {
  double kick = 0;    // s, of F
  double stiff = 0;   // s^2, of -k v
  double past = 0;    // s^2, of k v-
  double damped = 0;  // s, of d (v- - v)
  bool soft = true;   // theta < 1

  /// `square` is w^2 and `rate` is d j (1/s).
  static LawWeights of(double square, double rate, double h_before, double h) {
    LawWeights weights;
    const double longer = std::max(h_before, h);
    weights.kick = 0.5 * (h_before + h);
    square *= longer * longer, rate *= weights.kick;
    weights.soft = !(square > kStiffStep * kStiffStep);
    const double theta = weights.soft ? 0.5 + kSoftLoss * math::sqrt(square) : 1;
    weights.stiff = weights.kick * theta * theta * longer;
    weights.past = weights.kick * (1 - theta) * (1 - theta) * h_before;
    const double rest = rate > kHeavyDamping ? 0 : (3 + rate) / (6 + rate * (3 + rate));
    weights.damped = weights.kick * (1 - rest);
    return weights;
  }
  /// Of v, and of v- beside F.
  double now(double stiffness, double damping) const { return damped * damping + stiff * stiffness; }
  double before(double stiffness, double damping) const { return damped * damping + past * stiffness; }
};

}  // namespace tumble::dynamics
