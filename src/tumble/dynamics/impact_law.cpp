#include "tumble/dynamics/impact_law.h"

#include <algorithm>
#include <cmath>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

namespace {

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// One cluster of bodies that hit each other.
class Impact {
 public:
  Impact(BlockSolver& matrix, ContactSolver& solver, double tolerance, std::vector<double>& v,
         ImpactReport& report)
      : matrix_(matrix), solver_(solver), tolerance_(tolerance), v_(v), report_(report) {
    // Joints keep the speeds they have: c = J v.
    speeds_.assign(matrix.rows(), 0.0);
    const std::vector<double> none(matrix.rows(), 0.0);
    std::vector<double> unused(v.size());
    matrix.subtract_rows(v.data(), none.data(), unused.data(), speeds_.data());
    for (double& speed : speeds_) speed = -speed;
    l_.resize(matrix.rows());
  }

  // One round: the impulses of both phases are left in `rows`.
  void resolve(std::vector<ConeRow>& rows, const std::vector<double>& e) {
    const std::vector<double> start = v_;
    solve(momenta(), rows);
    const std::vector<Vec3> given = restitute(start, rows, e);
    std::vector<double> push(v_.size(), 0.0);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].impulse += given[i];
      add_push(rows[i], rows[i].impulse, push);
    }
    // The velocities these impulses make, to the last digit; and were impulses wrong, never more energy.
    const std::vector<double> change = respond(push);
    const double work = dot(push, start), size = dot(push, change);
    double rounding = 0;
    for (size_t i = 0; i < v_.size(); ++i) rounding += kContactRoundOff * std::abs(push[i] * start[i]);
    double share = 1;
    if (size > -2 * work + rounding) share = std::max(0.0, -2 * work / size);
    if (share < 1 - kImpactReduced) ++report_.reduced;
    for (size_t i = 0; i < v_.size(); ++i) v_[i] = start[i] + share * change[i];
    for (ConeRow& row : rows) row.impulse *= share;
  }

 private:
  std::vector<Vec3> restitute(const std::vector<double>& start, const std::vector<ConeRow>& rows,
                              const std::vector<double>& e) {
    std::vector<double> stopping(v_.size(), 0.0), giving = stopping;
    for (size_t i = 0; i < rows.size(); ++i) {
      add_push(rows[i], rows[i].impulse, stopping);
      add_push(rows[i], e[i] * rows[i].impulse, giving);
    }
    factor();
    const std::vector<double> stopped = respond(stopping), gave = respond(giving);
    for (size_t i = 0; i < v_.size(); ++i) v_[i] = start[i] + stopped[i];
    const double Q = dot(giving, gave), B = dot(stopping, stopped) - 2 * dot(stopping, v_);
    const double share = Q > 0 ? std::min(1.0, math::sqrt(std::max(0.0, B / Q))) : 0;
    std::vector<double> b = momenta();
    std::vector<ConeRow> discs;
    std::vector<size_t> disc_of;
    std::vector<Vec3> given(rows.size(), Vec3::Zero());
    for (size_t i = 0; i < rows.size(); ++i) {
      given[i].x() = share * e[i] * rows[i].impulse.x();
      if (!(given[i].x() > 0)) continue;
      add_push(rows[i], given[i], b);
      ConeRow disc = rows[i];
      disc.set = ConeRow::Set::ball;
      disc.radius = disc.friction * given[i].x();
      disc.G_a.row(0).setZero(), disc.G_b.row(0).setZero();
      disc.impulse.setZero();
      if (disc.radius > 0) discs.push_back(disc), disc_of.push_back(i);
    }
    if (!discs.empty()) solve(b, discs), factor();
    for (size_t k = 0; k < discs.size(); ++k)
      given[disc_of[k]].y() = discs[k].impulse.y(), given[disc_of[k]].z() = discs[k].impulse.z();
    return given;
  }
  std::vector<double> momenta() const {
    std::vector<double> p(v_.size(), 0.0);
    matrix_.subtract_product(v_.data(), p.data());
    for (double& x : p) x = -x;
    return p;
  }
  // Factors of the masses and joints alone, which `respond` wants: a contact problem leaves others.
  void factor() {
    matrix_.clear_addition();
    matrix_.factor();
  }
  // The velocities a push makes under the joints.
  std::vector<double> respond(std::vector<double> x) {
    std::vector<double> y(matrix_.rows(), 0.0);
    matrix_.solve(x.data(), y.data());
    return x;
  }
  void solve(const std::vector<double>& b, std::vector<ConeRow>& rows) {
    const ContactReport solved = solver_.solve(matrix_, b, speeds_, rows, tolerance_, v_, l_);
    report_.residual = std::max(report_.residual, solved.residual);
    if (!solved.solved) ++report_.unsolved;
  }

  BlockSolver& matrix_;
  ContactSolver& solver_;
  double tolerance_;
  std::vector<double>& v_;
  ImpactReport& report_;
  std::vector<double> speeds_, l_;
};

}  // namespace

ImpactReport resolve_impacts(BlockSolver& matrix, std::vector<ConeRow>& rows,
                             std::span<const double> restitution, double slowest, double bounce,
                             double tolerance, ContactSolver& solver, std::vector<double>& v) {
  ImpactReport report;
  Impact impact(matrix, solver, tolerance, v, report);
  for (ConeRow& row : rows) row.impulse.setZero(), row.bias.setZero();
  const int most = kImpactRounds + kImpactRoundsPerContact * static_cast<int>(rows.size());
  for (; report.rounds < most + kImpactLastRounds; ++report.rounds) {
    std::vector<double> speeds;
    for (const ConeRow& row : rows) speeds.push_back(-speed_at(row, v).x());
    const double fastest = speeds.empty() ? 0 : *std::max_element(speeds.begin(), speeds.end());
    if (!(fastest > slowest)) return report;
    // What does not bounce comes to rest together, or it would be passed to and fro.
    bool bounces = false;
    for (size_t i = 0; i < rows.size(); ++i) bounces = bounces || (speeds[i] > bounce && restitution[i] > 0);
    const bool late = report.rounds >= most, together = late ? (report.rounds - most) % 2 == 0 : !bounces;
    std::vector<ConeRow> hit;
    std::vector<size_t> number;
    std::vector<double> e;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!together && !(speeds[i] > slowest)) continue;
      hit.push_back(rows[i]), number.push_back(i);
      hit.back().impulse.setZero();
      e.push_back(late || !(speeds[i] > bounce) ? 0 : restitution[i]);
    }
    report.cut_short = late;
    impact.resolve(hit, e);
    for (size_t k = 0; k < hit.size(); ++k) rows[number[k]].impulse += hit[k].impulse;
  }
  return report;
}

}  // namespace tumble::dynamics
