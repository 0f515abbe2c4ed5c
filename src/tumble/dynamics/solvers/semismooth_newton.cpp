#include "tumble/dynamics/solvers/semismooth_newton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/linear/least_residual.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

Vec3 limit_impulse(const ConeConstraint& row, const Vec3& z) {
  if (row.set != ConeConstraint::Set::cone) return project_on_cone(row, z);
  if (!(z.x() > 0)) return Vec3::Zero();
  const double size = tangential(z), most = row.friction * z.x();
  return size <= most ? z : Vec3(z.x(), most / size * z.y(), most / size * z.z());
}

Mat3 limit_derivative(const ConeConstraint& row, const Vec3& z) {
  Mat3 D;
  if (row.set != ConeConstraint::Set::cone) {
    project_on_cone(row, z, D);
    return D;
  }
  if (!(z.x() > 0)) return Mat3::Zero();
  const double size = tangential(z), mu = row.friction;
  if (size <= mu * z.x()) return Mat3::Identity();
  const double y = z.y() / size, x = z.z() / size, turn = mu * z.x() / size;
  D << 1, 0, 0,  //
      mu * y, turn * (1 - y * y), -turn * x * y, mu * x, -turn * x * y, turn * (1 - x * x);
  return D;
}

void SemismoothNewton::begin_rows(double scale, std::span<const RowScale> scales) {
  scale_ = scale, give_ = 0, scales_ = scales;
  centers_.assign(scales.size(), Vec3::Zero());
}

// r - rho (u + e (r - r')).
Vec3 SemismoothNewton::before_limit(size_t i, const ConeConstraint& row, const Vec3& u) const {
  const double w = scales_[i].inertia;
  return row.impulse -
         scale_ / w * (u + row.compliance * row.impulse + give_ * w * (row.impulse - centers_[i]));
}

SemismoothNewton::Look SemismoothNewton::look(const std::vector<ConeConstraint>& rows,
                                              const std::vector<double>& v) {
  Look result;
  double most = 0, wrong = 0;  // squares
  u_.resize(rows.size()), left_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeConstraint& row = rows[i];
    u_[i] = speed_at(row, v) + row.bias;
    left_[i] = row.impulse - limit_impulse(row, before_limit(i, row, u_[i]));
    const double square = left_[i].squaredNorm();
    most = std::max(most, row.impulse.squaredNorm()), wrong = std::max(wrong, square);
    result.square += square;
  }
  const double size = std::max(most, wrong);
  result.wrong = math::sqrt(wrong);
  result.residual = !std::isfinite(result.square) ? std::numeric_limits<double>::infinity()
                    : size > 0                    ? math::sqrt(wrong / size)
                                                  : 0;
  return result;
}

ContactResidual SemismoothNewton::measure(const std::vector<ConeConstraint>& rows,
                                          const std::vector<double>& v) {
  u_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) u_[i] = speed_at(rows[i], v) + rows[i].bias;
  return measure_residual(rows, scales_, u_, {}, largest_rounding(rows, scales_, v));
}

// The velocities that go with the impulses.
void SemismoothNewton::find_velocities(const std::vector<ConeConstraint>& rows, std::vector<double>& v,
                                       std::vector<double>& l) {
  matrix_->clear_addition();
  matrix_->factor();
  ++factorisations_;
  matrix_->for_each_dof([&](size_t i) { v[i] = b_[i]; });
  matrix_->for_each_row([&](size_t i) { l[i] = c_[i]; });
  for (const ConeConstraint& row : rows) add_push(row, row.impulse, v);
  matrix_->solve(v.data(), l.data());
}

// dv without the part that is not symmetric: (1 + S H^-1 G^T skew) x = n.G dv by products, H being factored.
void SemismoothNewton::add_skew(const std::vector<ConeConstraint>& rows) {
  sliding_.clear();
  for (size_t i = 0; i < rows.size(); ++i)
    if (stiff_[i].skew != Vec3::Zero()) sliding_.push_back(i);
  if (sliding_.empty()) return;
  const auto count = static_cast<Eigen::Index>(sliding_.size());
  const auto row_of = [&](Eigen::Index k) { return sliding_[static_cast<size_t>(k)]; };
  const auto spread = [&](const auto& x) {
    matrix_->for_each_dof([&](size_t i) { part_[i] = 0; });
    matrix_->for_each_row([&](size_t i) { part_l_[i] = 0; });
    for (Eigen::Index k = 0; k < count; ++k) add_push(rows[row_of(k)], x[k] * stiff_[row_of(k)].skew, part_);
    matrix_->solve(part_.data(), part_l_.data());
  };
  if (count == 1) {
    spread(Eigen::Matrix<double, 1, 1>(1.0));
    const ConeConstraint& row = rows[sliding_[0]];
    const double x = speed_at(row, dv_).x() / (1 + speed_at(row, part_).x());
    matrix_->for_each_dof([&](size_t i) { dv_[i] -= x * part_[i]; });
    matrix_->for_each_row([&](size_t i) { dl_[i] -= x * part_l_[i]; });
    return;
  }
  const auto apply = [&](const Eigen::VectorXd& x) {
    spread(x);
    Eigen::VectorXd y = x;
    for (Eigen::Index k = 0; k < count; ++k) y[k] += speed_at(rows[row_of(k)], part_).x();
    return y;
  };
  Eigen::VectorXd normal(count);
  for (Eigen::Index k = 0; k < count; ++k) normal[k] = speed_at(rows[row_of(k)], dv_).x();
  spread(solve_least_residual(apply, normal, kSkewResidual, kSkewProducts));
  matrix_->for_each_dof([&](size_t i) { dv_[i] -= part_[i]; });
  matrix_->for_each_row([&](size_t i) { dl_[i] -= part_l_[i]; });
}

