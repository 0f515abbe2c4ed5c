// Damping of the velocities of very stiff laws, by (4) of law_weights.h.
#include <algorithm>

#include "tumble/dynamics/detail/law_rows.h"
#include "tumble/dynamics/kick_laws.h"
#include "tumble/dynamics/linear/ball_kernel.h"

namespace tumble::dynamics {

using math::Vec3;
using model::Resistance;
using Law = KickLaws::Law;

bool KickLaws::find_ringing(const KickBodies& bodies, std::span<const LawHistory> history,
                            const KickSystem& system, double h, double stiff_step) {
  LawParameters par = par_;
  par.stiff_step = stiff_step;
  past_ = history;
  ringing_.clear(), ringing_laws_.clear();
  for (const Law& law : laws_) {
    if (law.has_effort_limit || !law.law->resists()) continue;
    double part = history_of(law).along.ringing;
    if (history.empty()) {
      linearise_at(law, system);
      const LawScale scale =
          resistance_.turns
              ? scale_of_rotation(law, resistance_, bodies)
              : scale_of_rows(law, resistance_, 0, ringing_rows(law, resistance_), bodies, system.motions);
      part = LawWeights::of(scale, 0, h, {}, par).drift.ringing;
    }
    if (part > 0) ringing_laws_.emplace_back(static_cast<uint32_t>(&law - laws_.data()), part);
  }
  if (ringing_laws_.empty()) return false;
  ringing_.assign(laws_.size() * Resistance::kMostRows, 0.0);
  return true;
}

void KickLaws::add_ringing(const KickBodies& bodies, KickSystem& system) {
  KktSolver& matrix = system.matrix;
  for (const auto& [at, part] : ringing_laws_) {
    const Law& law = laws_[at];
    double* c = &ringing_[law.index * Resistance::kMostRows];
    linearise_at(law, system);
    const Resistance& rows = resistance_;
    if (rows.turns) {
      c[0] = part / (law.joint_ratio * least_angular_mobility(law, bodies));
      double P[kLower3] = {};
      P[lower(0, 0)] = P[lower(1, 1)] = P[lower(2, 2)] = c[0];
      for (const int node : {law.a, law.b})
        for (int k = 3; node != kNone && k < 6; ++k) matrix.lower_diagonal(node)[lower(k, k)] += c[0];
      if (law.a != kNone && law.b != kNone) matrix.subtract_angular(matrix.coupling_of(law.a, law.b), P);
      continue;
    }
    for (int i = 0; i < ringing_rows(law, rows); ++i) {
      const double mobility = bodies.mobility(law.a, rows.J_a[i], system.motions) +
                              bodies.mobility(law.b, rows.J_b[i], system.motions);
      if (mobility > 0 && rows.stiffness[i] > 0) c[i] = part / (law.joint_ratio * mobility);
    }
    if (law.a != kNone) add_squares(rows, rows.J_a, c, matrix.lower_diagonal(law.a));
    if (law.b != kNone) add_squares(rows, rows.J_b, c, matrix.lower_diagonal(law.b));
    if (law.a != kNone && law.b != kNone) matrix.add_coupling(law.a, law.b, product(rows, c));
  }
}

void KickLaws::save_ringing(std::span<const double> v, const KickSystem& system) {
  for (const auto& [at, part] : ringing_laws_) {
    const Law& law = laws_[at];
    double* ringing = &ringing_[law.index * Resistance::kMostRows];
    const auto v_a = velocity_in(v, law.a), v_b = velocity_in(v, law.b);
    linearise_at(law, system);
    if (resistance_.turns) {
      const double c = ringing[0];
      for (int k = 0; k < 3; ++k) {
        ringing[k] = -c * (v_b[3 + k] - v_a[3 + k]);
        ringing_loss_ += (1 + 0.5 * part) * ringing[k] * ringing[k] / c;
      }
      continue;
    }
    for (int i = 0; i < ringing_rows(law, resistance_); ++i) {
      double speed = 0;
      for (int k = 0; k < 6; ++k) {
        if (law.a != kNone) speed += resistance_.J_a[i][k] * v_a[k];
        if (law.b != kNone) speed += resistance_.J_b[i][k] * v_b[k];
      }
      // b u^2, and half of the change of velocities by the impulse times it: b j is `part`.
      ringing_loss_ += (1 + 0.5 * part) * ringing[i] * speed * speed;
      ringing[i] *= -speed;
    }
  }
}

LawImpulses KickLaws::compute_ringing_impulses(size_t index, const KickSystem& system) {
  LawImpulses impulses;
  const auto law = std::find_if(laws_.begin(), laws_.end(), [&](const Law& x) { return x.index == index; });
  const double* ringing = law == laws_.end() ? nullptr : ringing_of(*law);
  if (!ringing) return impulses;
  linearise_at(*law, system);
  if (resistance_.turns) {
    const Vec3 torque(ringing[0], ringing[1], ringing[2]);
    impulses.on_b.torque = torque, impulses.on_a.torque = -torque;
    impulses.effort = torque.norm();
    return impulses;
  }
  for (int i = 0; i < ringing_rows(*law, resistance_); ++i) {
    const Eigen::Map<const KktSolver::Vec6> J_a(resistance_.J_a[i]), J_b(resistance_.J_b[i]);
    impulses.on_a.force += ringing[i] * J_a.head<3>(), impulses.on_a.torque += ringing[i] * J_a.tail<3>();
    impulses.on_b.force += ringing[i] * J_b.head<3>(), impulses.on_b.torque += ringing[i] * J_b.tail<3>();
    if (i == 0) impulses.effort = ringing[i];
  }
  return impulses;
}

}  // namespace tumble::dynamics
