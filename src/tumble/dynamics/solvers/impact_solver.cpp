#include "tumble/dynamics/solvers/impact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

namespace {

// The bodies of one island that hit each other: that on which `matrix` works.
class Impact {
 public:
  Impact(KktSolver& matrix, ContactSolver& solver, double tolerance, std::vector<double>& v)
      : matrix_(matrix), solver_(solver), ws_(solver.impact_workspace()), tolerance_(tolerance), v_(v) {
    for (std::vector<double>* x :
         {&ws_.start, &ws_.momenta, &ws_.push, &ws_.stopping, &ws_.giving, &ws_.change})
      x->resize(v.size());
    for (std::vector<double>* y : {&ws_.none, &ws_.speeds, &ws_.l}) y->resize(matrix.rows());
    solver.begin(matrix);
  }

  // The island that `matrix` works on now. Joints keep the speeds they have: c = J v.
  void begin() {
    clear(ws_.push);
    matrix_.for_each_row([&](size_t i) { ws_.speeds[i] = ws_.none[i] = 0; });
    matrix_.subtract_rows(v_.data(), ws_.none.data(), ws_.push.data(), ws_.speeds.data());
    matrix_.for_each_row([&](size_t i) { ws_.speeds[i] = -ws_.speeds[i]; });
  }

  // One round: the impulses of both phases are left in ws.hit.
  void resolve(ImpactReport& report) {
    std::vector<ConeConstraint>& rows = ws_.hit;
    matrix_.for_each_dof([&](size_t i) { ws_.start[i] = v_[i]; });
    find_momenta();
    solve(rows, report);
    restitute(report);
    clear(ws_.push);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].impulse += ws_.given[i];
      add_push(rows[i], rows[i].impulse, ws_.push);
    }
    // The velocities these impulses make, to the last digit; and were impulses wrong, never more energy.
    const ContactSolverParameters& par = solver_.parameters();
    respond(ws_.push);
    const double work = dot(ws_.push, ws_.start), size = dot(ws_.push, ws_.change);
    double rounding = 0;
    matrix_.for_each_dof(
        [&](size_t i) { rounding += par.residual.round_off * std::abs(ws_.push[i] * ws_.start[i]); });
    double share = 1;
    if (size > -2 * work + rounding) share = std::max(0.0, -2 * work / size);
    if (share < 1 - par.impact.unreported_reduction) ++report.reduced;
    matrix_.for_each_dof([&](size_t i) { v_[i] = ws_.start[i] + share * ws_.change[i]; });
    for (ConeConstraint& row : rows) row.impulse *= share;
  }
  // Since the object was made.
  int factorisations() const { return factorisations_; }

 private:
  // Impulses of restitution, into ws.given.
  void restitute(ImpactReport& report) {
    const std::vector<ConeConstraint>& rows = ws_.hit;
    const std::vector<double>& e = ws_.restitution;
    clear(ws_.stopping), clear(ws_.giving);
    for (size_t i = 0; i < rows.size(); ++i) {
      add_push(rows[i], rows[i].impulse, ws_.stopping);
      add_push(rows[i], e[i] * rows[i].impulse, ws_.giving);
    }
    factor();
    respond(ws_.stopping);
    matrix_.for_each_dof([&](size_t i) { v_[i] = ws_.start[i] + ws_.change[i]; });
    const double B = dot(ws_.stopping, ws_.change) - 2 * dot(ws_.stopping, v_);
    respond(ws_.giving);
    const double Q = dot(ws_.giving, ws_.change);
    const double share = Q > 0 ? std::min(1.0, math::sqrt(std::max(0.0, B / Q))) : 0;
    find_momenta();
    std::vector<ConeConstraint>& discs = ws_.discs;
    discs.clear(), ws_.disc_of.clear();
    ws_.given.assign(rows.size(), Vec3::Zero());
    for (size_t i = 0; i < rows.size(); ++i) {
      Vec3& given = ws_.given[i];
      given.x() = share * e[i] * rows[i].impulse.x();
      if (!(given.x() > 0)) continue;
      add_push(rows[i], given, ws_.momenta);
      const double radius = rows[i].friction * given.x();
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
      Vec3& given = ws_.given[ws_.disc_of[k]];
      given.y() = discs[k].impulse.y(), given.z() = discs[k].impulse.z();
    }
  }
  void find_momenta() {
    clear(ws_.momenta);
    matrix_.subtract_product(v_.data(), ws_.momenta.data());
    matrix_.for_each_dof([&](size_t i) { ws_.momenta[i] = -ws_.momenta[i]; });
  }
  // Factors of the masses and joints alone, which `respond` wants: a contact problem leaves others.
  void factor() {
    matrix_.clear_addition();
    matrix_.factor();
    ++factorisations_;
  }
  // The velocities a push makes under the joints, into ws.change.
  void respond(const std::vector<double>& push) {
    matrix_.for_each_dof([&](size_t i) { ws_.change[i] = push[i]; });
    matrix_.for_each_row([&](size_t i) { ws_.none[i] = 0; });
    matrix_.solve(ws_.change.data(), ws_.none.data());
  }
  void solve(std::vector<ConeConstraint>& rows, ImpactReport& report) {
    const ContactReport solved =
        solver_.solve_island(ws_.momenta, ws_.speeds, rows, tolerance_, v_, ws_.l, tolerance_);
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

// What is asked of an impact.
struct ImpactQuery {
  std::span<const double> restitution;  // by row
  double slowest, bounce;               // m/s, or rad/s where a row is an angle
};

// Fills ws.hit with the rows of an island that take part in a round, and their restitution. None: nothing
// approaches. `late`: rounds with restitution did not come to an end; every other one is of all rows then.
void select_hit(const std::vector<ConeConstraint>& rows, std::span<const size_t> own,
                const ImpactQuery& query, const std::vector<double>& v, bool late, bool all_if_late,
                ImpactWorkspace& ws) {
  ws.hit.clear(), ws.numbers.clear(), ws.restitution.clear(), ws.approach.clear();
  double fastest = -std::numeric_limits<double>::infinity();
  // What does not bounce comes to rest together, or it would be passed to and fro.
  bool bounces = false;
  for (const size_t i : own) {
    const double approach = -speed_at(rows[i], v).x();
    ws.approach.push_back(approach);
    if (i == own.front() || fastest < approach) fastest = approach;
    bounces = bounces || (approach > query.bounce && query.restitution[i] > 0);
  }
  if (!(fastest > query.slowest)) return;
  const bool together = late ? all_if_late : !bounces;
  for (size_t k = 0; k < own.size(); ++k) {
    if (!together && !(ws.approach[k] > query.slowest)) continue;
    ws.hit.push_back(rows[own[k]]), ws.numbers.push_back(own[k]);
    ws.hit.back().impulse.setZero();
    ws.restitution.push_back(late || !(ws.approach[k] > query.bounce) ? 0 : query.restitution[own[k]]);
  }
}

}  // namespace

