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
         give_ * scales_[i].inertia * (row.impulse - centers_[i]);
}

HardContacts::Look HardContacts::look(const std::vector<ConeRow>& rows, const std::vector<double>& v) const {
  Look result;
  double most = 0, &wrong = result.wrong;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const double rho = scale_ / scales_[i].inertia;
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
    part_l_.assign(c_.size(), 0.0);
    for (Eigen::Index k = 0; k < count; ++k) add_push(rows[row_of(k)], x[k] * stiff_[row_of(k)].skew, part_);
    matrix_.solve(part_.data(), part_l_.data());
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
  for (size_t i = 0; i < dl_.size(); ++i) dl_[i] -= part_l_[i];
}

// The contacts of (2), and the factors they make.
void HardContacts::stiffen(const std::vector<ConeRow>& rows, const std::vector<double>& v) {
  matrix_.clear_addition();
  clear(dv_);
  dl_.assign(c_.size(), 0.0);
  stiff_.resize(rows.size()), dr_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const double rho = scale_ / scales_[i].inertia;
    const double soft = rho * row.compliance + scale_ * give_ + kRedundantContact;
    Mat3 D;
    limit_impulse(row, row.impulse - rho * yielding(i, row, v), &D);
    Stiffness& s = stiff_[i];
    s.inverse = (Mat3::Identity() - D + soft * D).inverse();
    s.whole = rho * s.inverse * D;
    s.skew = row.set == ConeRow::Set::cone ? Vec3(0, s.whole(1, 0), s.whole(2, 0)) : Vec3(Vec3::Zero());
    s.symmetric = s.whole - s.skew * Vec3::Unit(0).transpose();
    add_stiffness(row, s.symmetric, matrix_);
  }
  matrix_.factor();
  ++factorisations_;
}

// dr of (2); false if it is no number.
bool HardContacts::find_impulses(const std::vector<ConeRow>& rows, const std::vector<Vec3>& left) {
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    dr_[i] = -(stiff_[i].inverse * left[i]) - stiff_[i].whole * speed_at(rows[i], dv_);
    sum += dr_[i].sum();
  }
  return std::isfinite(sum);
}

// (2); false if it is no number.
bool HardContacts::find_step(const std::vector<ConeRow>& rows, const std::vector<double>& v,
                             const std::vector<Vec3>& left) {
  stiffen(rows, v);
  for (size_t i = 0; i < rows.size(); ++i) add_push(rows[i], -(stiff_[i].inverse * left[i]), dv_);
  matrix_.solve(dv_.data(), dl_.data());
  add_skew(rows);
  return find_impulses(rows, left);
}

