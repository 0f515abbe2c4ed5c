#include "tumble/dynamics/solvers/semismooth_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

void SemismoothNewton::begin_rows(double scale, size_t rows) {
  term_.scale = scale, term_.regularization = 0;
  term_.centers.assign(rows, Vec3::Zero());
}

SemismoothNewton::Residuals SemismoothNewton::evaluate(const ContactIsland& island) {
  const std::vector<ConeConstraint>& rows = island.rows;
  Residuals result;
  double most = 0, wrong = 0;  // squares
  u_.resize(rows.size()), F_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeConstraint& row = rows[i];
    u_[i] = relative_velocity(row, island.v) + row.bias;
    F_[i] = row.impulse - project_alart_curnier(row, term_.argument(island, i, u_[i]));
    const double square = F_[i].squaredNorm();
    most = std::max(most, row.impulse.squaredNorm()), wrong = std::max(wrong, square);
    result.square += square;
  }
  const double size = std::max(most, wrong);
  result.largest = math::sqrt(wrong);
  result.relative = !std::isfinite(result.square) ? std::numeric_limits<double>::infinity()
                    : size > 0                    ? math::sqrt(wrong / size)
                                                  : 0;
  return result;
}

ContactResidual SemismoothNewton::measure(const ContactIsland& island) {
  compute_row_velocities(island.rows, island.v, u_);
  return measure_residual(island, u_, {}, largest_rounding(island, parameters_.residual),
                          parameters_.residual);
}

// Advances by a share of the step.
SemismoothNewton::Residuals SemismoothNewton::advance(double share, ContactIsland& island) {
  island.matrix->for_each_dof([&](size_t i) { island.v[i] += share * step_.dv()[i]; });
  island.matrix->for_each_row([&](size_t i) { island.l[i] += share * step_.dl()[i]; });
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse += share * step_.dr()[i];
  return evaluate(island);
}

// Computes the velocities that belong to the impulses.
void SemismoothNewton::find_velocities(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  matrix.clear_addition();
  for (ConeConstraint& row : island.rows) row.stiffness.setZero();
  matrix.factor();
  ++factorisations_;
  matrix.for_each_dof([&](size_t i) { island.v[i] = island.b[i]; });
  matrix.for_each_row([&](size_t i) { island.l[i] = island.c[i]; });
  for (const ConeConstraint& row : island.rows) add_impulse(row, row.impulse, island.v);
  matrix.solve(island.v.data(), island.l.data());
}

// Newton's method for one e. Steps that do not decrease |F|^2 are shortened. If that does not help, a few
// full steps are taken anyway.
bool SemismoothNewton::refine(double tolerance, ContactIsland& island) {
  const NewtonParameters& par = parameters_.newton;
  Residuals here = evaluate(island);
  const double first = here.square;
  for (int step = 0, bold = 0; here.relative > tolerance; ++step) {
    if (step == par.max_steps || (step > par.early_steps && here.square > first)) return false;
    step_.factor(island, term_, u_);
    ++factorisations_;
    if (!step_.solve(island, F_)) return false;
    const double before = here.square;
    double share = 1;
    const auto descends = [&] { return here.square < (1 - par.descent * share) * before; };
    here = advance(share, island);
    while (!descends() && 0.5 * share > par.least_share) {
      here = advance(-0.5 * share, island);
      share *= 0.5;
    }
    if (descends()) continue;
    if (++bold > par.bold_steps) return false;
    here = advance(1 - share, island);
  }
  return true;
}

// Starts the proximal method at the current impulses, with parameter e.
void SemismoothNewton::begin_proximal(double e, ContactIsland& island) {
  term_.regularization = e;
  for (size_t i = 0; i < island.rows.size(); ++i)
    term_.centers[i] = project_on_cone(island.rows[i], island.rows[i].impulse);
  find_velocities(island);
}

// A step with the factors of the last one, for F and for the rounding errors of momenta and joints.
SemismoothNewton::Residuals SemismoothNewton::refine_step(ContactIsland& island) {
  step_.solve_again(island, F_);
  return advance(1, island);
}

