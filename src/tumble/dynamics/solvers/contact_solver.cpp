#include "tumble/dynamics/solvers/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/solvers/augmented_lagrangian.h"
#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/impact_solver.h"
#include "tumble/dynamics/solvers/semismooth_newton.h"

namespace tumble::dynamics {

using math::Vec3;

// One island of (1) after the other: the one that the matrix works on. Decides which method is tried when,
// and keeps the best iterate.
class ContactSolver::Island {
 public:
  explicit Island(const ContactSolverParameters& parameters)
      : parameters_(parameters), lagrangian_(parameters), newton_(parameters) {}
  const ContactSolverParameters& parameters() const { return parameters_; }
  void begin(KktSolver& matrix) {
    island_.matrix = &matrix;
    scaler_.begin(matrix);
  }
  ContactReport solve(std::span<const double> b, std::span<const double> c, std::vector<ConeConstraint>& rows,
                      double tolerance, std::vector<double>& v, std::vector<double>& l, double enough);

 private:
  void begin_rows();
  ContactReport solve_rows(double tolerance, double enough);
  bool iterate_multipliers(double tolerance, double enough, int iterations);
  bool solve_by_newton(double tolerance, double enough, double scale);
  bool approach(double tolerance, double enough);
  void gain_last_digits(double tolerance);
  const ContactResidual& measure() { return residual_ = lagrangian_.measure(island_); }
  void keep_if_best(const ContactResidual& residual);
  void restore_best();
  int factorisations() const { return lagrangian_.factorisations() + newton_.factorisations(); }

  ContactSolverParameters parameters_;
  ContactIsland island_;
  RowScaler scaler_;
  AugmentedLagrangian lagrangian_;
  SemismoothNewton newton_;
  SavedIterate best_, before_;                // before_: approach() was tried
  ContactResidual residual_, best_residual_;  // residual_: as it was measured last
  bool newton_tried_ = false;                 // approach(), but for that from a guess
  int outer_iterations_ = 0;
};

void ContactSolver::Island::begin_rows() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  island_.scales.clear();
  for (const ConeConstraint& row : island_.rows)
    island_.scales.push_back(scaler_.scale_of(row, *island_.matrix));
  newton_.begin(island_);
  lagrangian_.begin(island_);
  newton_tried_ = false;
  outer_iterations_ = 0;
  best_residual_ = {kNever, kNever, 0};
  best_.clear();
}

// Outer iterations until it is solved, or they lead nowhere.
bool ContactSolver::Island::iterate_multipliers(double tolerance, double enough, int iterations) {
  const AugmentedLagrangianParameters& par = parameters_.lagrangian;
  const double easy_share = parameters_.residual.easy_share;
  bool easy = true;
  double last = std::numeric_limits<double>::infinity(), before = 1;
  double largest_penalty = par.largest_penalty;
  lagrangian_.set_penalty(island_, par.penalty);
  bool begun = false;
  int first = 0,
      idle = 0;  // factorisations up to the first iteration of all; iterations that gained little, in a row
  if (outer_iterations_ == 0 && island_.rows.size() <= par.few_rows && !newton_tried_) {
    lagrangian_.minimise(island_, easy_share * tolerance, true, par.few_steps);
    if (!lagrangian_.converged() && (newton_tried_ = true, approach(tolerance, enough))) return true;
    begun = true;
  }
  for (int iteration = 1;; ++iteration, ++outer_iterations_) {
    if (!begun || !lagrangian_.converged())
      lagrangian_.minimise(island_, easy_share * tolerance, outer_iterations_ == 0 && !begun,
                           par.most_newton_steps);
    begun = false;
    lagrangian_.update_multipliers(island_);
    if (outer_iterations_ == 0) first = factorisations();
    if (iteration == 1) lagrangian_.update_rounding(island_);
    const double wanted = (easy ? easy_share : 1) * tolerance;  // what is easy to have is had
    ContactResidual residual = measure();
    // What is stiff rounds so much more.
    const bool loses_digits =
        lagrangian_.stalled() ||
        residual.rounding * (lagrangian_.penalty() / par.penalty) > easy_share * tolerance;
    if (loses_digits && residual.is_within(enough)) lagrangian_.balance(island_), residual = measure();
    const bool converged = lagrangian_.converged(), falls = residual.whole < last / par.gain;
    idle = falls ? 0 : idle + 1;
    if (converged && (residual.whole <= wanted || (!falls && residual.is_within(wanted)))) return true;
    if (converged) keep_if_best(residual);
    if (!newton_tried_ && residual.whole > par.sliding_ratio * std::max(residual.at_shifts, wanted)) {
      newton_tried_ = true;
      if (approach(tolerance, enough)) return true;
    }
    const bool leads = falls || (factorisations() - first <= par.hard_after && idle <= par.last_iterations);
    if (!std::isfinite(residual.whole) || (iteration >= iterations && !leads)) return false;
    easy = easy && falls;
    last = residual.whole;
    const double penalty = lagrangian_.penalty();
    if (!converged)
      lagrangian_.set_penalty(island_,
                              largest_penalty = std::max(penalty / par.penalty_reduction, par.penalty));
    else if (residual.at_shifts > std::max({before / par.gain, wanted, residual.rounding}))
      lagrangian_.set_penalty(island_, std::min(par.penalty_growth * penalty, largest_penalty));
    lagrangian_.update_shifts(island_);
    before = residual.whole;  // with these shifts
  }
}

// Newton's method from here. Its factors have the contacts in them; where it fails all is as before.
bool ContactSolver::Island::approach(double tolerance, double enough) {
  before_.keep(island_);
  lagrangian_.forget_factors();
  const bool near = newton_.approach(tolerance, enough, island_);
  if (near) {
    lagrangian_.look(island_);
    if (measure().is_within(enough)) return true;
  }
  before_.restore(island_);
  lagrangian_.look(island_);
  return false;
}