// (2) from momenta and impulses that need not go together: where it leads is found as a whole, so that no rounding adds up.
bool HardContacts::find_whole_step(const std::vector<ConeRow>& rows, const std::vector<double>& v,
                                   const std::vector<double>& l, const std::vector<Vec3>& left) {
  stiffen(rows, v);
  for (const int n : matrix_.bodies())
    std::copy_n(&b_[6 * static_cast<size_t>(n)], 6, &dv_[6 * static_cast<size_t>(n)]);
  matrix_.copy_rows(c_.data(), dl_.data());
  for (size_t i = 0; i < rows.size(); ++i)
    add_push(rows[i],
             rows[i].impulse - stiff_[i].inverse * left[i] + stiff_[i].symmetric * speed_at(rows[i], v), dv_);
  matrix_.solve(dv_.data(), dl_.data());
  for (const int n : matrix_.bodies())
    for (size_t i = 6 * static_cast<size_t>(n), end = i + 6; i < end; ++i) dv_[i] -= v[i];
  part_l_.assign(c_.size(), 0.0);
  matrix_.copy_rows(l.data(), part_l_.data());
  for (size_t i = 0; i < dl_.size(); ++i) dl_[i] -= part_l_[i];
  add_skew(rows);
  return find_impulses(rows, left);
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

// What rounding has left of momenta and joints, by the factors of the last step.
void HardContacts::refresh(std::vector<ConeRow>& rows, std::vector<double>& v, std::vector<double>& l) {
  for (const int n : matrix_.bodies())
    std::copy_n(&b_[6 * static_cast<size_t>(n)], 6, &dv_[6 * static_cast<size_t>(n)]);
  dl_.assign(c_.size(), 0.0);
  matrix_.copy_rows(c_.data(), dl_.data());
  for (const ConeRow& row : rows) add_push(row, row.impulse, dv_);
  matrix_.subtract_product(v.data(), dv_.data());
  matrix_.subtract_rows(v.data(), l.data(), dv_.data(), dl_.data());
  matrix_.solve(dv_.data(), dl_.data());
  for (const int n : matrix_.bodies())
    for (size_t i = 6 * static_cast<size_t>(n), end = i + 6; i < end; ++i) v[i] += dv_[i];
  for (size_t i = 0; i < dl_.size(); ++i) l[i] += dl_[i];
  for (size_t i = 0; i < rows.size(); ++i) {
    ConeRow& row = rows[i];
    row.impulse -= stiff_[i].symmetric * speed_at(row, dv_);
    // What parts or slides does so exactly.
    const Vec3 z = row.impulse - scale_ / scales_[i].inertia * yielding(i, row, v), p = limit_impulse(row, z);
    if (p != z) row.impulse = p;
  }
}

bool HardContacts::approach(double tolerance, double enough, std::vector<ConeRow>& rows,
                            std::vector<double>& v, std::vector<double>& l) {
  scale_ = kHardScale, give_ = 0;
  centers_.assign(rows.size(), Vec3::Zero());
  double rounding = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    rounding = std::max(rounding, scale_ * rounding_at(rows[i], scales_[i], v) / scales_[i].inertia);
  const auto is_within = [&](const Look& look, double limit) {
    return look.residual <= limit || look.wrong <= rounding;
  };
  Look here = look(rows, v);
  struct {
    double residual = std::numeric_limits<double>::infinity();
    std::vector<ConeRow> rows = {};
    std::vector<double> v = {}, l = {};
  } best;
  for (int step = 0, idle = 0; step < kNearSteps && idle <= kIdleSteps; ++step) {
    give_ = std::clamp(here.residual, kLeastNearGive, kNearGive);
    if (!find_whole_step(rows, v, l, here.left)) return false;
    give_ = 0;
    const auto go = [&](double share) {
      for (const int n : matrix_.bodies())
        for (size_t i = 6 * static_cast<size_t>(n), end = i + 6; i < end; ++i) v[i] += share * dv_[i];
      for (size_t i = 0; i < dl_.size(); ++i) l[i] += share * dl_[i];
      for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse += share * dr_[i];
      return look(rows, v);
    };
    const double before = here.square;
    double share = 1;
    here = go(share);
    // At first momenta do not go with impulses: what is left cannot be compared.
    while (step > 0 && !(here.square < before) && 0.5 * share > kLeastRefiningShare) {
      here = go(-0.5 * share);
      share *= 0.5;
    }
    if (is_within(here, kEasyShare * tolerance)) return refresh(rows, v, l), true;
    idle = here.residual < 0.5 * best.residual ? 0 : idle + 1;
    if (here.residual < best.residual) best = {here.residual, rows, v, l};
  }
  if (!(best.residual <= std::max(tolerance, enough))) return false;
  rows = best.rows, v = best.v, l = best.l;
  refresh(rows, v, l);
  return true;
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
  ContactResidual least = measure_residual(rows, scales_, {}, v);
  for (int missed = 0; missed <= kMissedStages && factorisations_ < kMostFactorisations;) {
    if (least.is_within(missed == 0 && factorisations_ < kEnoughFactorisations ? tolerance : enough)) break;
    const int earlier = factorisations_;
    const std::vector<ConeRow> rows_before = rows;
    const std::vector<double> v_before = v;
    if (refine(kStageResidual * give_, rows, v)) {
      balance(rows, v, l);  // digits that contacts of small e have cost
      const ContactResidual here = measure_residual(rows, scales_, {}, v);
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
