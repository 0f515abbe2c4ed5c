#include "tumble/dynamics/many_contacts.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/few_contacts.h"
#include "tumble/dynamics/least_residual.h"
#include "tumble/dynamics/tolerances.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

namespace {

// What a contact is for a step: K^-1, the symmetric part of K^-1 rho D, and its other part along n^T.
struct Stiffness {
  Mat3 inverse = Mat3::Identity(), whole = Mat3::Zero(), symmetric = Mat3::Zero();
  Vec3 skew = Vec3::Zero();
};

}  // namespace

ManyContacts::Look ManyContacts::look(const std::vector<ConeRow>& rows, const std::vector<double>& v,
                                      double give) const {
  Look result;
  double most = 0, wrong = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const Vec3 u = speed_at(row, v) + row.bias + (row.compliance + give * inertias_[i]) * row.impulse;
    result.left.push_back(row.impulse - limit_impulse(row, row.impulse - u / inertias_[i]));
    most = std::max(most, row.impulse.norm()), wrong = std::max(wrong, result.left.back().norm());
    result.square += result.left.back().squaredNorm();
  }
  const double size = std::max(most, wrong);
  result.residual = !std::isfinite(result.square) ? std::numeric_limits<double>::infinity()
                    : size > 0                    ? wrong / size
                                                  : 0;
  return result;
}

// The velocities that go with the impulses.
void ManyContacts::balance(BlockSolver& matrix, const std::vector<ConeRow>& rows, std::vector<double>& v) {
  matrix.clear_addition();
  matrix.factor();
  ++factorisations_;
  v.assign(b_.begin(), b_.end());
  for (const ConeRow& row : rows) add_push(row, row.impulse, v);
  std::vector<double> l(c_.begin(), c_.end());
  matrix.solve(v.data(), l.data());
}

double ManyContacts::refine(BlockSolver& matrix, double give, double tolerance, std::vector<ConeRow>& rows,
                            std::vector<double>& v) {
  Look here = look(rows, v, give);
  double least = here.residual;
  std::vector<ConeRow> best = rows;
  std::vector<Stiffness> stiff(rows.size());
  std::vector<size_t> sliding;
  std::vector<double> dv, dl, part;
  for (int step = 0, bold = 0; step < kRefiningSteps && here.residual > tolerance; ++step) {
    matrix.clear_addition();
    dv.assign(v.size(), 0.0), dl.assign(matrix.rows(), 0.0);
    sliding.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      const ConeRow& row = rows[i];
      const double rho = 1 / inertias_[i], soft = row.compliance * rho + give + kRedundantContact;
      const Vec3 u = speed_at(row, v) + row.bias + (row.compliance + give * inertias_[i]) * row.impulse;
      Mat3 D;
      limit_impulse(row, row.impulse - rho * u, &D);
      Stiffness& s = stiff[i];
      s.inverse = (Mat3::Identity() - D + soft * D).inverse();
      s.whole = rho * s.inverse * D;
      s.skew = row.set == ConeRow::Set::cone ? Vec3(0, s.whole(1, 0), s.whole(2, 0)) : Vec3(Vec3::Zero());
      s.symmetric = s.whole - s.skew * Vec3::Unit(0).transpose();
      if (s.skew != Vec3::Zero()) sliding.push_back(i);
      add_push(row, -(s.inverse * here.left[i]), dv);
      add_stiffness(row, s.symmetric, matrix);
    }
    matrix.factor();
    ++factorisations_;
    matrix.solve(dv.data(), dl.data());
    if (!sliding.empty()) {
      const auto spread = [&](const Eigen::VectorXd& x) {
        part.assign(v.size(), 0.0), dl.assign(matrix.rows(), 0.0);
        for (size_t k = 0; k < sliding.size(); ++k)
          add_push(rows[sliding[k]], x[static_cast<Eigen::Index>(k)] * stiff[sliding[k]].skew, part);
        matrix.solve(part.data(), dl.data());
      };
      const auto apply = [&](const Eigen::VectorXd& x) {
        spread(x);
        Eigen::VectorXd y = x;
        for (size_t k = 0; k < sliding.size(); ++k)
          y[static_cast<Eigen::Index>(k)] += speed_at(rows[sliding[k]], part).x();
        return y;
      };
      Eigen::VectorXd normal(static_cast<Eigen::Index>(sliding.size()));
      for (size_t k = 0; k < sliding.size(); ++k)
        normal[static_cast<Eigen::Index>(k)] = speed_at(rows[sliding[k]], dv).x();
      spread(solve_least_residual(apply, normal, kSkewResidual, kSkewProducts));
      for (size_t i = 0; i < v.size(); ++i) dv[i] -= part[i];
    }
    if (!std::all_of(dv.begin(), dv.end(), [](double x) { return std::isfinite(x); })) break;
    std::vector<Vec3> dr;
    for (size_t i = 0; i < rows.size(); ++i)
      dr.push_back(-(stiff[i].inverse * here.left[i]) - stiff[i].whole * speed_at(rows[i], dv));
    const auto go = [&](double share) {
      for (size_t i = 0; i < v.size(); ++i) v[i] += share * dv[i];
      for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse += share * dr[i];
      return look(rows, v, give);
    };
    const double before = here.square;
    double share = 1;
    here = go(share);
    while (!(here.square < (1 - kRefiningDescent * share) * before) && 0.5 * share > kLeastRefiningShare) {
      here = go(-0.5 * share);
      share *= 0.5;
    }
    if (!(here.square < (1 - kRefiningDescent * share) * before)) {
      if (++bold > kBoldSteps) break;
      here = go(1 - share);
    }
    if (here.residual < least) least = here.residual, best = rows;
  }
  rows = best;
  balance(matrix, rows, v);
  return least;
}

int ManyContacts::solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                        std::span<const double> inertias, double tolerance, std::vector<ConeRow>& rows) {
  b_ = b, c_ = c, inertias_ = inertias;
  factorisations_ = 0;
  std::vector<double> v;
  balance(matrix, rows, v);
  const std::vector<double> v_guess = v;
  std::vector<ConeRow> found = rows;
  double residual = refine(matrix, 0, tolerance, found, v);
  if (residual > tolerance) {
    v = v_guess;
    int missed = 0;
    for (double give = kSoftest; give > kHardest && missed < kMissedStages; give *= kHardening)
      missed = refine(matrix, give, kSoftResidual * tolerance, rows, v) > give ? missed + 1 : 0;
    const double at_end = refine(matrix, 0, tolerance, rows, v);
    if (at_end < residual) residual = at_end, found = rows;
  }
  rows = found;
  return factorisations_;
}

}  // namespace tumble::dynamics
