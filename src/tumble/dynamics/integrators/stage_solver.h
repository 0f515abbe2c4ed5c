// Newton's method for a stage of an implicit step, Y = c + g f(Y) with f of equations_of_motion.h. With R what is left of
// the equations, r its positions and turns (as rotation vectors) and p its momenta, and K = -dF/dx, D = -dF/dv of all force
// laws where the step begins, the velocities change by w:
//   (M + g D + g^2 K) w + J^T l = p - g K r,     J w = J M^-1 p                                                   (1)
// positions and turns by r + g w, momenta by M w. What (1) leaves out (gyroscopic terms, turning rows) is small where the
// step is, and costs passes, not accuracy.
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
  /// One step of Newton's method: `residual` R on entry, what to add to Y on return; numbers of the bodies as in model::State.
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
  std::vector<double> x_, y_, speeds_;  // scratch
};

}  // namespace tumble::dynamics
