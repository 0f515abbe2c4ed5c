// Weights of a law's force F, stiffness k and damping d in a kick. The kick at t_n leads from v-, over h-, to
// v, over h. With m = (h- + h)/2 a force F(x, v-) exerts the impulse
//   m (F + theta_d d (v- - v)) - a (theta^2 h^2 k v - (1 - theta-)^2 h-^2 k v-),
//   a = m/(theta h + (1 - theta-) h-)                                                                     (1)
// Without a, and with m/a as weight of F, this is the theta method for x' = v, v' = F(x), written in the
// velocities of the drifts. With theta from 1/2 to 1 a spring gains no energy, however step lengths change.
// The factor a gives the force of every law the weight m, as gravity has: an equilibrium stays one, at the
// start and where step lengths change. For steps of constant length, and always for theta = 1/2, a = 1. Each
// step has its own theta = min(1, 1/2 + s/64) with s = h w, where w is the law's own frequency; theta- uses
// the present w. So (1) is of second order up to s = 32. Of faster motion a step leaves 1/sqrt(1 + s^2). If a
// step ends in an impact, h = 0 and v is the velocity there. For stiff laws (1) would then be the difference
// of large numbers, so they use theta = 1 and h- as h. theta_d follows from z = m d j, where j is the
// mobility along the law: (1 + theta_d z) v = (1 - (1 - theta_d) z) v- shall approximate e^-z v-, with
//   e^-z = 1/(1 + z + z^2/2 + z^3/6):   1 - theta_d = (3 + z)/(6 + 3 z + z^2)                             (2)
// For small z this is 1/2 - z/12, so that the step is of second order. v keeps the sign of v- for any z.
#pragma once

#include <algorithm>

#include "tumble/dynamics/kick_parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

struct LawWeights {
  double kick = 0;    // s, weight of F
  double stiff = 0;   // s^2, weight of -k v
  double past = 0;    // s^2, weight of k v-
  double damped = 0;  // s, weight of d (v- - v)
  bool soft = true;   // w times the longer step is at most ThetaParameters::soft_step

  /// `square` is w^2 and `rate` is d j (1/s); with `at_end` theta and theta- are 1 at any frequency.
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
  /// Coefficients of -v, and of v- beside F.
  double now(double stiffness, double damping) const { return damped * damping + stiff * stiffness; }
  double before(double stiffness, double damping) const { return damped * damping + past * stiffness; }
};

}  // namespace tumble::dynamics
