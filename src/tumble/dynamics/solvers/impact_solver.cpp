#include "tumble/dynamics/solvers/impact_solver.h"

#include <algorithm>
#include <cmath>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

namespace {

// The bodies of one island that hit each other: that on which `matrix` works.
class Impact {
 public:
  Impact(KktSolver& matrix, ContactSolver& solver, double tolerance, std::vector<double>& v)
      : matrix_(matrix),
        solver_(solver),
        tolerance_(tolerance),
        v_(v),
        start_(v.size()),
        momenta_(v.size()),
        push_(v.size()),
        stopping_(v.size()),
        giving_(v.size()),
        change_(v.size()),
        none_(matrix.rows()),
        speeds_(matrix.rows()),
        l_(matrix.rows()) {
    solver.begin(matrix);
  }

  // The island that `matrix` works on now. Joints keep the speeds they have: c = J v.
  void begin() {
    clear(push_);
    matrix_.for_each_row([&](size_t i) { speeds_[i] = none_[i] = 0; });
    matrix_.subtract_rows(v_.data(), none_.data(), push_.data(), speeds_.data());
    matrix_.for_each_row([&](size_t i) { speeds_[i] = -speeds_[i]; });
  }

  // One round: the impulses of both phases are left in `rows`.
  void resolve(std::vector<ConeConstraint>& rows, const std::vector<double>& e, ImpactReport& report) {
    matrix_.for_each_dof([&](size_t i) { start_[i] = v_[i]; });
    find_momenta();
    solve(rows, report);
    const std::vector<Vec3> given = restitute(rows, e, report);
    clear(push_);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].impulse += given[i];
      add_push(rows[i], rows[i].impulse, push_);
    }
    // The velocities these impulses make, to the last digit; and were impulses wrong, never more energy.
    respond(push_, change_);
    const double work = dot(push_, start_), size = dot(push_, change_);
    double rounding = 0;
    matrix_.for_each_dof([&](size_t i) { rounding += kContactRoundOff * std::abs(push_[i] * start_[i]); });
    double share = 1;
    if (size > -2 * work + rounding) share = std::max(0.0, -2 * work / size);
    if (share < 1 - kImpactReduced) ++report.reduced;
    matrix_.for_each_dof([&](size_t i) { v_[i] = start_[i] + share * change_[i]; });
    for (ConeConstraint& row : rows) row.impulse *= share;
  }

 private:
  std::vector<Vec3> restitute(const std::vector<ConeConstraint>& rows, const std::vector<double>& e,
                              ImpactReport& report) {
    clear(stopping_), clear(giving_);
    for (size_t i = 0; i < rows.size(); ++i) {
      add_push(rows[i], rows[i].impulse, stopping_);
      add_push(rows[i], e[i] * rows[i].impulse, giving_);
    }
    factor();
    respond(stopping_, change_);
    matrix_.for_each_dof([&](size_t i) { v_[i] = start_[i] + change_[i]; });
    const double B = dot(stopping_, change_) - 2 * dot(stopping_, v_);
    respond(giving_, change_);
    const double Q = dot(giving_, change_);
    const double share = Q > 0 ? std::min(1.0, math::sqrt(std::max(0.0, B / Q))) : 0;
    find_momenta();
    std::vector<ConeConstraint> discs;
    std::vector<size_t> disc_of;
    std::vector<Vec3> given(rows.size(), Vec3::Zero());
    for (size_t i = 0; i < rows.size(); ++i) {
      given[i].x() = share * e[i] * rows[i].impulse.x();
      if (!(given[i].x() > 0)) continue;
      add_push(rows[i], given[i], momenta_);
      ConeConstraint disc = rows[i];
      disc.set = ConeConstraint::Set::ball;
      disc.radius = disc.friction * given[i].x();
      disc.G_a.row(0).setZero(), disc.G_b.row(0).setZero();
      disc.impulse.setZero();
      if (disc.radius > 0) discs.push_back(disc), disc_of.push_back(i);
    }
    if (!discs.empty()) solve(discs, report), factor();
    for (size_t k = 0; k < discs.size(); ++k)
      given[disc_of[k]].y() = discs[k].impulse.y(), given[disc_of[k]].z() = discs[k].impulse.z();
    return given;
  }
  void find_momenta() {
    clear(momenta_);
    matrix_.subtract_product(v_.data(), momenta_.data());
    matrix_.for_each_dof([&](size_t i) { momenta_[i] = -momenta_[i]; });
  }
  // Factors of the masses and joints alone, which `respond` wants: a contact problem leaves others.
  void factor() {
    matrix_.clear_addition();
    matrix_.factor();
  }
  // The velocities a push makes under the joints.
  void respond(const std::vector<double>& push, std::vector<double>& change) {
    matrix_.for_each_dof([&](size_t i) { change[i] = push[i]; });
    matrix_.for_each_row([&](size_t i) { none_[i] = 0; });
    matrix_.solve(change.data(), none_.data());
  }
  void solve(std::vector<ConeConstraint>& rows, ImpactReport& report) {
    const ContactReport solved =
        solver_.solve_island(momenta_, speeds_, rows, tolerance_, v_, l_, tolerance_);
    report.residual = std::max(report.residual, solved.residual);
    if (!solved.solved) ++report.unsolved;
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
  double tolerance_;
  std::vector<double>& v_;
  std::vector<double> start_, momenta_, push_, stopping_, giving_, change_;  // of the island alone
  std::vector<double> none_, speeds_, l_;
};

}  // namespace

ImpactReport resolve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                             std::span<const double> restitution, double slowest, double bounce,
                             double tolerance, ContactSolver& solver, std::vector<double>& v) {
  ImpactReport report;
  Impact impact(matrix, solver, tolerance, v);
  for (ConeConstraint& row : rows) row.impulse.setZero(), row.bias.setZero();
  const RowsByIsland by_island(matrix, rows);
  for (size_t island = 0; island < by_island.islands(); ++island) {
    const std::span<const size_t> own = by_island.of(island);
    matrix.select_island(island);
    bool begun = false;
    const int most = kImpactRounds + kImpactRoundsPerContact * static_cast<int>(own.size());
    for (int round = 0; round < most + kImpactLastRounds; ++round) {
      std::vector<double> speeds;
      for (const size_t i : own) speeds.push_back(-speed_at(rows[i], v).x());
      const double fastest = speeds.empty() ? 0 : *std::max_element(speeds.begin(), speeds.end());
      if (!(fastest > slowest)) break;
      if (!begun) impact.begin(), begun = true;
      // What does not bounce comes to rest together, or it would be passed to and fro.
      bool bounces = false;
      for (size_t k = 0; k < own.size(); ++k)
        bounces = bounces || (speeds[k] > bounce && restitution[own[k]] > 0);
      const bool late = round >= most, together = late ? (round - most) % 2 == 0 : !bounces;
      std::vector<ConeConstraint> hit;
      std::vector<size_t> number;
      std::vector<double> e;
      for (size_t k = 0; k < own.size(); ++k) {
        if (!together && !(speeds[k] > slowest)) continue;
        const size_t i = own[k];
        hit.push_back(rows[i]), number.push_back(i);
        hit.back().impulse.setZero();
        e.push_back(late || !(speeds[k] > bounce) ? 0 : restitution[i]);
      }
      report.cut_short = report.cut_short || late;
      report.rounds = std::max(report.rounds, round + 1);
      impact.resolve(hit, e, report);
      for (size_t k = 0; k < hit.size(); ++k) rows[number[k]].impulse += hit[k].impulse;
    }
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
