#include "tumble/dynamics/solvers/augmented_lagrangian.h"

#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

void AugmentedLagrangian::begin(const ContactIsland& island) {
  const std::vector<ConeConstraint>& rows = island.rows;
  trial_.v.resize(island.v.size()), force_.resize(island.v.size()), left_.resize(island.c.size());
  refresh(island);
  shifts_.assign(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].impulse.x() > 0) shifts_[i] = shift_of(rows[i], u_[i] + rows[i].compliance * rows[i].impulse);
  penalty_factor_ = 0;
  converged_ = stalled_ = linearization_.factored = false;
  factorisations_ = 0;
}

void AugmentedLagrangian::refresh(const ContactIsland& island) {
  compute_row_velocities(island.rows, island.v, u_);
  update_rounding(island);
}

void AugmentedLagrangian::set_penalty(const ContactIsland& island, double sigma) {
  if (sigma == penalty_factor_) return;
  penalty_factor_ = sigma;
  rho_.resize(island.rows.size());
  for (size_t i = 0; i < island.rows.size(); ++i)
    rho_[i] = 1 / (island.scales[i].inverse_mass / sigma + island.rows[i].compliance);
}

void AugmentedLagrangian::update_shifts(const ContactIsland& island) {
  for (size_t i = 0; i < island.rows.size(); ++i)
    shifts_[i] = shift_of(island.rows[i], u_[i] + island.rows[i].compliance * island.rows[i].impulse);
}

void AugmentedLagrangian::update_multipliers(ContactIsland& island) const {
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse = trial_.impulses[i];
}

// Equation (1).
void AugmentedLagrangian::compute_step(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  std::vector<ConeConstraint>& rows = island.rows;
  matrix.for_each_row([&](size_t i) { island.l[i] = island.c[i]; });
  matrix.for_each_dof([&](size_t i) { trial_.v[i] = island.b[i]; });
  linearization_.rows.resize(rows.size());
  bool same = linearization_.factored;
  double most = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& linear = linearization_.rows[i];
    Mat3 D;
    const Vec3 p = project_on_cone(rows[i], before_projection(rows[i], i, u_[i]), D);
    most = std::max(most, p.squaredNorm() * (island.scales[i].inverse_mass * island.scales[i].inverse_mass));
    D *= rho_[i];
    same = same && D == linear.D;
    linear = {p + D * (u_[i] - rows[i].bias), D};
    add_impulse(rows[i], linear.p, trial_.v);
  }
  linearization_.impulse = math::sqrt(most);
  if (!same) {
    matrix.clear_addition();
    for (size_t i = 0; i < rows.size(); ++i) add_stiffness(rows[i], linearization_.rows[i].D, matrix);
    matrix.factor();
    ++factorisations_;
    linearization_.factored = true;
  }
  matrix.solve(trial_.v.data(), island.l.data());
  double speed = 0;
  matrix.for_each_dof([&](size_t i) {
    speed = std::max({speed, std::abs(island.v[i]), std::abs(trial_.v[i])});
  });
  linearization_.speed = speed;
  compute_row_velocities(rows, trial_.v, trial_.u);
}

// Converged when the impulses that follow from the velocities are those of the linear solve. Their difference
// is the residual of the momentum balance.
bool AugmentedLagrangian::check_convergence(const ContactIsland& island, double tolerance) {
  bool converged = true;
  trial_.impulses.resize(island.rows.size());
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const ConeConstraint& row = island.rows[i];
    const Row& linear = linearization_.rows[i];
    const Vec3& u = trial_.u[i];
    trial_.impulses[i] = project_on_cone(row, before_projection(row, i, u));
    const Vec3 residual = trial_.impulses[i] - linear.p + linear.D * (u - row.bias);
    const double limit = std::max(tolerance * linearization_.impulse / island.scales[i].inverse_mass,
                                  rho_[i] * residual_.round_off * linearization_.speed);
    converged = converged && !(residual.squaredNorm() > limit * limit);
  }
  return converged;
}

