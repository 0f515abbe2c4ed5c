// The Newton-Euler equations of free bodies under force laws, in the variables of model::State:
//   x' = P/m,   q' = 1/2 [0, omega] q,   P' = m g + F,   L' = tau                                (1)
//   omega = R I_body^-1 R^T L   with R the rotation of q/|q|                                     (2)
//   W_k' = F_k.v + tau_k.omega, summed over the bodies law k acts on: the work it does           (3)
//   K' = tau.omega, the energy of each body's rotation; K = 1/2 L.omega holds all along          (4)
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

  /// The vector integrated: model::State::y, then model::State::work, then the energy of rotation of each
  /// body.
  size_t size() const override { return bodies_.size() * (model::kBodySize + 1) + model_->forces().size(); }
  void compute_slope(double t, const double* y, double* slope) override;
  void after_add(const double* y, double* sum) const override;
  void normalize(double* y) const override;

  /// Force laws are evaluated at times strictly before `t`: a step that ends where a force is switched must
  /// not see the other side of the switch.
  void set_smooth_until(double t);

  /// 1/2 L.omega of body i of the integrated vector, and its gradient: K changes by gradient.theta when the
  /// body alone is turned by a small rotation vector theta; both in body axes.
  struct Rotation {
    double energy;
    model::Vec3 gradient;
  };
  Rotation compute_rotation(const double* y, size_t i) const;
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
  void add_forces(double t, double* slope);

  const model::Model* model_;
  bool quergs_;
  std::vector<Body> bodies_;
  std::vector<model::BodyMotion> motions_;  // only where there are force laws
  double latest_time_;
  long long evaluations_ = 0;
};

}  // namespace tumble::dynamics
