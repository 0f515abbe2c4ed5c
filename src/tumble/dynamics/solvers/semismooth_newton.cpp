#include "tumble/dynamics/solvers/semismooth_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

void SemismoothNewton::begin_rows(double scale, size_t rows) {
  term_.scale = scale, term_.give = 0;
  term_.centers.assign(rows, Vec3::Zero());
}

SemismoothNewton::Look SemismoothNewton::look(const ContactIsland& island) {
  const std::vector<ConeConstraint>& rows = island.rows;
  Look result;
  double most = 0, wrong = 0;  // squares
  u_.resize(rows.size()), F_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeConstraint& row = rows[i];
    u_[i] = speed_at(row, island.v) + row.bias;
    F_[i] = row.impulse - project_alart_curnier(row, term_.argument(island, i, u_[i]));
    const double square = F_[i].squaredNorm();
    most = std::max(most, row.impulse.squaredNorm()), wrong = std::max(wrong, square);
    result.square += square;
  }
  const double size = std::max(most, wrong);
  result.wrong = math::sqrt(wrong);
  result.residual = !std::isfinite(result.square) ? std::numeric_limits<double>::infinity()
                    : size > 0                    ? math::sqrt(wrong / size)
                                                  : 0;
  return result;
}

ContactResidual SemismoothNewton::measure(const ContactIsland& island) {
  compute_row_velocities(island.rows, island.v, u_);
  return measure_residual(island, u_, {}, largest_rounding(island, parameters_.residual),
                          parameters_.residual);
}

// A share of the step.
SemismoothNewton::Look SemismoothNewton::advance(double share, ContactIsland& island) {
  island.matrix->for_each_dof([&](size_t i) { island.v[i] += share * step_.dv()[i]; });
  island.matrix->for_each_row([&](size_t i) { island.l[i] += share * step_.dl()[i]; });
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse += share * step_.dr()[i];
  return look(island);
}

// The velocities that go with the impulses.
void SemismoothNewton::find_velocities(ContactIsland& island) {
  KktSolver& matrix = *island.matrix;
  matrix.clear_addition();
  matrix.factor();
  ++factorisations_;
  matrix.for_each_dof([&](size_t i) { island.v[i] = island.b[i]; });
  matrix.for_each_row([&](size_t i) { island.l[i] = island.c[i]; });
  for (const ConeConstraint& row : island.rows) add_push(row, row.impulse, island.v);
  matrix.solve(island.v.data(), island.l.data());
}

// Newton's method for one e. Steps that do not lessen what is left are cut; where none does, a few are taken
// as they are.
bool SemismoothNewton::refine(double tolerance, ContactIsland& island) {
  const NewtonParameters& par = parameters_.newton;
  Look here = look(island);
  const double first = here.square;
  for (int step = 0, bold = 0; here.residual > tolerance; ++step) {
    if (step == par.most_steps || (step > par.early_steps && here.square > first)) return false;
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

// From now on contacts give, as seen from where they are.
void SemismoothNewton::give_way(double give, ContactIsland& island) {
  term_.give = give;
  for (size_t i = 0; i < island.rows.size(); ++i)
    term_.centers[i] = project_on_cone(island.rows[i], island.rows[i].impulse);
  find_velocities(island);
}

// A step by the factors of the last one, for what is left of F and what rounding has left of momenta and
// joints.
SemismoothNewton::Look SemismoothNewton::step_again(ContactIsland& island) {
  step_.solve_again(island, F_);
  return advance(1, island);
}

// The last digits, where rows were looked at and this was left.
void SemismoothNewton::finish(double residual, ContactIsland& island) {
  before_.keep(island);
  if (!(step_again(island).residual <= residual)) {
    // From here it does not lead nearer: momenta and joints alone.
    before_.restore(island);
    std::fill(F_.begin(), F_.end(), Vec3::Zero());
    step_again(island);
  }
  // What parts or slides does so exactly.
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const Vec3 z = term_.argument(island, i, u_[i]), p = project_alart_curnier(island.rows[i], z);
    if (p != z) island.rows[i].impulse = p;
  }
}

bool SemismoothNewton::approach(double tolerance, double enough, ContactIsland& island) {
  const NearNewtonParameters& par = parameters_.near;
  begin_rows(parameters_.newton.scale, island.rows.size());
  const double rounding = term_.scale * largest_rounding(island, parameters_.residual);
  constexpr double kNothing = std::numeric_limits<double>::infinity();
  Look here = look(island), best{.wrong = kNothing, .residual = kNothing};
  double give = here.residual < parameters_.residual.last_digits ? par.least_give : par.give;
  for (int step = 0, idle = 0; step < par.most_steps && idle <= par.idle_steps; ++step) {
    term_.give = give;
    step_.factor(island, term_, u_);
    ++factorisations_;
    if (!step_.solve_whole(island, u_, F_)) return false;
    term_.give = 0;
    const double before = here.square;
    double share = 1;
    here = advance(share, island);
    // At first momenta do not go with impulses: what is left cannot be compared.
    while (step > 0 && !(here.square < before) && 0.5 * share > parameters_.newton.least_share) {
      here = advance(-0.5 * share, island);
      share *= 0.5;
    }
    if (here.residual <= parameters_.residual.easy_share * tolerance)
      return finish(here.residual, island), true;
    const bool gains = here.residual < 0.5 * best.residual, falls = here.residual < best.residual;
    idle = gains ? 0 : idle + 1;
    if (falls) best = here, best_.keep(island);
    if (!gains && best.wrong <= rounding) break;  // nothing more to be had
    if (!gains) give = falls ? par.least_give : par.give;
  }
  if (!(best.residual <= std::max(tolerance, enough) || best.wrong <= rounding)) return false;
  best_.restore(island);
  look(island);
  finish(best.residual, island);
  return true;
}

void SemismoothNewton::polish(double tolerance, ContactIsland& island) {
  begin_rows(parameters_.newton.scale, island.rows.size());
  give_way(parameters_.proximal.polishing, island);
  refine(parameters_.residual.easy_share * tolerance, island);
  find_velocities(island);
}

void SemismoothNewton::solve(double tolerance, double enough, double scale, ContactIsland& island) {
  const ProximalSchedule& par = parameters_.proximal;
  begin_rows(scale, island.rows.size());
  give_way(par.initial, island);
  const int started = factorisations_ - 1;
  best_.keep(island);
  ContactResidual least = measure(island);
  for (int failures = 0;
       failures <= par.most_failures && factorisations_ - started < par.most_factorisations;) {
    const bool early = failures == 0 && factorisations_ - started < par.enough_factorisations;
    if (least.is_within(early ? tolerance : enough)) break;
    const int earlier = factorisations_;
    before_.keep(island);
    if (refine(parameters_.newton.stage_residual * term_.give, island)) {
      find_velocities(island);  // digits that contacts of small e have cost
      const ContactResidual here = measure(island);
      if (here.is_within(least.whole)) least = here, best_.keep(island);
      for (size_t i = 0; i < island.rows.size(); ++i) term_.centers[i] = island.rows[i].impulse;
      const int steps = factorisations_ - earlier;
      const double factor = steps <= par.quick_steps                  ? par.quick_factor
                            : steps <= parameters_.newton.early_steps ? par.factor
                                                                      : par.slow_factor;
      term_.give = std::max(par.minimum, term_.give * factor);
    } else {
      before_.restore(island);
      term_.give = std::min(par.maximum, par.failed_factor * term_.give);
      ++failures;
    }
  }
  best_.restore(island);
  find_velocities(island);
}

}  // namespace tumble::dynamics
