#include <cstdio>
#include <cstdlib>
#include "tumble/dynamics/hard_contacts.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/least_residual.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

Vec3 limit_impulse(const ConeRow& row, const Vec3& z, Mat3* derivative) {
  if (row.set != ConeRow::Set::cone) return project_on_cone(row, z, derivative);
  const double size = math::sqrt(z.y() * z.y() + z.z() * z.z()), mu = row.friction;
  if (!(z.x() > 0)) {
    if (derivative) derivative->setZero();
    return Vec3::Zero();
  }
  if (size <= mu * z.x()) {
    if (derivative) derivative->setIdentity();
    return z;
  }
  const double y = z.y() / size, x = z.z() / size, turn = mu * z.x() / size;
  if (derivative)
    *derivative << 1, 0, 0,  //
        mu * y, turn * (1 - y * y), -turn * x * y, mu * x, -turn * x * y, turn * (1 - x * x);
  return Vec3(z.x(), mu * z.x() * y, mu * z.x() * x);
}

// u + e (r - r').
Vec3 HardContacts::yielding(size_t i, const ConeRow& row, const std::vector<double>& v) const {
  return speed_at(row, v) + row.bias + row.compliance * row.impulse +
         (follows_ ? Vec3(Vec3::Zero()) : Vec3(give_ * inertias_[i] * (row.impulse - centers_[i])));
}

HardContacts::Look HardContacts::look(const std::vector<ConeRow>& rows, const std::vector<double>& v) const {
  Look result;
  double most = 0, wrong = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const double rho = scale_ / inertias_[i];
    result.left.push_back(row.impulse - limit_impulse(row, row.impulse - rho * yielding(i, row, v)));
    most = std::max(most, row.impulse.norm()), wrong = std::max(wrong, result.left.back().norm());
    result.square += result.left.back().squaredNorm();
  }
  const double size = std::max(most, wrong);
  result.residual = !std::isfinite(result.square) ? std::numeric_limits<double>::infinity()
                    : size > 0                    ? wrong / size
                                                  : 0;
  return result;
}

void HardContacts::clear(std::vector<double>& x) const {
  x.resize(b_.size());
  for (const int n : matrix_.bodies()) std::fill_n(&x[6 * static_cast<size_t>(n)], 6, 0.0);
}

// The velocities that go with the impulses.
void HardContacts::balance(const std::vector<ConeRow>& rows, std::vector<double>& v, std::vector<double>& l) {
  matrix_.clear_addition();
  matrix_.factor();
  ++factorisations_;
  for (const int n : matrix_.bodies())
    std::copy_n(&b_[6 * static_cast<size_t>(n)], 6, &v[6 * static_cast<size_t>(n)]);
  for (const ConeRow& row : rows) add_push(row, row.impulse, v);
  matrix_.copy_rows(c_.data(), l.data());
  matrix_.solve(v.data(), l.data());
}

// dv without the part that is not symmetric: (1 + S H^-1 G^T skew) x = n.G dv by products, H being factored.
void HardContacts::add_skew(const std::vector<ConeRow>& rows) {
  std::vector<size_t> sliding;
  for (size_t i = 0; i < rows.size(); ++i)
    if (stiff_[i].skew != Vec3::Zero()) sliding.push_back(i);
  if (sliding.empty()) return;
  const auto count = static_cast<Eigen::Index>(sliding.size());
  const auto row_of = [&](Eigen::Index k) { return sliding[static_cast<size_t>(k)]; };
  const auto spread = [&](const Eigen::VectorXd& x) {
    clear(part_);
    dl_.assign(c_.size(), 0.0);
    for (Eigen::Index k = 0; k < count; ++k) add_push(rows[row_of(k)], x[k] * stiff_[row_of(k)].skew, part_);
    matrix_.solve(part_.data(), dl_.data());
  };
  const auto apply = [&](const Eigen::VectorXd& x) {
    spread(x);
    Eigen::VectorXd y = x;
    for (Eigen::Index k = 0; k < count; ++k) y[k] += speed_at(rows[row_of(k)], part_).x();
    return y;
  };
  Eigen::VectorXd normal(count);
  for (Eigen::Index k = 0; k < count; ++k) normal[k] = speed_at(rows[row_of(k)], dv_).x();
  spread(solve_least_residual(apply, normal, kSkewResidual, kSkewProducts));
  for (const int n : matrix_.bodies())
    for (size_t i = 6 * static_cast<size_t>(n), end = i + 6; i < end; ++i) dv_[i] -= part_[i];
}