// The contacts of (2) where they were looked at last, and the factors they make.
void SemismoothNewton::stiffen(const std::vector<ConeConstraint>& rows) {
  matrix_->clear_addition();
  stiff_.resize(rows.size()), dr_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeConstraint& row = rows[i];
    const double rho = scale_ / scales_[i].inertia;
    const double soft = rho * row.compliance + scale_ * give_ + kRedundantContact;
    const Mat3 D = limit_derivative(row, before_limit(i, row, u_[i]));
    Stiffness& s = stiff_[i];
    s.inverse = (Mat3::Identity() - D + soft * D).inverse();
    s.whole = rho * s.inverse * D;
    s.skew =
        row.set == ConeConstraint::Set::cone ? Vec3(0, s.whole(1, 0), s.whole(2, 0)) : Vec3(Vec3::Zero());
    s.symmetric = s.whole;
    s.symmetric.col(0) -= s.skew;
    add_stiffness(row, s.symmetric, *matrix_);
  }
  matrix_->factor();
  ++factorisations_;
}

// dr of (2); false if it is no number.
bool SemismoothNewton::find_impulses(const std::vector<ConeConstraint>& rows) {
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    dr_[i] = -(stiff_[i].inverse * left_[i]) - stiff_[i].whole * speed_at(rows[i], dv_);
    sum += dr_[i].sum();
  }
  return std::isfinite(sum);
}

// (2); false if it is no number.
bool SemismoothNewton::find_step(const std::vector<ConeConstraint>& rows) {
  stiffen(rows);
  matrix_->for_each_dof([&](size_t i) { dv_[i] = 0; });
  matrix_->for_each_row([&](size_t i) { dl_[i] = 0; });
  for (size_t i = 0; i < rows.size(); ++i) add_push(rows[i], -(stiff_[i].inverse * left_[i]), dv_);
  matrix_->solve(dv_.data(), dl_.data());
  add_skew(rows);
  return find_impulses(rows);
}

// (2) from momenta and impulses that need not go together: where it leads is found as a whole, so that no rounding adds up.
bool SemismoothNewton::find_whole_step(const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                                       const std::vector<double>& l) {
  stiffen(rows);
  matrix_->for_each_dof([&](size_t i) { dv_[i] = b_[i]; });
  matrix_->for_each_row([&](size_t i) { dl_[i] = c_[i]; });
  for (size_t i = 0; i < rows.size(); ++i)
    add_push(rows[i],
             rows[i].impulse - stiff_[i].inverse * left_[i] + stiff_[i].symmetric * (u_[i] - rows[i].bias),
             dv_);
  matrix_->solve(dv_.data(), dl_.data());
  matrix_->for_each_dof([&](size_t i) { dv_[i] -= v[i]; });
  matrix_->for_each_row([&](size_t i) { dl_[i] -= l[i]; });
  add_skew(rows);
  return find_impulses(rows);
}

