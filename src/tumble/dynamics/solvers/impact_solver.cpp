#include "tumble/dynamics/solvers/impact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

namespace {

// The impact in the island that `matrix` has selected.
class Impact {
 public:
  Impact(KktSolver& matrix, ContactSolver& solver, double tolerance, std::vector<double>& v)
      : matrix_(matrix), solver_(solver), ws_(solver.impact_workspace()), tolerance_(tolerance), v_(v) {
    for (std::vector<double>* x :
         {&ws_.start, &ws_.momenta, &ws_.impulse, &ws_.compression, &ws_.restitution_impulse, &ws_.change})
      x->resize(v.size());
    for (std::vector<double>* y : {&ws_.zero, &ws_.joint_speeds, &ws_.l}) y->resize(matrix.rows());
    solver.begin(matrix);
  }

  // Begins the selected island. Joints keep their speeds: c = J v.
  void begin() {
    clear(ws_.impulse);
    matrix_.for_each_row([&](size_t i) { ws_.joint_speeds[i] = ws_.zero[i] = 0; });
    matrix_.subtract_rows(v_.data(), ws_.zero.data(), ws_.impulse.data(), ws_.joint_speeds.data());
    matrix_.for_each_row([&](size_t i) { ws_.joint_speeds[i] = -ws_.joint_speeds[i]; });
  }

  // One round. Leaves the impulses of both phases in ws.active.
  void resolve(ImpactReport& report) {
    std::vector<ConeConstraint>& rows = ws_.active;
    matrix_.for_each_dof([&](size_t i) { ws_.start[i] = v_[i]; });
    compute_momenta();
    solve(rows, report);
    add_restitution(report);
    clear(ws_.impulse);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].impulse += ws_.restitution_impulses[i];
      add_impulse(rows[i], rows[i].impulse, ws_.impulse);
    }
    // The velocities that follow exactly from these impulses. Impulses with an error must not add energy.
    const ContactSolverParameters& par = solver_.parameters();
    compute_change(ws_.impulse);
    const double work = dot(ws_.impulse, ws_.start), size = dot(ws_.impulse, ws_.change);
    double rounding = 0;
    matrix_.for_each_dof(
        [&](size_t i) { rounding += par.residual.round_off * std::abs(ws_.impulse[i] * ws_.start[i]); });
    double share = 1;
    if (size > -2 * work + rounding) share = std::max(0.0, -2 * work / size);
    if (share < 1 - par.impact.unreported_reduction) ++report.reduced;
    matrix_.for_each_dof([&](size_t i) { v_[i] = ws_.start[i] + share * ws_.change[i]; });
    for (ConeConstraint& row : rows) row.impulse *= share;
  }
  // Since construction.
  int factorisations() const { return factorisations_; }

 private:
  // Computes the impulses of restitution, in ws.restitution_impulses.
  void add_restitution(ImpactReport& report) {
    const std::vector<ConeConstraint>& rows = ws_.active;
    const std::vector<double>& e = ws_.restitution;
    clear(ws_.compression), clear(ws_.restitution_impulse);
    for (size_t i = 0; i < rows.size(); ++i) {
      add_impulse(rows[i], rows[i].impulse, ws_.compression);
      add_impulse(rows[i], e[i] * rows[i].impulse, ws_.restitution_impulse);
    }
    factor();
    compute_change(ws_.compression);
    matrix_.for_each_dof([&](size_t i) { v_[i] = ws_.start[i] + ws_.change[i]; });
    const double B = dot(ws_.compression, ws_.change) - 2 * dot(ws_.compression, v_);
    compute_change(ws_.restitution_impulse);
    const double Q = dot(ws_.restitution_impulse, ws_.change);
    const double share = Q > 0 ? std::min(1.0, math::sqrt(std::max(0.0, B / Q))) : 0;
    compute_momenta();
    std::vector<ConeConstraint>& discs = ws_.discs;
    discs.clear(), ws_.disc_of.clear();
    ws_.restitution_impulses.assign(rows.size(), Vec3::Zero());
    for (size_t i = 0; i < rows.size(); ++i) {
      Vec3& impulse = ws_.restitution_impulses[i];
      impulse.x() = share * e[i] * rows[i].impulse.x();
      if (!(impulse.x() > 0)) continue;
      add_impulse(rows[i], impulse, ws_.momenta);
      const double radius = rows[i].friction * impulse.x();
      if (!(radius > 0)) continue;
      ConeConstraint& disc = discs.emplace_back(rows[i]);
      disc.set = ConeConstraint::Set::ball;
      disc.radius = radius;
      disc.G_a.row(0).setZero(), disc.G_b.row(0).setZero();
      disc.impulse.setZero();
      ws_.disc_of.push_back(i);
    }
    if (!discs.empty()) solve(discs, report), factor();
    for (size_t k = 0; k < discs.size(); ++k) {
      Vec3& impulse = ws_.restitution_impulses[ws_.disc_of[k]];
      impulse.y() = discs[k].impulse.y(), impulse.z() = discs[k].impulse.z();
    }
  }
  void compute_momenta() {
    clear(ws_.momenta);
    matrix_.subtract_product(v_.data(), ws_.momenta.data());
    matrix_.for_each_dof([&](size_t i) { ws_.momenta[i] = -ws_.momenta[i]; });
  }
  // Factors masses and joints alone, for compute_change(). A contact problem leaves other factors.
  void factor() {
    matrix_.clear_addition();
    matrix_.factor();
    ++factorisations_;
  }
  // The change of velocities by an impulse, under the joints, in ws.change.
  void compute_change(const std::vector<double>& impulse) {
    matrix_.for_each_dof([&](size_t i) { ws_.change[i] = impulse[i]; });
    matrix_.for_each_row([&](size_t i) { ws_.zero[i] = 0; });
    matrix_.solve(ws_.change.data(), ws_.zero.data());
  }
  void solve(std::vector<ConeConstraint>& rows, ImpactReport& report) {
    const ContactReport solved =
        solver_.solve_island(ws_.momenta, ws_.joint_speeds, rows, tolerance_, v_, ws_.l, tolerance_);
    report.residual = std::max(report.residual, solved.residual);
    if (!solved.solved) ++report.unsolved;
    factorisations_ += solved.factorisations;
  }
  double dot(const std::vector<double>& x, const std::vector<double>& y) const {
    double sum = 0;
    matrix_.for_each_dof([&](size_t i) { sum += x[i] * y[i]; });
    return sum;
  }
  void clear(std::vector<double>& x) const {
    matrix_.for_each_dof([&](size_t i) { x[i] = 0; });
  }

  KktSolver& matrix_;
  ContactSolver& solver_;
  ImpactWorkspace& ws_;
  double tolerance_;
  std::vector<double>& v_;
  int factorisations_ = 0;
};

