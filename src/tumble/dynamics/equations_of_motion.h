// The Newton-Euler equations of free bodies under force laws, in the variables of model::State:
//   x' = P/m,   q' = 1/2 [0, omega] q,   P' = m g + F,   L' = tau                                (1)
//   omega = R I_body^-1 R^T L   with R the rotation of q/|q|                                     (2)
//   W_k' = F_k.v + tau_k.omega, summed over the bodies law k acts on: the work it does           (3)
//   K' = tau.(omega - c L), an account of each body's energy of rotation; with c constant,
//   K = 1/2 L.(omega - c L) holds all along                                                      (4)
// The gyroscopic torque is not in (1): L is the integrated variable, and (2) turns it with the body.
#pragma once

#include <vector>

#include "tumble/dynamics/runge_kutta.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

class EquationsOfMotion final : public OdeSystem {
 public:
  /// `quergs` adds quaternions as the 2007 thesis does, inside every Runge-Kutta sum: order 2, kept as a
  /// lesson.
  explicit EquationsOfMotion(const model::Model& model, bool quergs = false);

  /// The vector integrated: model::State::y, then model::State::work, then K of (4) for each body.
  size_t size() const override { return bodies_.size() * (model::kBodySize + 1) + model_->forces().size(); }
  void compute_slope(double t, const double* y, double* slope) override;
  /// The update of the 2007 thesis; only called when the constructor was asked for it.
  void after_add(const double* y, double* sum) const override;
  void normalize(double* y) const override;

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
  size_t energy_at() const { return bodies_.size() * model::kBodySize + model_->forces().size(); }

  long long evaluations() const { return evaluations_; }

 private:
  // What the inner loop needs of a body, packed.
  struct Body {
    double inverse_mass;
    double inverse_inertia[6];  // xx yy zz xy xz yz
    double weight[3];           // m g
    bool fixed;
  };
  void add_forces(double t, const double* y, double* slope);

  const model::Model* model_;
  std::vector<Body> bodies_;
  std::vector<model::BodyMotion> motions_;  // only where there are force laws
  std::vector<double> references_;          // c of (4)
  double latest_time_;
  long long evaluations_ = 0;
};

}  // namespace tumble::dynamics