// Line search from v along d, the whole step: finds the minimum of (2), which is convex along d, or nearly,
// with 0 < t <= 1. The slope there is
//   d.(A v - b) + t d.A d - sum (G d).p(t)
double AugmentedLagrangian::search_line(const ContactIsland& island) {
  const KktSolver& matrix = *island.matrix;
  const std::vector<ConeConstraint>& rows = island.rows;
  double along = 0, curvature = 0;
  matrix.for_each_dof([&](size_t i) { force_[i] = island.b[i]; });
  matrix.subtract_product(island.v.data(), force_.data());
  matrix.for_each_dof(
      [&](size_t i) { trial_.v[i] -= island.v[i], along -= trial_.v[i] * force_[i], force_[i] = 0; });
  matrix.subtract_product(trial_.v.data(), force_.data());
  matrix.for_each_dof([&](size_t i) { curvature -= trial_.v[i] * force_[i], trial_.v[i] += island.v[i]; });
  const auto slope_at = [&](double t) {
    double slope = along + t * curvature;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Vec3 du = trial_.u[i] - u_[i];
      slope -= du.dot(project_on_cone(rows[i], before_projection(rows[i], i, u_[i] + t * du)));
    }
    return slope;
  };
  double left = 0, right = 1, at_left = slope_at(0), at_right = slope_at(1);
  const double slope_tolerance = parameters_.line_slope * std::abs(at_left);
  // Uphill from the start: only rounding errors of the joints are left.
  if (!(at_left < 0) || !(at_right > slope_tolerance)) return 1;
  // Regula falsi (Illinois): the slope at an end that stays is halved.
  double t = 1;
  for (int step = 0; step < parameters_.max_line_steps; ++step) {
    const double width = right - left;
    t = (left * at_right - right * at_left) / (at_right - at_left);
    const double slope = slope_at(t);
    if (std::abs(slope) <= slope_tolerance) break;
    if (slope > 0) {
      if (right - t < 0.5 * width) at_left *= 0.5;
      right = t, at_right = slope;
    } else {
      if (t - left < 0.5 * width) at_right *= 0.5;
      left = t, at_left = slope;
    }
  }
  return t;
}

// Advances from v by a share of the step.
void AugmentedLagrangian::advance(ContactIsland& island, double share) {
  if (share < 1) {
    island.matrix->for_each_dof([&](size_t i) { island.v[i] += share * (trial_.v[i] - island.v[i]); });
    compute_row_velocities(island.rows, island.v, u_);
    for (size_t i = 0; i < island.rows.size(); ++i)
      trial_.impulses[i] = project_on_cone(island.rows[i], before_projection(island.rows[i], i, u_[i]));
  } else {
    island.matrix->for_each_dof([&](size_t i) { island.v[i] = trial_.v[i]; });
    u_.swap(trial_.u);
  }
}

void AugmentedLagrangian::minimise(ContactIsland& island, double tolerance, bool first, int max_steps) {
  stalled_ = false;
  double last_change = 0;  // of a velocity by the last step: needed only if the steps run out
  for (int step = 0; step < max_steps; ++step) {
    compute_step(island);
    converged_ = check_convergence(island, tolerance);
    if (step + 1 == max_steps)
      island.matrix->for_each_dof(
          [&](size_t i) { last_change = std::max(last_change, std::abs(trial_.v[i] - island.v[i])); });
    // The first step satisfies the joints, which the guess may not. Later steps must decrease the
    // augmented Lagrangian.
    advance(island, converged_ || (first && step == 0) ? 1 : search_line(island));
    if (converged_) return;
  }
  converged_ = last_change <= parameters_.stalled_step * linearization_.speed;
  stalled_ = true;
}

void AugmentedLagrangian::refine(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  compute_residuals(island, trial_.v, left_);
  matrix.solve(trial_.v.data(), left_.data());
  matrix.for_each_dof([&](size_t i) { island.v[i] += trial_.v[i]; });
  matrix.for_each_row([&](size_t i) { island.l[i] += left_[i]; });
  for (size_t i = 0; i < island.rows.size(); ++i)
    island.rows[i].impulse -= linearization_.rows[i].D * relative_velocity(island.rows[i], trial_.v);
  refresh(island);
}

void AugmentedLagrangian::factor(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  matrix.clear_addition();
  for (size_t i = 0; i < island.rows.size(); ++i) {
    Mat3 D;
    project_on_cone(island.rows[i], before_projection(island.rows[i], i, u_[i]), D);
    add_stiffness(island.rows[i], rho_[i] * D, matrix);
  }
  matrix.factor();
  ++factorisations_;
  invalidate_factors();
}

}  // namespace tumble::dynamics
