#include "tumble/dynamics/solvers/impact_solver.h"

#include <algorithm>
#include <cmath>

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
  // Of the selected island, J.
  double kinetic_energy() {
    compute_momenta();
    return 0.5 * dot(ws_.momenta, v_);
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

// Computes ws.approach of an island. Returns the largest.
double measure_approach(const std::vector<ConeConstraint>& rows, std::span<const size_t> own,
                        const std::vector<double>& v, ImpactWorkspace& ws) {
  ws.approach.clear();
  for (const size_t i : own) ws.approach.push_back(-relative_velocity(rows[i], v).x());
  return *std::max_element(ws.approach.begin(), ws.approach.end());
}

// True if a row of the island approaches faster than its rest speed. Otherwise nothing strikes there.
bool any_strikes(std::span<const size_t> own, std::span<const ImpactLaw> laws, const ImpactWorkspace& ws) {
  for (size_t k = 0; k < own.size(); ++k)
    if (ws.approach[k] > laws[own[k]].rest_speed) return true;
  return false;
}

size_t find_fastest(const ImpactWorkspace& ws) {
  return static_cast<size_t>(std::max_element(ws.approach.begin(), ws.approach.end()) - ws.approach.begin());
}

void clear_round(ImpactWorkspace& ws) { ws.active.clear(), ws.numbers.clear(), ws.restitution.clear(); }

void add_to_round(const std::vector<ConeConstraint>& rows, size_t i, double restitution,
                  ImpactWorkspace& ws) {
  ws.active.push_back(rows[i]), ws.numbers.push_back(i), ws.restitution.push_back(restitution);
  ws.active.back().impulse.setZero();
}

// Fills ws.active with the rows of the next round with restitution, by their approach speeds. Empty if no
// row bounces.
void select_fastest(const std::vector<ConeConstraint>& rows, std::span<const size_t> own,
                    std::span<const ImpactLaw> laws, const ImpactParameters& par, ImpactWorkspace& ws) {
  clear_round(ws);
  double fastest = 0;
  bool bounces = false;
  for (size_t k = 0; k < own.size(); ++k) {
    const ImpactLaw& law = laws[own[k]];
    if (!(ws.approach[k] > law.rest_speed)) continue;
    fastest = std::max(fastest, ws.approach[k]);
    bounces = bounces || law.restitution > 0;
  }
  // Contacts without restitution come to rest together. Otherwise an impulse would travel to and fro.
  if (!bounces) return;
  double slowest = fastest;
  for (size_t k = 0; k < own.size(); ++k)
    if (ws.approach[k] >= std::max(par.slowest_share * fastest, laws[own[k]].rest_speed))
      slowest = std::min(slowest, ws.approach[k]);
  for (size_t k = 0; k < own.size(); ++k) {
    if (!(ws.approach[k] >= (1 - par.equal_speeds) * slowest)) continue;
    const ImpactLaw& law = laws[own[k]];
    add_to_round(rows, own[k], ws.approach[k] > law.rest_speed ? law.restitution : 0, ws);
  }
}

void select_all(const std::vector<ConeConstraint>& rows, std::span<const size_t> own, ImpactWorkspace& ws) {
  clear_round(ws);
  for (const size_t i : own) add_to_round(rows, i, 0, ws);
}

}  // namespace

ImpactReport solve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                           std::span<const ImpactLaw> laws, double tolerance, ContactSolver& solver,
                           std::vector<double>& v) {
  const ImpactParameters& par = solver.parameters().impact;
  ImpactWorkspace& ws = solver.impact_workspace();
  ImpactReport report;
  Impact impact(matrix, solver, tolerance, v);
  for (ConeConstraint& row : rows) row.impulse.setZero(), row.bias.setZero();
  ws.by_island.build(matrix, rows);
  for (size_t island = 0; island < ws.by_island.islands(); ++island) {
    const std::span<const size_t> own = ws.by_island.of(island);
    if (own.empty()) continue;
    const double at_rest = par.rest * measure_approach(rows, own, v, ws);
    if (!(at_rest > 0) || !any_strikes(own, laws, ws)) continue;
    matrix.select_island(island);
    impact.begin();
    const int before = impact.factorisations();
    const auto resolve_round = [&] {
      impact.resolve(report);
      for (size_t k = 0; k < ws.active.size(); ++k) rows[ws.numbers[k]].impulse += ws.active[k].impulse;
    };
    const int max_rounds = par.rounds + par.rounds_per_contact * static_cast<int>(own.size());
    int round = 0;
    for (; round < max_rounds; ++round) {
      measure_approach(rows, own, v, ws);
      select_fastest(rows, own, laws, par, ws);
      if (ws.active.empty()) break;
      resolve_round();
    }
    const bool cut_short = round == max_rounds;
    if (cut_short) report.loss_row = own[find_fastest(ws)], report.loss += impact.kinetic_energy();
    for (int last = 0; last < par.last_rounds && measure_approach(rows, own, v, ws) > at_rest; ++last) {
      select_all(rows, own, ws);
      resolve_round();
      ++round;
    }
    if (cut_short) report.loss -= impact.kinetic_energy();
    report.rounds = std::max(report.rounds, round);
    report.factorisations = std::max(report.factorisations, impact.factorisations() - before);
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
