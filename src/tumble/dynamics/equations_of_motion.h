// The Newton-Euler equations of bodies under force laws and constraints, in the variables of model::State:
//   x' = P/m,   q' = 1/2 [0, omega] q,   P' = m g + F,   L' = tau                                (1)
//   omega = R I_body^-1 R^T L   with R the rotation of q/|q|                                     (2)
//   W_k' = F_k.v + tau_k.omega, summed over the bodies law k acts on: the work it does; that of a constraint that moves
//   is l.dC/dt, l as in (5)                                                                      (3)
//   K' = tau.(omega - c L), an account of each body's energy of rotation; with c constant,
//   K = 1/2 L.(omega - c L) holds all along                                                      (4)
// The gyroscopic torque is not in (1): L is the integrated variable, and (2) turns it with the body. Constraints add
// their forces J^T l to P' and L', with l such that the accelerations a = (x'', omega') obey them:
//   M a + J^T l = (F, tau - omega x L),   J a = -bias                                                           (5)
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/dynamics/integrators/stage_solver.h"
#include "tumble/dynamics/integrators/step_method.h"
#include "tumble/dynamics/joint_limits.h"
#include "tumble/dynamics/state_layout.h"

namespace tumble::dynamics {

class EquationsOfMotion final : public OdeSystem {
 public:
  /// `quergs` adds quaternions as the 2007 thesis does, inside every Runge-Kutta sum: order 2, there to show
  /// it.
  /// `reactions` integrates what joints pass on, beside the motion.
  explicit EquationsOfMotion(const model::Model& model, bool quergs = false, bool reactions = false);

  /// The vector integrated.
  const StateLayout& layout() const { return layout_; }
  size_t size() const override { return layout_.size; }
  void compute_slope(double t, const double* y, double* slope) override;
  /// The update of the 2007 thesis; only called when the constructor was asked for it.
  void after_add(const double* y, double* sum) const override;
  void normalize(double* y) const override;
  void prepare_newton(double t, const double* y, double g) override;
  void newton_step(const double* Y, double* residual) override;

  /// Gravity has changed.
  void update_weights() { bodies_.update_weights(); }
  /// Force laws are evaluated at times strictly before `t`: a step that ends where a force is switched must
  /// not see the other side of the switch.
  void set_smooth_until(double t);

  /// The energy of rotation of body i of the integrated vector; and K of (4) with its gradient: it changes by
  /// gradient.theta when the body alone is turned by a small rotation vector theta, in body axes.
  struct Rotation {
    double energy;   // 1/2 L.omega
    double account;  // K
    model::Vec3 gradient;
    double bound;  // |omega|^2 |L|^2: that of the second derivative, squared
  };
  Rotation compute_rotation(const double* y, size_t i) const;
  /// c of (4). Of all choices, the one that makes K vanish now keeps the most digits of what the energy says about the
  /// orientation: near a principal axis nearly all of the energy is 1/2 c L^2, whatever the orientation.
  double best_reference(const double* y, size_t i) const;
  void set_reference(size_t i, double c) { references_[i] = c; }
  /// Bodies that constraints hold take part in no account of their own energy of rotation.
  bool is_joined(size_t i) const { return bodies_.is_joined(i); }

  /// Baumgarte's feedback, C'' = -k C - d C' instead of C'' = 0, as the 2007 thesis does; for showing it.
  void set_feedback(const std::array<double, 2>& k_and_d) { feedback_ = k_and_d; }
  bool has_constraints() const { return bodies_.has_constraints(); }
  /// Bodies and constraints of these equations; a JointProjection of them sees the same active limits.
  ConstrainedBodies& bodies() { return bodies_; }
  /// Velocities from t on, where scripts may jerk: what that passes on, and its work, go into y.
  void jerk(double t, double* y);
  /// What joints pass on in a state, per second: model::kReactionSize numbers each. Needs `reactions`.
  std::vector<double> compute_reactions_at(const model::State& state);
  /// Counted angles, integrated along the step, become again those the bodies have.
  void settle_angles(double* y) const;

  /// Every limit of the model where y is.
  void evaluate_limits(double t, const double* y, std::vector<LimitState>& out);
  /// Limits that act as equations from now on; indices into Model::limits(), ascending.
  void set_active_limits(const std::vector<int>& limits) { bodies_.set_active_limits(limits); }
  const std::vector<int>& active_limits() const { return bodies_.active_limits(); }
  /// How hard an active limit pushed in the last slope or impact; negative: it would have to pull.
  double push_of(size_t active) const { return -bodies_.rows()[bodies_.solver().first_row_of_limit(active)]; }
  /// Gives the bodies the nearest velocities with which the joints stay closed and each active limit moves with its C'.
  void impact(double t, double* y, const std::vector<double>& speeds);

  long long evaluations() const { return evaluations_; }

 private:
  void place(const double* y) { bodies_.place(y, y + layout_.angles_at); }
  void add_forces(double t, const double* y, double* slope);
  void add_constraint_forces(double t, const double* y, double* slope);
  void add_feedback(double t);
  // What the impulses in bodies_.rows() pass on, and the work they do: by the mean of dC/dt before and after.
  void add_impulses(double t, std::span<const double> rates_before, double* y);

  const model::Model* model_;
  const bool reactions_;
  const StateLayout layout_;
  ConstrainedBodies bodies_;
  std::vector<double> gyrations_;   // omega x L, by node
  std::vector<double> references_;  // c of (4)
  std::optional<std::array<double, 2>> feedback_;
  std::optional<StageSolver> stages_;  // made when first asked for
  double latest_time_;
  long long evaluations_ = 0;
};

}  // namespace tumble::dynamics
