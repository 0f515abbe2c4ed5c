// How much of a law's force, stiffness k and damping d a kick between two steps takes. The kick at t_n leads
// from v-, over h-, to v, over h; with the middle time m = (h- + h)/2 a force F(x, v-) gives the impulse
//   m (F + theta_d d (v- - v)) - a (theta^2 h^2 k v - (1 - theta-)^2 h-^2 k v-),   a = m/(theta h + (1 - theta-) h-)       (1)
// Without a, and with m/a of F, this is the theta method for x' = v, v' = F(x), seen from the velocities x
// goes by: with theta from 1/2 to 1 a spring gains no energy however steps change. a has every law's force
// weighed by m, as gravity is: what is in balance stays there, at the start and wherever steps change. In
// steps of one length, and for theta = 1/2 always, a = 1. Each step has its own theta, from s = h w, w the
// law's own frequency: 1/2 + s/64, and at most 1; w is the present one for theta- as well. So (1) is of the
// second order up to s = 32, and of what is faster a step leaves 1/sqrt(1 + s^2). Where a step ends in a hit,
// h = 0 and v is the velocity there: for stiff laws that would be the difference of large numbers, and they
// are taken with theta = 1 and h- as h. That of damping follows from z = m d j, j the mobility along the law:
// (1 + theta_d z) v = (1 - (1 - theta_d) z) v- is to be e^-z v-, with
//   e^-z = 1/(1 + z + z^2/2 + z^3/6):   1 - theta_d = (3 + z)/(6 + 3 z + z^2)                                    (2)
// which is 1/2 - z/12 where z is small, so that the step is of the second order, and leaves v on the side of
// v- however large it is.
#pragma once

#include <algorithm>

#include "tumble/dynamics/kick_parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

struct LawWeights {
  double kick = 0;    // s, of F
  double stiff = 0;   // s^2, of -k v
  double past = 0;    // s^2, of k v-
  double damped = 0;  // s, of d (v- - v)
  bool soft = true;   // w times the longer step is at most ThetaParameters::soft_step

  /// `square` is w^2 and `rate` is d j (1/s); with `at_end` theta and theta- are 1 whatever w is.
  static LawWeights of(double square, double rate, double h_before, double h, const ThetaParameters& par,
                       bool at_end = false) {
    LawWeights weights;
    const double w = math::sqrt(square);
    weights.kick = 0.5 * (h_before + h);
    weights.soft = !(w * std::max(h_before, h) > par.soft_step);
    double later = std::min(1.0, 0.5 + par.rise * w * h) * h,
           earlier = std::max(0.0, 0.5 - par.rise * w * h_before) * h_before;
    if (at_end) later = h, earlier = 0;
    if (h == 0 && !weights.soft) later = h_before, earlier = 0;
    const double scale = later + earlier > 0 ? weights.kick / (later + earlier) : 1;
    weights.stiff = scale * later * later;
    weights.past = scale * earlier * earlier;
    const double z = rate * weights.kick;
    const double rest = z > par.heavy_damping ? 0 : (3 + z) / (6 + z * (3 + z));
    weights.damped = weights.kick * (1 - rest);
    return weights;
  }
  /// Of v, and of v- beside F.
  double now(double stiffness, double damping) const { return damped * damping + stiff * stiffness; }
  double before(double stiffness, double damping) const { return damped * damping + past * stiffness; }
};

}  // namespace tumble::dynamics
