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
// mode each step takes about 8 e. Its velocity at t_n would change sign in every step and hardly decrease,
// the less the larger s is. Therefore, from s = 30 on, the kick that ends a drift first damps the relative
// velocity V of the law's two bodies at t_n, under all joints (KickProblem::damp_ringing):
//   impulse -b V,   b = (s/30)^4/j,   j the mobility along the law                                        (4)
// Such an impulse never adds energy, whatever other laws and steps do. A law with d j > w does not ring. From
// s = 30 on it is integrated by the backward Euler method instead, with the impulse (h- + h)/2 Q(q_n+1). If a
// step ends in an impact, h = 0 and v is the velocity there.
//
// The damping exerts -m d ((1 - theta_d) v- + theta_d v) with m = (h- + h)/2. theta_d follows from z = m d j,
// where j is the mobility along the law: (1 + theta_d z) v = (1 - (1 - theta_d) z) v- shall approximate
// e^-z v-, with
//   e^-z = 1/(1 + z + z^2/2 + z^3/6):   1 - theta_d = (3 + z)/(6 + 3 z + z^2)                             (5)
// For small z this is 1/2 - z/12, so that the step is of second order. v keeps the sign of v- for any z.
#pragma once

#include <algorithm>
#include <limits>

#include "tumble/dynamics/kick_parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

/// How a law acts in a drift.
struct LawDrift {
  double epsilon = 0;  // e
  double ringing = 0;  // b j
};

/// What the next kick needs of a law: its values at t_n, and how it acts in the drift from there.
struct LawHistory {
  double effort = 0;       // N or N m: Q
  double coordinate = 0;   // m or rad: q
  double stiffness = 0;    // N/m or N m/rad: k
  LawDrift along, across;  // of the coordinate, and of the rows across it
  /// N s or N m s: half of the impulse along the coordinate in the drift, if the drift is closed to it
  /// (joint_closer.h). The next kick exerts the other half. Of a very stiff law it is more exact than Q,
  /// which has the rounding of q. NaN: not known.
  double half_impulse = std::numeric_limits<double>::quiet_NaN();
};

template <class Archive>
void archive(Archive& ar, LawHistory& h) {
  ar(h.effort, h.coordinate, h.stiffness, h.along.epsilon, h.along.ringing, h.across.epsilon,
     h.across.ringing, h.half_impulse);
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
  LawDrift drift;
  bool backward = false;  // backward Euler
  bool soft = true;       // w times the longer step is at most LawParameters::soft_step

  /// Weight of F.
  double kick() const { return before + after; }
  /// `backward`: with the impulse (h- + h)/2 Q(q_n+1).
  static LawWeights of(const LawScale& scale, double h_before, double h, const LawDrift& last,
                       const LawParameters& par, bool backward = false) {
    LawWeights weights;
    const double w = math::sqrt(scale.square);
    weights.before = 0.5 * h_before, weights.after = 0.5 * h;
    weights.soft = !(w * std::max(h_before, h) > par.soft_step);
    // A law that is damped that much does not ring.
    weights.backward = backward || (scale.rate > w && w * (h > 0 ? h : h_before) > par.stiff_step);
    if (weights.backward) {
      weights.stiff = weights.kick() * (h > 0 ? h : h_before);
      weights.drift.epsilon = 0.25;
    } else {
      const double square = scale.square * h * h, fourth = square * square;
      weights.drift.epsilon =
          std::min(0.25, par.damping * par.step_share * fourth / (par.half_damped + fourth));
      const double stiff = square / (par.stiff_step * par.stiff_step);
      if (stiff > 1) weights.drift.ringing = std::min(stiff * stiff, par.most_ringing);
      weights.stiff = (0.25 + weights.drift.epsilon) * h * h;
      weights.past = (0.25 - last.epsilon) * h_before * h_before;
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
