// Weights of a law's force F, stiffness k and damping d in a kick. The kick at t_n leads from v-, over h-, to
// v, over h. In every drift a law acts with one force f, half of whose impulse h f is exerted by the kick at
// either end of the drift. For a law along one coordinate q, with Q its effort at rest,
//   f = (Q(q_n) + Q(q_n+1))/2 - 2 e k (q_n+1 - q_n),   0 <= e <= 1/4                                      (1)
// For a linear law this is the midpoint rule with a damper of its own. Written in the velocities of drifts
// the impulse of the kick is
//   (h- + h)/2 F - (1/4 + e) h^2 k v + (1/4 - e-) h-^2 k v-                                               (2)
// where e- is that of the drift before. A linear law never gains energy, however step lengths change: in a
// drift it loses 2 e k (q_n+1 - q_n)^2. An equilibrium stays one: F has the weight that gravity has. e
// depends on s = h w, with w the frequency of the law alone:
//   e = min(1/4, c s^4/(40 + s^4)),   c = h/T for a whole step                                            (3)
// A mode loses 4 pi e s of its energy in a period: hardly anything if a step resolves it. Of an unresolved
// mode each step takes about 8 e. From s = 30 on (2) would let velocities at t_n ring. Such a law is
// integrated by the backward Euler method, with the impulse (h- + h)/2 Q(q_n+1). If a step ends in an impact,
// h = 0 and v is the velocity there.
//
// The damping exerts -m d ((1 - theta_d) v- + theta_d v) with m = (h- + h)/2. theta_d follows from z = m d j,
// where j is the mobility along the law: (1 + theta_d z) v = (1 - (1 - theta_d) z) v- shall approximate
// e^-z v-, with
//   e^-z = 1/(1 + z + z^2/2 + z^3/6):   1 - theta_d = (3 + z)/(6 + 3 z + z^2)                             (4)
// For small z this is 1/2 - z/12, so that the step is of second order. v keeps the sign of v- for any z.
#pragma once

#include <algorithm>

#include "tumble/dynamics/kick_parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

/// What the next kick needs of a law: its values at t_n, and e of the drift from there.
struct LawHistory {
  double effort = 0;      // N or N m: Q
  double coordinate = 0;  // m or rad: q
  double stiffness = 0;   // N/m or N m/rad: k
  double epsilon = 0;     // e
  double across = 0;      // e of the rows across the coordinate
};

template <class Archive>
void archive(Archive& ar, LawHistory& h) {
  ar(h.effort, h.coordinate, h.stiffness, h.epsilon, h.across);
}

/// What the weights of a law depend on.
struct LawScale {
  double square = 0;  // 1/s^2: w^2
  double rate = 0;    // 1/s: d j
};

struct LawWeights {
  double before = 0, after = 0;  // s, weights of F: h-/2 and h/2
  double stiff = 0;              // s^2, weight of -k v
  double past = 0;               // s^2, weight of k v-
  double damped = 0;             // s, weight of d (v- - v)
  double epsilon = 0;            // e
  bool backward = false;         // backward Euler
  bool soft = true;              // w times the longer step is at most LawParameters::soft_step

  /// Weight of F.
  double kick() const { return before + after; }
  /// `backward`: at any frequency.
  static LawWeights of(const LawScale& scale, double h_before, double h, double epsilon_before,
                       const LawParameters& par, bool backward = false) {
    LawWeights weights;
    const double w = math::sqrt(scale.square), s = w * (h > 0 ? h : h_before);
    weights.before = 0.5 * h_before, weights.after = 0.5 * h;
    weights.soft = !(w * std::max(h_before, h) > par.soft_step);
    weights.backward = backward || s > par.stiff_step;
    if (weights.backward) {
      weights.stiff = weights.kick() * (h > 0 ? h : h_before);
      weights.epsilon = 0.25;
    } else {
      const double fourth = scale.square * h * h * scale.square * h * h;
      weights.epsilon = std::min(0.25, par.damping * par.step_share * fourth / (par.half_damped + fourth));
      weights.stiff = (0.25 + weights.epsilon) * h * h;
      weights.past = (0.25 - epsilon_before) * h_before * h_before;
    }
    const double z = scale.rate * weights.kick();
    const double rest = z > par.heavy_damping ? 0 : (3 + z) / (6 + z * (3 + z));
    weights.damped = weights.kick() * (1 - rest);
    return weights;
  }
  /// Coefficients of -v, and of v- beside F.
  double now(double stiffness, double damping) const { return damped * damping + stiff * stiffness; }
  double of_past(double stiffness, double damping) const { return damped * damping + past * stiffness; }
};

}  // namespace tumble::dynamics