// Parameters of an impact.
struct ImpactQuery {
  std::span<const double> restitution;   // by row
  double speed_tolerance, bounce_speed;  // m/s, or rad/s where a row is an angle
};

// Fills ws.active with the rows of an island that take part in a round, and their restitution. Empty if
// nothing approaches. `late`: the rounds with restitution did not end; then every other round includes all
// rows.
void select_active_rows(const std::vector<ConeConstraint>& rows, std::span<const size_t> own,
                        const ImpactQuery& query, const std::vector<double>& v, bool late, bool all_if_late,
                        ImpactWorkspace& ws) {
  ws.active.clear(), ws.numbers.clear(), ws.restitution.clear(), ws.approach.clear();
  double fastest = -std::numeric_limits<double>::infinity();
  // Contacts that do not bounce_speed come to rest together. Otherwise an impulse would travel to and fro.
  bool any_bounces = false;
  for (const size_t i : own) {
    const double approach = -relative_velocity(rows[i], v).x();
    ws.approach.push_back(approach);
    if (i == own.front() || fastest < approach) fastest = approach;
    any_bounces = any_bounces || (approach > query.bounce_speed && query.restitution[i] > 0);
  }
  if (!(fastest > query.speed_tolerance)) return;
  const bool together = late ? all_if_late : !any_bounces;
  for (size_t k = 0; k < own.size(); ++k) {
    if (!together && !(ws.approach[k] > query.speed_tolerance)) continue;
    ws.active.push_back(rows[own[k]]), ws.numbers.push_back(own[k]);
    ws.active.back().impulse.setZero();
    ws.restitution.push_back(late || !(ws.approach[k] > query.bounce_speed) ? 0 : query.restitution[own[k]]);
  }
}

}  // namespace

ImpactReport solve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                           std::span<const double> restitution, double speed_tolerance, double bounce_speed,
                           double tolerance, ContactSolver& solver, std::vector<double>& v) {
  const ImpactParameters& par = solver.parameters().impact;
  const ImpactQuery query{restitution, speed_tolerance, bounce_speed};
  ImpactWorkspace& ws = solver.impact_workspace();
  ImpactReport report;
  Impact impact(matrix, solver, tolerance, v);
  for (ConeConstraint& row : rows) row.impulse.setZero(), row.bias.setZero();
  ws.by_island.build(matrix, rows);
  for (size_t island = 0; island < ws.by_island.islands(); ++island) {
    const std::span<const size_t> own = ws.by_island.of(island);
    matrix.select_island(island);
    const int before = impact.factorisations();
    const int max_rounds = par.rounds + par.rounds_per_contact * static_cast<int>(own.size());
    for (int round = 0; round < max_rounds + par.last_rounds; ++round) {
      const bool late = round >= max_rounds;
      select_active_rows(rows, own, query, v, late, (round - max_rounds) % 2 == 0, ws);
      if (ws.active.empty()) break;
      if (round == 0) impact.begin();
      report.cut_short = report.cut_short || late;
      report.rounds = std::max(report.rounds, round + 1);
      impact.resolve(report);
      for (size_t k = 0; k < ws.active.size(); ++k) rows[ws.numbers[k]].impulse += ws.active[k].impulse;
    }
    report.factorisations = std::max(report.factorisations, impact.factorisations() - before);
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