void ContactSolver::Island::keep_if_best(const ContactResidual& residual) {
  const bool better = residual.is_within(0) == best_residual_.is_within(0)
                          ? residual.whole <= best_residual_.whole
                          : residual.is_within(0);
  if (!better) return;
  best_residual_ = residual;
  best_.keep(island_);
}

bool ContactSolver::Island::solve_by_newton(double tolerance, double enough, double scale) {
  newton_.solve(tolerance, enough, scale, island_);
  lagrangian_.look(island_);
  lagrangian_.forget_factors();
  keep_if_best(measure());
  return best_residual_.is_within(enough);
}

// The best, with factors as outer iterations leave them, contacts in them.
void ContactSolver::Island::restore_best() {
  if (!best_.empty()) {
    best_.restore(island_);
    lagrangian_.look(island_);
    lagrangian_.update_shifts(island_);
    lagrangian_.set_penalty(island_, parameters_.lagrangian.penalty);
    lagrangian_.factor(island_);
  }
  measure();
}

// Asked for more digits than outer iterations have.
void ContactSolver::Island::gain_last_digits(double tolerance) {
  const ContactResidual left = residual_;
  keep_if_best(left);
  approach(tolerance, left.whole);
  keep_if_best(measure());
  if (best_residual_.whole > tolerance) {
    newton_.polish(tolerance, island_);
    lagrangian_.look(island_);
    keep_if_best(measure());
  }
  restore_best();
}

ContactReport ContactSolver::Island::solve_rows(double tolerance, double enough) {
  begin_rows();
  ContactReport report;
  std::vector<ConeConstraint>& rows = island_.rows;
  const bool guessed = std::any_of(rows.begin(), rows.end(),
                                   [](const ConeConstraint& row) { return row.impulse != Vec3::Zero(); });
  if (!(guessed && approach(tolerance, enough)) && !iterate_multipliers(tolerance, enough, 1)) {
    report.solved = best_residual_.is_within(tolerance) ||
                    solve_by_newton(tolerance, enough, parameters_.newton.scale) ||
                    iterate_multipliers(tolerance, enough, parameters_.lagrangian.last_iterations) ||
                    best_residual_.is_within(enough);
    if (!report.solved) {
      for (ConeConstraint& row : rows) row.impulse.setZero();
      report.solved = solve_by_newton(tolerance, enough, parameters_.newton.last_scale);
    }
    restore_best();
  }
  if (residual_.whole > tolerance &&
      (residual_.is_within(0) || residual_.whole < parameters_.residual.last_digits)) {
    gain_last_digits(tolerance);
    report.solved = report.solved || best_residual_.is_within(enough);
  }
  report.residual = residual_.whole;
  report.outer_iterations = outer_iterations_, report.factorisations = factorisations();
  return report;
}

ContactReport ContactSolver::Island::solve(std::span<const double> b, std::span<const double> c,
                                           std::vector<ConeConstraint>& rows, double tolerance,
                                           std::vector<double>& v, std::vector<double>& l, double enough) {
  TUMBLE_ASSERT(island_.matrix);
  island_.b = b, island_.c = c;
  l.resize(c.size());
  const auto swap = [&] { island_.v.swap(v), island_.l.swap(l), island_.rows.swap(rows); };
  swap();
  ContactReport report;
  try {
    report = solve_rows(tolerance, std::max(enough, tolerance));
  } catch (...) {
    swap();
    throw;
  }
  swap();
  return report;
}

struct ContactSolver::Memory {
  explicit Memory(const ContactSolverParameters& parameters) : island(parameters) {}
  Island island;
  RowsByIsland by_island;
  std::vector<ConeConstraint> own;  // rows of the island at hand
  ImpactWorkspace impact;
};

ContactSolver::ContactSolver(const ContactSolverParameters& parameters)
    : memory_(std::make_unique<Memory>(parameters)) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

const ContactSolverParameters& ContactSolver::parameters() const { return memory_->island.parameters(); }
ImpactWorkspace& ContactSolver::impact_workspace() { return memory_->impact; }

void ContactSolver::begin(KktSolver& matrix) { memory_->island.begin(matrix); }

ContactReport ContactSolver::solve_island(std::span<const double> b, std::span<const double> c,
                                          std::vector<ConeConstraint>& rows, double tolerance,
                                          std::vector<double>& v, std::vector<double>& l, double enough) {
  return memory_->island.solve(b, c, rows, tolerance, v, l, enough);
}

ContactReport ContactSolver::solve(KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeConstraint>& rows, double tolerance,
                                   std::vector<double>& v, std::vector<double>& l, double enough) {
  RowsByIsland& by_island = memory_->by_island;
  std::vector<ConeConstraint>& own = memory_->own;
  by_island.build(matrix, rows);
  ContactReport report;
  begin(matrix);
  for (size_t k = 0; k < by_island.islands(); ++k) {
    const std::span<const size_t> numbers = by_island.of(k);
    matrix.select_island(k);
    own.clear();
    for (const size_t i : numbers) own.push_back(rows[i]);
    const ContactReport part = solve_island(b, c, own, tolerance, v, l, enough);
    for (size_t i = 0; i < numbers.size(); ++i) rows[numbers[i]].impulse = own[i].impulse;
    report.residual = std::max(report.residual, part.residual);
    report.solved = report.solved && part.solved;
    report.outer_iterations = std::max(report.outer_iterations, part.outer_iterations);
    report.factorisations = std::max(report.factorisations, part.factorisations);
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
