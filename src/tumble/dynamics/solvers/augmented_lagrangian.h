// The inner problem of the augmented Lagrangian: Newton's method on (2) of contact_solver.h, for given
// multipliers r and shifts s. A step solves
//   (A + G^T rho DPi G) v' + J^T l = b + G^T (Pi(z) + rho DPi G v),    J v' = c                           (1)
// and advances along v' - v by a line search.
#pragma once

#include <vector>

#include "tumble/dynamics/solvers/contact_island.h"

namespace tumble::dynamics {

class AugmentedLagrangian {
 public:
  explicit AugmentedLagrangian(const ContactSolverParameters& parameters)
      : residual_(parameters.residual), parameters_(parameters.lagrangian) {}

  /// Starts from the guess of an island whose row scales are set.
  void begin(const ContactIsland& island);
  /// To be called when something else has changed the iterate.
  void refresh(const ContactIsland& island);
  void update_rounding(const ContactIsland& island) { rounding_ = largest_rounding(island, residual_); }
  ContactResidual measure(const ContactIsland& island) const {
    return measure_residual(island, u_, shifts_, rounding_, residual_);
  }

  double penalty() const { return penalty_factor_; }
  /// rho = 1 / (w / sigma + compliance) of each row, w its inverse mass.
  void set_penalty(const ContactIsland& island, double sigma);
  /// s = mu |u_t| at the iterate.
  void update_shifts(const ContactIsland& island);
  /// Takes at most `max_steps` Newton steps, until impulses change by no more than `tolerance` relatively.
  /// `first`: v may violate the joints.
  void minimise(ContactIsland& island, double tolerance, bool first, int max_steps);
  bool converged() const { return converged_; }
  /// True if minimise() took all its steps.
  bool stalled() const { return stalled_; }
  /// r = Pi(z) at the end of minimise(): the multipliers of the next outer iteration.
  void update_multipliers(ContactIsland& island) const;
  /// Iterative refinement: removes rounding errors of momenta and joints, with the current factors.
  void refine(ContactIsland& island);
  /// Factors the island with its contacts at the iterate.
  void factor(ContactIsland& island);
  /// To be called when something else has factored the matrix.
  void invalidate_factors() { linearization_.factored = false; }
  int factorisations() const { return factorisations_; }

 private:
  // z of (2); p is its projection.
  math::Vec3 before_projection(const ConeConstraint& row, size_t i, const math::Vec3& u) const {
    const math::Vec3& r = row.impulse;
    const double rho = rho_[i], share = 1 - rho * row.compliance;
    return {share * r[0] - rho * (u[0] + shifts_[i]), share * r[1] - rho * u[1], share * r[2] - rho * u[2]};
  }
  void compute_step(ContactIsland& island);
  bool check_convergence(const ContactIsland& island, double tolerance);
  double search_line(const ContactIsland& island);
  void advance(ContactIsland& island, double share);

  ResidualParameters residual_;
  AugmentedLagrangianParameters parameters_;
  double penalty_factor_ = 0;   // sigma of set_penalty(); 0: rho_ is not set
  std::vector<double> rho_;     // N s/(m/s), by row
  std::vector<double> shifts_;  // s, m/s, by row
  std::vector<math::Vec3> u_;   // G v + w, m/s, by row
  double rounding_ = 0;         // N s: rounding error of impulses near v
  // The end of a step: velocities of nodes, velocities and impulses Pi(z) of rows.
  struct {
    std::vector<double> v;
    std::vector<math::Vec3> u, impulses;
  } trial_;
  // Linearized impulses of a row near v: p - D (G v), with D = rho DPi. The largest velocity and impulse.
  struct Row {
    math::Vec3 p;
    math::Mat3 D;
  };
  struct {
    std::vector<Row> rows;
    double speed = 0, impulse = 0;
    bool factored = false;  // the matrix, with D of all rows
  } linearization_;
  std::vector<double> force_, left_;  // scratch: by dof of nodes, by row of J
  bool converged_ = false, stalled_ = false;
  int factorisations_ = 0;  // since begin()
};

}  // namespace tumble::dynamics