ImpactReport resolve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                             std::span<const double> restitution, double slowest, double bounce,
                             double tolerance, ContactSolver& solver, std::vector<double>& v) {
  const ImpactParameters& par = solver.parameters().impact;
  const ImpactQuery query{restitution, slowest, bounce};
  ImpactWorkspace& ws = solver.impact_workspace();
  ImpactReport report;
  Impact impact(matrix, solver, tolerance, v);
  for (ConeConstraint& row : rows) row.impulse.setZero(), row.bias.setZero();
  ws.by_island.build(matrix, rows);
  for (size_t island = 0; island < ws.by_island.islands(); ++island) {
    const std::span<const size_t> own = ws.by_island.of(island);
    matrix.select_island(island);
    const int before = impact.factorisations();
    const int most = par.rounds + par.rounds_per_contact * static_cast<int>(own.size());
    for (int round = 0; round < most + par.last_rounds; ++round) {
      const bool late = round >= most;
      select_hit(rows, own, query, v, late, (round - most) % 2 == 0, ws);
      if (ws.hit.empty()) break;
      if (round == 0) impact.begin();
      report.cut_short = report.cut_short || late;
      report.rounds = std::max(report.rounds, round + 1);
      impact.resolve(report);
      for (size_t k = 0; k < ws.hit.size(); ++k) rows[ws.numbers[k]].impulse += ws.hit[k].impulse;
    }
    report.factorisations = std::max(report.factorisations, impact.factorisations() - before);
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
