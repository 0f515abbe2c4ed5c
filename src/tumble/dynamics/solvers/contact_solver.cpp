#include "tumble/dynamics/solvers/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tumble/core/require.h"
#include "tumble/dynamics/solvers/augmented_lagrangian.h"
#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/impact_solver.h"
#include "tumble/dynamics/solvers/semismooth_newton.h"

namespace tumble::dynamics {

using math::Vec3;

// Solves one island of (1) after the other, each time the one that the matrix has selected. Decides which
// method is tried when, and saves the best iterate.
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
                      double tolerance, std::vector<double>& v, std::vector<double>& l, double acceptable);

 private:
  void begin_rows();
  ContactReport solve_rows(double tolerance, double acceptable);
  bool iterate_multipliers(double tolerance, double acceptable, int iterations);
  void guess_confined(double tolerance, double acceptable);
  int correct_confined();
  bool solve_by_newton(double tolerance, double acceptable, double scale);
  bool try_newton(double tolerance, double acceptable);
  void gain_last_digits(double tolerance);
  const ContactResidual& measure() { return residual_ = lagrangian_.measure(island_); }
  void save_if_best(const ContactResidual& residual);
  void restore_best();
  int factorisations() const { return lagrangian_.factorisations() + newton_.factorisations(); }

  ContactSolverParameters parameters_;
  ContactIsland island_;
  RowScaler scaler_;
  AugmentedLagrangian lagrangian_;
  SemismoothNewton newton_;
  SavedIterate best_, before_;                // before_: at the start of try_newton()
  ContactResidual residual_, best_residual_;  // residual_: the one measured last
  bool newton_tried_ = false;                 // try_newton() was called, other than from the initial guess
  int outer_iterations_ = 0;
  std::vector<double> frictions_;  // scratch
  // Scratch of correct_confined().
  std::vector<ConeConstraint> confined_;
  std::vector<double> v_, l_, zeros_;
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