// Newton's method for one e. Steps that do not lessen what is left are cut; where none does, a few are taken as they are.
bool SemismoothNewton::refine(double tolerance, std::vector<ConeConstraint>& rows, std::vector<double>& v) {
  Look here = look(rows, v);
  const double first = here.square;
  for (int step = 0, bold = 0; here.residual > tolerance; ++step) {
    if (step == kRefiningSteps || (step > kEarlySteps && here.square > first)) return false;
    if (!find_step(rows)) return false;
    const auto go = [&](double share) {
      matrix_->for_each_dof([&](size_t i) { v[i] += share * dv_[i]; });
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

// From now on contacts give, as seen from where they are.
void SemismoothNewton::give_way(double give, std::vector<ConeConstraint>& rows, std::vector<double>& v,
                                std::vector<double>& l) {
  give_ = give;
  for (size_t i = 0; i < rows.size(); ++i) centers_[i] = project_on_cone(rows[i], rows[i].impulse);
  find_velocities(rows, v, l);
}

// A step by the factors of the last one, for what is left of F and what rounding has left of momenta and joints.
void SemismoothNewton::step_again(std::vector<ConeConstraint>& rows, std::vector<double>& v,
                                  std::vector<double>& l) {
  find_lacks(*matrix_, b_, c_, rows, v, l, dv_, dl_);
  for (size_t i = 0; i < rows.size(); ++i) add_push(rows[i], -(stiff_[i].inverse * left_[i]), dv_);
  matrix_->solve(dv_.data(), dl_.data());
  add_skew(rows);
  find_impulses(rows);
  matrix_->for_each_dof([&](size_t i) { v[i] += dv_[i]; });
  matrix_->for_each_row([&](size_t i) { l[i] += dl_[i]; });
  for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse += dr_[i];
}

// The last digits, where rows were looked at and this was left.
void SemismoothNewton::finish(double residual, std::vector<ConeConstraint>& rows, std::vector<double>& v,
                              std::vector<double>& l) {
  before_.keep(*matrix_, rows, v, l);
  step_again(rows, v, l);
  if (!(look(rows, v).residual <= residual)) {
    // From here it does not lead nearer: momenta and joints alone.
    before_.restore(*matrix_, rows, v, l);
    std::fill(left_.begin(), left_.end(), Vec3::Zero());
    step_again(rows, v, l);
    look(rows, v);
  }
  // What parts or slides does so exactly.
  for (size_t i = 0; i < rows.size(); ++i) {
    const Vec3 z = before_limit(i, rows[i], u_[i]), p = limit_impulse(rows[i], z);
    if (p != z) rows[i].impulse = p;
  }
}

bool SemismoothNewton::approach(double tolerance, double enough, std::span<const RowScale> scales,
                                std::vector<ConeConstraint>& rows, std::vector<double>& v,
                                std::vector<double>& l) {
  begin_rows(kHardScale, scales);
  const double rounding = scale_ * largest_rounding(rows, scales_, v);
  constexpr double kNothing = std::numeric_limits<double>::infinity();
  Look here = look(rows, v), best{.wrong = kNothing, .residual = kNothing};
  double give = here.residual < kLastDigits ? kLeastNearGive : kNearGive;
  for (int step = 0, idle = 0; step < kNearSteps && idle <= kIdleSteps; ++step) {
    give_ = give;
    if (!find_whole_step(rows, v, l)) return false;
    give_ = 0;
    const auto go = [&](double share) {
      matrix_->for_each_dof([&](size_t i) { v[i] += share * dv_[i]; });
      matrix_->for_each_row([&](size_t i) { l[i] += share * dl_[i]; });
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
    if (here.residual <= kEasyShare * tolerance) return finish(here.residual, rows, v, l), true;
    const bool gains = here.residual < 0.5 * best.residual, falls = here.residual < best.residual;
    idle = gains ? 0 : idle + 1;
    if (falls) best = here, best_.keep(*matrix_, rows, v, l);
    if (!gains && best.wrong <= rounding) break;  // nothing more to be had
    if (!gains) give = falls ? kLeastNearGive : kNearGive;
  }
  if (!(best.residual <= std::max(tolerance, enough) || best.wrong <= rounding)) return false;
  best_.restore(*matrix_, rows, v, l);
  look(rows, v);
  finish(best.residual, rows, v, l);
  return true;
}

void SemismoothNewton::polish(double tolerance, std::span<const RowScale> scales,
                              std::vector<ConeConstraint>& rows, std::vector<double>& v,
                              std::vector<double>& l) {
  begin_rows(kHardScale, scales);
  give_way(kPolishing, rows, v, l);
  refine(kEasyShare * tolerance, rows, v);
  find_velocities(rows, v, l);
}

void SemismoothNewton::solve(double tolerance, double enough, double scale, std::span<const RowScale> scales,
                             std::vector<ConeConstraint>& rows, std::vector<double>& v,
                             std::vector<double>& l) {
  begin_rows(scale, scales);
  give_way(kSoftest, rows, v, l);
  const int started = factorisations_ - 1;
  best_.keep(*matrix_, rows, v, l);
  ContactResidual least = measure(rows, v);
  for (int missed = 0; missed <= kMissedStages && factorisations_ - started < kMostFactorisations;) {
    const bool early = missed == 0 && factorisations_ - started < kEnoughFactorisations;
    if (least.is_within(early ? tolerance : enough)) break;
    const int earlier = factorisations_;
    before_.keep(*matrix_, rows, v, l);
    if (refine(kStageResidual * give_, rows, v)) {
      find_velocities(rows, v, l);  // digits that contacts of small e have cost
      const ContactResidual here = measure(rows, v);
      if (here.is_within(least.whole)) least = here, best_.keep(*matrix_, rows, v, l);
      for (size_t i = 0; i < rows.size(); ++i) centers_[i] = rows[i].impulse;
      const int steps = factorisations_ - earlier;
      give_ = std::max(kHardest, give_ * (steps <= kQuickSteps   ? kQuickHardening
                                          : steps <= kEarlySteps ? kHardening
                                                                 : kSlowHardening));
    } else {
      before_.restore(*matrix_, rows, v, l);
      give_ = std::min(1.0, kSoftening * give_);
      ++missed;
    }
  }
  best_.restore(*matrix_, rows, v, l);
  find_velocities(rows, v, l);
}

}  // namespace tumble::dynamics
