// The Newton-Euler equations of bodies under force laws and constraints, in the variables of model::State:
//   x' = P/m,   q' = 1/2 [0, omega] q,   P' = m g + F,   L' = tau                                (1)
//   omega = R I_body^-1 R^T L   with R the rotation of q/|q|                                     (2)
//   W_k' = F_k.v + tau_k.omega, summed over the bodies law k acts on: the work of the law. The work of a
//   moving constraint is l.dC/dt, l as in (5)                                                    (3)
//   K' = tau.(omega - c L), the reduced rotational energy of each body; with c constant,
//   K = 1/2 L.(omega - c L) is an invariant of the exact motion                                  (4)
// The gyroscopic torque is not in (1): L is the integrated variable, and (2) rotates it with the body.
// Constraints add their forces J^T l to P' and L', with l such that the accelerations a = (x'', omega') obey
//   M a + J^T l = (F, tau - omega x L),   J a = -bias                                            (5)
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
  /// `quergs` adds quaternions as the 2007 thesis does, inside every Runge-Kutta sum: order 2, for
  /// demonstration. `reactions` integrates joint reactions beside the motion.
  explicit EquationsOfMotion(const model::Model& model, bool quergs = false, bool reactions = false);

  /// Layout of the integrated vector.
  const StateLayout& layout() const { return layout_; }
  size_t size() const override { return layout_.size; }
  void compute_slope(double t, const double* y, double* slope) override;
  /// The quaternion update of the 2007 thesis; only called with `quergs`.
  void after_add(const double* y, double* sum) const override;
  void normalize(double* y) const override;
  void prepare_newton(double t, const double* y, double g) override;
  void newton_step(const double* Y, double* residual) override;

  /// To be called when gravity has changed.
  void update_weights() { bodies_.update_weights(); }
  /// Force laws are evaluated at times strictly before `t`. A step that ends at a switch of a force must not
  /// see the other side of the switch.
  void set_smooth_until(double t);

  /// Rotational energy of body i of the integrated vector, and K of (4) with its gradient. K changes by
  /// gradient.theta if the body alone is rotated by a small rotation vector theta, in body axes.
  struct Rotation {
    double energy;          // 1/2 L.omega
    double reduced_energy;  // K
    model::Vec3 gradient;
    double bound;  // |omega|^2 |L|^2: bound of the second derivative, squared
  };
  Rotation compute_rotation(const double* y, size_t i) const;
  /// The c of (4) for which K vanishes at y. This choice keeps the most digits of what the energy says about
  /// the orientation: near a principal axis nearly all of the energy is 1/2 c L^2, whatever the orientation.
  double compute_best_reference(const double* y, size_t i) const;
  void set_reference(size_t i, double c) { references_[i] = c; }
  /// True if constraints act on the body. Then its rotational energy is not integrated.
  bool is_joined(size_t i) const { return bodies_.is_joined(i); }

  /// Baumgarte stabilisation, C'' = -k C - d C' instead of C'' = 0, as in the 2007 thesis; for demonstration.
  void set_feedback(const std::array<double, 2>& k_and_d) { feedback_ = k_and_d; }
  bool has_constraints() const { return bodies_.has_constraints(); }
  /// Bodies and constraints of these equations; a JointProjection of them sees the same active limits.
  ConstrainedBodies& bodies() { return bodies_; }
  /// Applies the velocity jumps of scripts at t. Adds their reactions and work to y.
  void apply_script_jump(double t, double* y);
  /// Joint reactions in a state, model::kReactionSize numbers each. Needs `reactions`.
  std::vector<double> compute_reactions_at(const model::State& state);
  /// Replaces counted angles, which were integrated along the step, by those of the bodies' poses.
  void update_counted_angles(double* y) const;

  /// J: kinetic energy less the work of moving constraints in the integrated vector.
  double compute_kinetic_balance(const double* y) const;
  /// Evaluates every limit of the model at y.
  void evaluate_limits(double t, const double* y, std::vector<LimitState>& out);
  /// Sets the limits that act as equations from now on; indices into Model::limits(), ascending.
  void set_active_limits(const std::vector<int>& limits) { bodies_.set_active_limits(limits); }
  const std::vector<int>& active_limits() const { return bodies_.active_limits(); }
  /// Force of an active limit in the last slope, or its impulse in the last impact; negative: it would pull.
  double limit_reaction(size_t active) const {
    return -bodies_.rows()[bodies_.solver().first_row_of_limit(active)];
  }
  /// C'' of a limit, active or not, in the last slope; and the sum of the absolute values of its terms.
  struct LimitAcceleration {
    double value = 0, terms = 0;
  };
  LimitAcceleration limit_acceleration(double t, size_t limit) const;
  /// Changes the velocities to the nearest ones that keep joints closed and give each active limit its speed
  /// C'.
  void apply_impact(double t, double* y, const std::vector<double>& speeds);

  long long evaluations() const { return evaluations_; }

 private:
  void update_motions(const double* y) { bodies_.update_motions(y, y + layout_.angles_at); }
  void add_forces(double t, const double* y, double* slope);
  void add_constraint_forces(double t, const double* y, double* slope);
  void add_feedback(double t);
  // Adds the reactions of the impulses in bodies_.rows(), and their work by the mean of dC/dt before and
  // after.
  void add_impulses(double t, std::span<const double> rates_before, double* y);

  const model::Model* model_;
  const bool reactions_;
  const StateLayout layout_;
  ConstrainedBodies bodies_;
  std::vector<double> gyrations_;   // omega x L, by node
  std::vector<double> references_;  // c of (4)
  std::optional<std::array<double, 2>> feedback_;
  std::optional<StageSolver> stages_;  // created on first use
  double latest_time_;
  long long evaluations_ = 0;
};

}  // namespace tumble::dynamics
