// One large step of all bodies, linear in their velocities over it. Positions x are known at times t_n, momenta p half way between: with
// F the forces at t_n and a kick of time k, the mean of the steps before and after,
//   M v + J^T l = p + k F + G^T r,    J v = -C/h - dC/dt,    x(t_n + h) = x + h v,    p' = M v                  (1)
// which is the leapfrog method: of second order, and without gain or loss. J and G are the rows of joints and contacts at t_n.
// Rotations use the inertia of the middle of the coming step: R_m turned by half the angle h w goes with L = R_m I R_m^T w, found by a few
// passes; then spinning bodies neither gain nor lose. [Hernandez et al. 2011 is (1) with R at the start, and once]
#pragma once

#include <span>

#include "tumble/dynamics/contact_solver.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

class StepProblem {
 public:
  explicit StepProblem(const model::Model& model);

  /// Moving bodies, in the order of the scene.
  const std::vector<core::BodyId>& bodies() const { return bodies_; }
  int node_of(core::BodyId body) const { return body.valid() ? node_of_body_[body.index()] : kNone; }
  size_t size() const { return 6 * bodies_.size(); }
  /// P and L of every moving body of a state.
  std::vector<double> momenta_of(const model::State& state) const;

  /// Sets up (1) at a state's time and places for momenta half a step ago; h = 0: velocities at this very time, whatever C. `coupled`: pairs of nodes that contacts will tie.
  void assemble(const model::State& where, std::span<const double> momenta, double kick, double h,
                const std::vector<std::pair<int, int>>& coupled);
  BlockSolver& matrix() { return matrix_; }
  std::span<const double> b() const { return b_; }
  std::span<const double> c() const { return c_; }
  /// k F alone, as momenta.
  std::span<const double> smooth_kick() const { return smooth_; }
  std::span<const model::BodyMotion> motions() const { return motions_; }

  /// M v.
  std::vector<double> momenta_from(std::span<const double> v) const;
  /// x + h v: places of the bodies, and the time.
  void drift(std::span<const double> v, double h, model::State& state) const;

 private:
  void add_forces(double t, double kick);
  math::Mat3 inertia_at(size_t node, const math::Mat3& R) const;

  const model::Model* model_;
  std::vector<core::BodyId> bodies_;  // by node
  std::vector<int> node_of_body_;
  std::vector<BlockSolver::Rows> joints_;
  BlockSolver matrix_;
  std::vector<double> b_, c_, smooth_;
  std::vector<math::Mat3> inertias_;  // in the middle of the step
  std::vector<model::BodyMotion> motions_;
};

}  // namespace tumble::dynamics