// (2); false if it is no number.
bool HardContacts::find_step(const std::vector<ConeRow>& rows, const std::vector<double>& v,
                             const std::vector<Vec3>& left) {
  matrix_.clear_addition();
  clear(dv_);
  dl_.assign(c_.size(), 0.0);
  stiff_.resize(rows.size()), dr_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const double rho = scale_ / inertias_[i];
    const double soft = rho * row.compliance + scale_ * give_ + kRedundantContact;
    Mat3 D;
    limit_impulse(row, row.impulse - rho * yielding(i, row, v), &D);
    Stiffness& s = stiff_[i];
    s.inverse = (Mat3::Identity() - D + soft * D).inverse();
    s.whole = rho * s.inverse * D;
    s.skew = row.set == ConeRow::Set::cone ? Vec3(0, s.whole(1, 0), s.whole(2, 0)) : Vec3(Vec3::Zero());
    s.symmetric = s.whole - s.skew * Vec3::Unit(0).transpose();
    add_push(row, -(s.inverse * left[i]), dv_);
    add_stiffness(row, s.symmetric, matrix_);
  }
  matrix_.factor();
  ++factorisations_;
  matrix_.solve(dv_.data(), dl_.data());
  add_skew(rows);
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    dr_[i] = -(stiff_[i].inverse * left[i]) - stiff_[i].whole * speed_at(rows[i], dv_);
    sum += dr_[i].sum();
  }
  return std::isfinite(sum);
}

// Newton's method for one e. Steps that do not lessen what is left are cut; where none does, a few are taken as they are.
bool HardContacts::refine(double tolerance, std::vector<ConeRow>& rows, std::vector<double>& v) {
  Look here = look(rows, v);
  const double first = here.square;
  for (int step = 0, bold = 0; here.residual > tolerance; ++step) {
    if (step == kRefiningSteps || (step > kEarlySteps && here.square > first)) return false;
    if (!find_step(rows, v, here.left)) return false;
    const auto go = [&](double share) {
      for (const int n : matrix_.bodies())
        for (size_t i = 6 * static_cast<size_t>(n), end = i + 6; i < end; ++i) v[i] += share * dv_[i];
      for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse += share * dr_[i];
      return look(rows, v);
    };
    const double before = here.square;
    double share = 1;
    here = go(share);
    if (getenv("TRACE")) fprintf(stderr,"  refine %d before %.3e full %.3e res %.2e\n",step,before,here.square,here.residual);
    while (!(here.square < (1 - kRefiningDescent * share) * before) && 0.5 * share > kLeastRefiningShare) {
      here = go(-0.5 * share);
      share *= 0.5;
    }
    if (here.square < (1 - kRefiningDescent * share) * before) continue;
    if (++bold > kBoldSteps) return false;
    here = go(1 - share);
  }
  return true;
}

void HardContacts::begin(double scale, double give, std::vector<ConeRow>& rows, std::vector<double>& v,
                         std::vector<double>& l) {
  scale_ = scale, give_ = give;
  centers_.clear();
  for (const ConeRow& row : rows) centers_.push_back(project_on_cone(row, row.impulse));
  balance(rows, v, l);
}

bool HardContacts::approach(double tolerance, std::vector<ConeRow>& rows, std::vector<double>& v,
                            std::vector<double>& l) {
  const std::vector<ConeRow> rows_before = rows;
  const std::vector<double> v_before = v;
  begin(kHardScale, kNearGive, rows, v, l);
  bool near = false;
  double last = std::numeric_limits<double>::infinity();
  for (follows_ = true; !near && refine(kEasyShare * tolerance, rows, v);) {
    balance(rows, v, l);  // digits that contacts of small e have cost
    const ContactResidual here = measure_residual(rows, inertias_, {}, v);
    if (getenv("TRACE")) fprintf(stderr," approach: res %.2e rounding %.2e\n",here.whole,here.rounding);
    near = here.is_within(tolerance);
    if (!(here.whole < 0.1 * last)) break;
    last = here.whole;
  }
  follows_ = false;
  if (!near) rows = rows_before, v = v_before;
  return near;
}

void HardContacts::polish(double tolerance, std::vector<ConeRow>& rows, std::vector<double>& v,
                          std::vector<double>& l) {
  begin(kHardScale, kPolishing, rows, v, l);
  refine(kEasyShare * tolerance, rows, v);
  balance(rows, v, l);
}

void HardContacts::solve(double tolerance, double enough, double scale, std::vector<ConeRow>& rows,
                         std::vector<double>& v, std::vector<double>& l) {
  begin(scale, kSoftest, rows, v, l);
  std::vector<ConeRow> best = rows;
  ContactResidual least = measure_residual(rows, inertias_, {}, v);
  for (int missed = 0; missed <= kMissedStages && factorisations_ < kMostFactorisations;) {
    if (least.is_within(missed == 0 && factorisations_ < kEnoughFactorisations ? tolerance : enough)) break;
    const int earlier = factorisations_;
    const std::vector<ConeRow> rows_before = rows;
    const std::vector<double> v_before = v;
    if (refine(kStageResidual * give_, rows, v)) {
      balance(rows, v, l);  // digits that contacts of small e have cost
      const ContactResidual here = measure_residual(rows, inertias_, {}, v);
      if (here.is_within(least.whole)) least = here, best = rows;
      for (size_t i = 0; i < rows.size(); ++i) centers_[i] = rows[i].impulse;
      const int steps = factorisations_ - earlier;
      give_ = std::max(kHardest, give_ * (steps <= kQuickSteps   ? kQuickHardening
                                          : steps <= kEarlySteps ? kHardening
                                                                 : kSlowHardening));
    } else {
      rows = rows_before, v = v_before;
      give_ = std::min(1.0, kSoftening * give_);
      ++missed;
    }
  }
  rows = best;
  balance(rows, v, l);
}

}  // namespace tumble::dynamics
