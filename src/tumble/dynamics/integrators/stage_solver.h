// Newton iteration for a stage of an implicit step, Y = c + g f(Y) with f of equations_of_motion.h. Let R be
// the residual, r its positions and rotations (as rotation vectors) and p its momenta. Let K = -dF/dx, D =
// -dF/dv of all force laws at the start of the step. The velocities change by w:
//   (M + g D + g^2 K) w + J^T l = p - g K r,     J w = J M^-1 p                                           (1)
// positions and rotations by r + g w, momenta by M w. (1) neglects gyroscopic terms and the change of J. They
// are small if the step is short, and cost iterations, not accuracy.
#pragma once

#include <span>

#include "tumble/dynamics/linear/kkt_solver.h"
#include "tumble/model/model.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::dynamics {

class StageSolver {
 public:
  explicit StageSolver(const model::Model& model);
  void factor(double t, double g, std::span<const model::BodyMotion> motions,
              const std::vector<int>& active_limits);
  /// One Newton iteration. `residual` is R on entry and the change of Y on return; numbers of the bodies as
  /// in model::State.
  void solve(const double* Y, double* residual);

 private:
  using Matrix12 = Eigen::Matrix<double, 12, 12>;
  struct Coupling {
    int node_a, node_b;  // kNone for the world
    Matrix12 K;
    Matrix12 A;  // its part of the matrix of (1)
  };
  int node_of(core::BodyId body) const { return bodies_.node_of(body); }
  void differentiate_laws(double t, double g, std::span<const model::BodyMotion> motions);
  void begin_matrix(const std::vector<int>& active_limits);
  void multiply_rows(size_t constraint);

  const model::Model* model_;
  MovingBodies bodies_;
  std::vector<KktSolver::Block> masses_;
  std::vector<Coupling> couplings_;
  std::vector<const model::Constraint*> constraints_;  // those of the model, then active limits
  std::vector<std::pair<int, int>> pairs_;             // the pattern of matrix_
  std::vector<KktSolver::Rows> row_blocks_;
  KktSolver matrix_;
  double g_ = 0;
  std::vector<double> x_, y_, velocities_;  // scratch
};

}  // namespace tumble::dynamics