// Outer iterations until the island is solved or they make no progress.
bool ContactSolver::Island::iterate_multipliers(double tolerance, double acceptable, int iterations) {
  const AugmentedLagrangianParameters& par = parameters_.lagrangian;
  const double easy_share = parameters_.residual.easy_share;
  bool easy = true;
  double last = std::numeric_limits<double>::infinity(), before = 1;
  double largest_penalty = par.largest_penalty;
  lagrangian_.set_penalty(island_, par.penalty);
  bool begun = false;
  int first = 0;  // factorisations up to the first iteration of all
  int idle = 0;   // successive iterations that gained little
  if (outer_iterations_ == 0 && island_.rows.size() <= par.few_rows && !newton_tried_) {
    lagrangian_.minimise(island_, easy_share * tolerance, true, par.few_steps);
    if (!lagrangian_.converged() && (newton_tried_ = true, try_newton(tolerance, acceptable))) return true;
    begun = true;
  }
  for (int iteration = 1;; ++iteration, ++outer_iterations_) {
    if (!begun || !lagrangian_.converged())
      lagrangian_.minimise(island_, easy_share * tolerance, outer_iterations_ == 0 && !begun,
                           par.max_newton_steps);
    begun = false;
    lagrangian_.update_multipliers(island_);
    if (outer_iterations_ == 0) first = factorisations();
    if (iteration == 1) lagrangian_.update_rounding(island_);
    const double wanted = (easy ? easy_share : 1) * tolerance;  // further than needed while it is easy
    ContactResidual residual = measure();
    // The rounding error grows with the penalty.
    const bool loses_digits =
        lagrangian_.stalled() ||
        residual.rounding * (lagrangian_.penalty() / par.penalty) > easy_share * tolerance;
    if (loses_digits && residual.is_within(acceptable)) lagrangian_.refine(island_), residual = measure();
    const bool converged = lagrangian_.converged(), falls = residual.whole < last / par.gain;
    idle = falls ? 0 : idle + 1;
    if (converged && (residual.whole <= wanted || (!falls && residual.is_within(wanted)))) return true;
    if (converged) save_if_best(residual);
    if (!newton_tried_ && residual.whole > par.sliding_ratio * std::max(residual.at_shifts, wanted)) {
      newton_tried_ = true;
      if (try_newton(tolerance, acceptable)) return true;
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

// Between rows that oppose each other without play any preload balances itself, and with friction many of
// them satisfy (1). Multipliers that start at zero with s = 0 demand u_n >= mu |u_t|, which such rows cannot
// satisfy but by a preload that makes them stick. So the solution without their friction comes first. It has
// no more preload than it needs, and its s allow the rows to slide.
void ContactSolver::Island::guess_confined(double tolerance, double acceptable) {
  frictions_.clear();
  for (ConeConstraint& row : island_.rows) {
    frictions_.push_back(row.friction);
    if (row.is_confined) row.friction = 0;
  }
  iterate_multipliers(tolerance, acceptable, 1);
  for (size_t i = 0; i < frictions_.size(); ++i) island_.rows[i].friction = frictions_[i];
  begin_rows();
  lagrangian_.update_shifts(island_);
  newton_tried_ = true;
}

// Rows without play are satisfied to rounding: the room between their bodies is smaller than what the
// residual of a degenerate island leaves. The least change of the velocities that does it is a problem of the
// confined rows alone, without friction, and convex. It changes the rest by no more than the residual.
// Returns the number of factorisations.
int ContactSolver::Island::correct_confined() {
  confined_.clear();
  double least = 0;
  for (const ConeConstraint& row : island_.rows) {
    if (!row.is_confined) continue;
    const double speed = relative_velocity(row, island_.v).x() + row.bias.x();
    least = std::min(least, speed);
    ConeConstraint only_normal = row;
    only_normal.set = ConeConstraint::Set::positive;
    only_normal.bias = Vec3(speed, 0, 0);
    only_normal.impulse.setZero();
    confined_.push_back(only_normal);
  }
  if (!(least < 0)) return 0;
  zeros_.resize(std::max({zeros_.size(), island_.b.size(), island_.c.size()}), 0.0);
  const std::span<const double> b = std::exchange(island_.b, std::span(zeros_).first(island_.b.size())),
                                c = std::exchange(island_.c, std::span(zeros_).first(island_.c.size()));
  v_.resize(island_.v.size()), l_.resize(island_.l.size());
  island_.matrix->for_each_dof([&](size_t i) { v_[i] = std::exchange(island_.v[i], 0); });
  island_.matrix->for_each_row([&](size_t i) { l_[i] = std::exchange(island_.l[i], 0); });
  island_.rows.swap(confined_);
  begin_rows();
  const double tolerance = parameters_.residual.confined;
  if (!iterate_multipliers(tolerance, tolerance, 1) && !best_.empty()) best_.restore(island_);
  const int spent = factorisations();
  island_.rows.swap(confined_);
  island_.b = b, island_.c = c;
  island_.matrix->for_each_dof([&](size_t i) { island_.v[i] += v_[i]; });
  island_.matrix->for_each_row([&](size_t i) { island_.l[i] += l_[i]; });
  for (size_t i = 0, k = 0; i < island_.rows.size(); ++i)
    if (island_.rows[i].is_confined) island_.rows[i].impulse.x() += confined_[k++].impulse.x();
  begin_rows();
  lagrangian_.update_shifts(island_);
  lagrangian_.set_penalty(island_, parameters_.lagrangian.penalty);
  measure();
  lagrangian_.factor(island_);
  return spent + factorisations();
}

// Newton's method from the iterate. It leaves factors with contacts. On failure the iterate is restored.
bool ContactSolver::Island::try_newton(double tolerance, double acceptable) {
  before_.save(island_);
  lagrangian_.invalidate_factors();
  const bool near = newton_.solve_near(tolerance, acceptable, island_);
  if (near) {
    lagrangian_.refresh(island_);
    if (measure().is_within(acceptable)) return true;
  }
  before_.restore(island_);
  lagrangian_.refresh(island_);
  return false;
}

void ContactSolver::Island::save_if_best(const ContactResidual& residual) {
  const bool better = residual.is_within(0) == best_residual_.is_within(0)
                          ? residual.whole <= best_residual_.whole
                          : residual.is_within(0);
  if (!better) return;
  best_residual_ = residual;
  best_.save(island_);
}

bool ContactSolver::Island::solve_by_newton(double tolerance, double acceptable, double scale) {
  newton_.solve(tolerance, acceptable, scale, island_);
  lagrangian_.refresh(island_);
  lagrangian_.invalidate_factors();
  save_if_best(measure());
  return best_residual_.is_within(acceptable);
}

// Restores the best iterate, with factors that include contacts, as outer iterations leave them.
void ContactSolver::Island::restore_best() {
  if (!best_.empty()) {
    best_.restore(island_);
    lagrangian_.refresh(island_);
    lagrangian_.update_shifts(island_);
    lagrangian_.set_penalty(island_, parameters_.lagrangian.penalty);
    lagrangian_.factor(island_);
  }
  measure();
}

// For a tolerance below what outer iterations reach.
void ContactSolver::Island::gain_last_digits(double tolerance) {
  const ContactResidual left = residual_;
  save_if_best(left);
  try_newton(tolerance, left.whole);
  save_if_best(measure());
  if (best_residual_.whole > tolerance) {
    newton_.polish(tolerance, island_);
    lagrangian_.refresh(island_);
    save_if_best(measure());
  }
  restore_best();
}

ContactReport ContactSolver::Island::solve_rows(double tolerance, double acceptable) {
  begin_rows();
  ContactReport report;
  std::vector<ConeConstraint>& rows = island_.rows;
  const bool guessed = std::any_of(rows.begin(), rows.end(),
                                   [](const ConeConstraint& row) { return row.impulse != Vec3::Zero(); });
  const bool near = guessed && try_newton(tolerance, acceptable);
  if (!near && std::any_of(rows.begin(), rows.end(),
                           [](const ConeConstraint& row) { return row.is_confined && row.friction > 0; }))
    guess_confined(tolerance, acceptable);
  if (!near && !iterate_multipliers(tolerance, acceptable, 1)) {
    report.solved = best_residual_.is_within(tolerance) ||
                    solve_by_newton(tolerance, acceptable, parameters_.newton.scale) ||
                    iterate_multipliers(tolerance, acceptable, parameters_.lagrangian.last_iterations) ||
                    best_residual_.is_within(acceptable);
    if (!report.solved) {
      for (ConeConstraint& row : rows) row.impulse.setZero();
      report.solved = solve_by_newton(tolerance, acceptable, parameters_.newton.last_scale);
    }
    restore_best();
  }
  if (residual_.whole > tolerance &&
      (residual_.is_within(0) || residual_.whole < parameters_.residual.last_digits)) {
    gain_last_digits(tolerance);
    report.solved = report.solved || best_residual_.is_within(acceptable);
  }
  report.residual = residual_.whole;
  report.outer_iterations = outer_iterations_, report.factorisations = factorisations();
  if (std::any_of(rows.begin(), rows.end(), [](const ConeConstraint& row) { return row.is_confined; })) {
    report.factorisations += correct_confined();
    report.residual = std::max(report.residual, residual_.whole);
  }
  return report;
}

ContactReport ContactSolver::Island::solve(std::span<const double> b, std::span<const double> c,
                                           std::vector<ConeConstraint>& rows, double tolerance,
                                           std::vector<double>& v, std::vector<double>& l,
                                           double acceptable) {
  TUMBLE_ASSERT(island_.matrix);
  island_.b = b, island_.c = c;
  l.resize(c.size());
  const auto swap = [&] { island_.v.swap(v), island_.l.swap(l), island_.rows.swap(rows); };
  swap();
  ContactReport report;
  try {
    report = solve_rows(tolerance, std::max(acceptable, tolerance));
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
  std::vector<ConeConstraint> own;  // rows of the current island
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
                                          std::vector<double>& v, std::vector<double>& l, double acceptable) {
  return memory_->island.solve(b, c, rows, tolerance, v, l, acceptable);
}

ContactReport ContactSolver::solve(KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeConstraint>& rows, double tolerance,
                                   std::vector<double>& v, std::vector<double>& l, double acceptable) {
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
    const ContactReport part = solve_island(b, c, own, tolerance, v, l, acceptable);
    for (size_t i = 0; i < numbers.size(); ++i)
      rows[numbers[i]].impulse = own[i].impulse, rows[numbers[i]].stiffness = own[i].stiffness;
    report.residual = std::max(report.residual, part.residual);
    report.solved = report.solved && part.solved;
    report.outer_iterations = std::max(report.outer_iterations, part.outer_iterations);
    report.factorisations = std::max(report.factorisations, part.factorisations);
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
