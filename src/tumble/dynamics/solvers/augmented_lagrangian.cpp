#include "tumble/dynamics/solvers/augmented_lagrangian.h"

#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

void AugmentedLagrangian::begin(const ContactIsland& island) {
  const std::vector<ConeConstraint>& rows = island.rows;
  trial_.v.resize(island.v.size()), force_.resize(island.v.size()), left_.resize(island.c.size());
  look(island);
  shifts_.assign(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].impulse.x() > 0) shifts_[i] = shift_of(rows[i], u_[i] + rows[i].compliance * rows[i].impulse);
  penalty_ = 0;
  converged_ = stalled_ = linearization_.factored = false;
  factorisations_ = 0;
}

void AugmentedLagrangian::look(const ContactIsland& island) {
  compute_row_velocities(island.rows, island.v, u_);
  update_rounding(island);
}

void AugmentedLagrangian::set_penalty(const ContactIsland& island, double sigma) {
  if (sigma == penalty_) return;
  penalty_ = sigma;
  rho_.resize(island.rows.size());
  for (size_t i = 0; i < island.rows.size(); ++i)
    rho_[i] = 1 / (island.scales[i].inertia / sigma + island.rows[i].compliance);
}

void AugmentedLagrangian::update_shifts(const ContactIsland& island) {
  for (size_t i = 0; i < island.rows.size(); ++i)
    shifts_[i] = shift_of(island.rows[i], u_[i] + island.rows[i].compliance * island.rows[i].impulse);
}

void AugmentedLagrangian::update_multipliers(ContactIsland& island) const {
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse = trial_.impulses[i];
}

// Equation (1).
void AugmentedLagrangian::find_step(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  const std::vector<ConeConstraint>& rows = island.rows;
  matrix.for_each_row([&](size_t i) { island.l[i] = island.c[i]; });
  matrix.for_each_dof([&](size_t i) { trial_.v[i] = island.b[i]; });
  linearization_.rows.resize(rows.size());
  bool same = linearization_.factored;
  double most = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& linear = linearization_.rows[i];
    Mat3 D;
    const Vec3 p = project_on_cone(rows[i], before_projection(rows[i], i, u_[i]), D);
    most = std::max(most, p.squaredNorm() * (island.scales[i].inertia * island.scales[i].inertia));
    D *= rho_[i];
    same = same && D == linear.D;
    linear = {p + D * (u_[i] - rows[i].bias), D};
    add_push(rows[i], linear.p, trial_.v);
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

// It is done when the impulses that velocities make are those that were solved for: momentum lacks their
// difference.
bool AugmentedLagrangian::check_convergence(const ContactIsland& island, double tolerance) {
  bool converged = true;
  trial_.impulses.resize(island.rows.size());
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const ConeConstraint& row = island.rows[i];
    const Row& linear = linearization_.rows[i];
    const Vec3& u = trial_.u[i];
    trial_.impulses[i] = project_on_cone(row, before_projection(row, i, u));
    const Vec3 lacks = trial_.impulses[i] - linear.p + linear.D * (u - row.bias);
    const double limit = std::max(tolerance * linearization_.impulse / island.scales[i].inertia,
                                  rho_[i] * residual_.round_off * linearization_.speed);
    converged = converged && !(lacks.squaredNorm() > limit * limit);
  }
  return converged;
}

// How far to go from v to where the step leads, at most all the way: to where (2), convex along it, is least,
// or nearly. Its slope there, with d the whole way, is
//   d.(A v - b) + t d.A d - sum (G d).p(t)
double AugmentedLagrangian::search_line(const ContactIsland& island) {
  const KktSolver& matrix = *island.matrix;
  const std::vector<ConeConstraint>& rows = island.rows;
  double along = 0, bend = 0;
  matrix.for_each_dof([&](size_t i) { force_[i] = island.b[i]; });
  matrix.subtract_product(island.v.data(), force_.data());
  matrix.for_each_dof(
      [&](size_t i) { trial_.v[i] -= island.v[i], along -= trial_.v[i] * force_[i], force_[i] = 0; });
  matrix.subtract_product(trial_.v.data(), force_.data());
  matrix.for_each_dof([&](size_t i) { bend -= trial_.v[i] * force_[i], trial_.v[i] += island.v[i]; });
  const auto slope_at = [&](double t) {
    double slope = along + t * bend;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Vec3 turn = trial_.u[i] - u_[i];
      slope -= turn.dot(project_on_cone(rows[i], before_projection(rows[i], i, u_[i] + t * turn)));
    }
    return slope;
  };
  double left = 0, right = 1, at_left = slope_at(0), at_right = slope_at(1);
  const double near = parameters_.line_slope * std::abs(at_left);
  // Uphill at once: what is left of the joints, at the end of all digits.
  if (!(at_left < 0) || !(at_right > near)) return 1;
  // Regula falsi; the slope of an end that stays is halved.
  double t = 1;
  for (int step = 0; step < parameters_.most_line_steps; ++step) {
    const double whole = right - left;
    t = (left * at_right - right * at_left) / (at_right - at_left);
    const double slope = slope_at(t);
    if (std::abs(slope) <= near) break;
    if (slope > 0) {
      if (right - t < 0.5 * whole) at_left *= 0.5;
      right = t, at_right = slope;
    } else {
      if (t - left < 0.5 * whole) at_right *= 0.5;
      left = t, at_left = slope;
    }
  }
  return t;
}

// From v to where the step leads, or a share of the way.
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

void AugmentedLagrangian::minimise(ContactIsland& island, double tolerance, bool first, int most) {
  stalled_ = false;
  double change = 0;
  for (int step = 0; step < most; ++step) {
    find_step(island);
    converged_ = check_convergence(island, tolerance);
    if (step + 1 == most)
      island.matrix->for_each_dof(
          [&](size_t i) { change = std::max(change, std::abs(trial_.v[i] - island.v[i])); });
    // The first step obeys the joints, which the guess may not; from then on (2) must fall.
    advance(island, converged_ || (first && step == 0) ? 1 : search_line(island));
    if (converged_) return;
  }
  converged_ = change <= parameters_.stalled_step * linearization_.speed;
  stalled_ = true;
}

void AugmentedLagrangian::balance(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  find_lacks(island, trial_.v, left_);
  matrix.solve(trial_.v.data(), left_.data());
  matrix.for_each_dof([&](size_t i) { island.v[i] += trial_.v[i]; });
  matrix.for_each_row([&](size_t i) { island.l[i] += left_[i]; });
  for (size_t i = 0; i < island.rows.size(); ++i)
    island.rows[i].impulse -= linearization_.rows[i].D * speed_at(island.rows[i], trial_.v);
  look(island);
}

void AugmentedLagrangian::factor(const ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  matrix.clear_addition();
  for (size_t i = 0; i < island.rows.size(); ++i) {
    Mat3 D;
    project_on_cone(island.rows[i], before_projection(island.rows[i], i, u_[i]), D);
    add_stiffness(island.rows[i], rho_[i] * D, matrix);
  }
  matrix.factor();
  ++factorisations_;
  forget_factors();
}

}  // namespace tumble::dynamics