// Gains the last digits. `residual` is that of the last evaluation.
void SemismoothNewton::finish(double residual, ContactIsland& island) {
  before_.save(island);
  if (!(refine_step(island).relative <= residual)) {
    // No improvement from here: correct momenta and joints alone.
    before_.restore(island);
    std::fill(F_.begin(), F_.end(), Vec3::Zero());
    refine_step(island);
  }
  // Contacts that open or slide satisfy the law exactly.
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const Vec3 z = term_.argument(island, i, u_[i]), p = project_alart_curnier(island.rows[i], z);
    if (p != z) island.rows[i].impulse = p;
  }
}

bool SemismoothNewton::solve_near(double tolerance, double acceptable, ContactIsland& island) {
  const NearNewtonParameters& par = parameters_.near;
  begin_rows(parameters_.newton.scale, island.rows.size());
  const double rounding = term_.scale * largest_rounding(island, parameters_.residual);
  constexpr double kNothing = std::numeric_limits<double>::infinity();
  Residuals here = evaluate(island), best{.largest = kNothing, .relative = kNothing};
  double e = here.relative < parameters_.residual.last_digits ? par.least_regularization : par.regularization;
  for (int step = 0, idle = 0; step < par.max_steps && idle <= par.idle_steps; ++step) {
    term_.regularization = e;
    step_.factor(island, term_, u_);
    ++factorisations_;
    if (!step_.solve_whole(island, u_, F_)) return false;
    term_.regularization = 0;
    const double before = here.square;
    double share = 1;
    here = advance(share, island);
    // In the first step momenta and impulses are not consistent, so that residuals cannot be compared.
    while (step > 0 && !(here.square < before) && 0.5 * share > parameters_.newton.least_share) {
      here = advance(-0.5 * share, island);
      share *= 0.5;
    }
    if (here.relative <= parameters_.residual.easy_share * tolerance)
      return finish(here.relative, island), true;
    const bool gains = here.relative < 0.5 * best.relative, falls = here.relative < best.relative;
    idle = gains ? 0 : idle + 1;
    if (falls) best = here, best_.save(island);
    if (!gains && best.largest <= rounding) break;  // at rounding
    if (!gains) e = falls ? par.least_regularization : par.regularization;
  }
  if (!(best.relative <= std::max(tolerance, acceptable) || best.largest <= rounding)) return false;
  best_.restore(island);
  evaluate(island);
  finish(best.relative, island);
  return true;
}

void SemismoothNewton::polish(double tolerance, ContactIsland& island) {
  begin_rows(parameters_.newton.scale, island.rows.size());
  begin_proximal(parameters_.proximal.polishing, island);
  refine(parameters_.residual.easy_share * tolerance, island);
  find_velocities(island);
}

void SemismoothNewton::solve(double tolerance, double acceptable, double scale, ContactIsland& island) {
  const ProximalSchedule& par = parameters_.proximal;
  begin_rows(scale, island.rows.size());
  begin_proximal(par.initial, island);
  const int started = factorisations_ - 1;
  best_.save(island);
  ContactResidual least = measure(island);
  for (int failures = 0;
       failures <= par.max_failures && factorisations_ - started < par.max_factorisations;) {
    const bool early = failures == 0 && factorisations_ - started < par.enough_factorisations;
    if (least.is_within(early ? tolerance : acceptable)) break;
    const int earlier = factorisations_;
    before_.save(island);
    if (refine(parameters_.newton.stage_residual * term_.regularization, island)) {
      find_velocities(island);  // restores digits lost by contacts with small e
      const ContactResidual here = measure(island);
      if (here.is_within(least.whole)) least = here, best_.save(island);
      for (size_t i = 0; i < island.rows.size(); ++i) term_.centers[i] = island.rows[i].impulse;
      const int steps = factorisations_ - earlier;
      const double factor = steps <= par.quick_steps                  ? par.quick_factor
                            : steps <= parameters_.newton.early_steps ? par.factor
                                                                      : par.slow_factor;
      term_.regularization = std::max(par.minimum, term_.regularization * factor);
    } else {
      before_.restore(island);
      term_.regularization = std::min(par.maximum, par.failed_factor * term_.regularization);
      ++failures;
    }
  }
  best_.restore(island);
  find_velocities(island);
}

}  // namespace tumble::dynamics
