#include "tumble/dynamics/few_contacts.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

namespace {

double tangential_size(const Vec3& z) { return math::sqrt(z.y() * z.y() + z.z() * z.z()); }

Eigen::Index place_of(size_t row) { return static_cast<Eigen::Index>(3 * row); }

// One contact that slides. With d the direction of its slip, r = r_n (1, -mu d): r_n follows from u_n = 0, and d from u_t being along d.
// How far u_t is across d changes sign there: it is looked at all around.
bool find_slip(const ConeRow& row, const Mat3& W, const Vec3& q, Vec3& r) {
  struct Look {
    double across = 0;
    bool along = false, yields = false;
    Vec3 r = Vec3::Zero();
  };
  const auto look = [&](double angle) {
    const double c = math::cos(angle), s = math::sin(angle);
    const Vec3 push(1, -row.friction * c, -row.friction * s);
    const double yields = W.row(0).dot(push);
    Look here;
    if (!(yields > kDependentRow * W(0, 0))) return here;
    here.r = -q.x() / yields * push;
    const Vec3 u = W * here.r + q;
    here.yields = true;
    here.across = c * u.z() - s * u.y();
    here.along = c * u.y() + s * u.z() >= 0;
    return here;
  };
  Look left = look(0);
  for (int k = 1; k <= kSlipLooks; ++k) {
    const double part = 2 * math::kPi / kSlipLooks;
    const Look right = look(k * part);
    if (left.yields && right.yields && (left.along || right.along) &&
        (left.across <= 0) != (right.across <= 0)) {
      double a = (k - 1) * part, b = k * part, at_a = left.across, at_b = right.across;
      Look best = left.along ? left : right;
      for (int step = 0; step < kSlipSteps; ++step) {
        const double t = (a * at_b - b * at_a) / (at_b - at_a), whole = b - a;
        const Look here = look(t);
        if (here.along && std::abs(here.across) < std::abs(best.across)) best = here;
        if (!(std::abs(here.across) > kSlipRoundOff * q.norm())) break;
        if ((here.across <= 0) == (at_a <= 0)) {
          if (t - a < 0.5 * whole) at_b *= 0.5;
          a = t, at_a = here.across;
        } else {
          if (b - t < 0.5 * whole) at_a *= 0.5;
          b = t, at_b = here.across;
        }
      }
      r = best.r;
      return true;
    }
    left = right;
  }
  return false;
}

// The impulse of one contact with u = W r + q: Newton's method on (1), or, where that does not end, case by case.
Vec3 solve_one(const ConeRow& row, const Mat3& W, const Vec3& q, double rho, const Vec3& guess) {
  if (row.set == ConeRow::Set::positive) return Vec3(std::max(0.0, -q.x() / W(0, 0)), 0, 0);
  Vec3 r = guess;
  for (int step = 0; step < kOneContactSteps; ++step) {
    Mat3 D;
    const Vec3 p = limit_impulse(row, r - rho * (W * r + q), &D), left = r - p;
    if (left.norm() <= kOneContactResidual * p.norm()) return p;
    const Mat3 slope = Mat3::Identity() - D + rho * D * W;
    r -= slope.partialPivLu().solve(left);
  }
  if (row.set == ConeRow::Set::cone) {
    if (q.x() >= 0) return Vec3::Zero();
    const Vec3 sticks = -W.llt().solve(q);
    if (tangential_size(sticks) <= row.friction * sticks.x()) return sticks;
    if (find_slip(row, W, q, r)) return r;
  }
  r = guess;
  for (int step = 0; step < kOneContactSteps; ++step) r = limit_impulse(row, r - rho * (W * r + q));
  return r;
}

}  // namespace

Vec3 limit_impulse(const ConeRow& row, const Vec3& z, Mat3* derivative) {
  if (row.set != ConeRow::Set::cone) return project_on_cone(row, z, derivative);
  const double size = tangential_size(z), mu = row.friction;
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

// What is left of (1), and its size.
double FewContacts::measure(const Eigen::VectorXd& r, Eigen::VectorXd& left) const {
  left = *W_ * r + *q_;
  double most = 0, wrong = 0;
  for (size_t i = 0; i < rows_->size(); ++i) {
    const Vec3 here = r.segment<3>(place_of(i)), u = left.segment<3>(place_of(i));
    left.segment<3>(place_of(i)) = here - limit_impulse((*rows_)[i], here - rho_[i] * u);
    most = std::max(most, here.norm()), wrong = std::max(wrong, left.segment<3>(place_of(i)).norm());
  }
  const double size = std::max(most, wrong);
  if (!left.allFinite()) return std::numeric_limits<double>::infinity();
  return size > 0 ? wrong / size : 0;
}

void FewContacts::sweep(Eigen::VectorXd& r) const {
  for (size_t i = 0; i < rows_->size(); ++i) {
    const Eigen::Index k = place_of(i);
    const Mat3 own = W_->block<3, 3>(k, k);
    const Vec3 here = r.segment<3>(k), others = W_->middleRows<3>(k) * r + q_->segment<3>(k) - own * here;
    r.segment<3>(k) = solve_one((*rows_)[i], own, others, rho_[i], here);
  }
}

// Newton's method on (1). Steps that do not lessen what is left are cut; where none does, a few are taken as they are.
double FewContacts::refine(Eigen::VectorXd& r, double tolerance) const {
  Eigen::VectorXd here = r, left, next, left_next;
  double residual = measure(here, left), least = residual;
  Eigen::MatrixXd slope(r.size(), r.size());
  for (int step = 0, bold = 0; step < kRefiningSteps && residual > tolerance; ++step) {
    const Eigen::VectorXd u = *W_ * here + *q_;
    for (size_t i = 0; i < rows_->size(); ++i) {
      const Eigen::Index k = place_of(i);
      Mat3 D;
      limit_impulse((*rows_)[i], here.segment<3>(k) - rho_[i] * u.segment<3>(k), &D);
      slope.middleRows<3>(k).noalias() = rho_[i] * D * W_->middleRows<3>(k);
      // Redundant contacts: what W does not see stays as it is.
      slope.block<3, 3>(k, k) += Mat3::Identity() - (1 - kRedundantContact) * D;
    }
    const Eigen::VectorXd change = slope.partialPivLu().solve(left);
    if (!change.allFinite()) break;
    double share = 1;
    for (; share > kLeastRefiningShare; share *= 0.5) {
      next = here - share * change;
      residual = measure(next, left_next);
      if (left_next.squaredNorm() < (1 - kRefiningDescent * share) * left.squaredNorm()) break;
    }
    if (!(share > kLeastRefiningShare)) {
      if (++bold > kBoldSteps) break;
      next = here - change;
      residual = measure(next, left_next);
    }
    here = next, left = left_next;
    if (residual < least) least = residual, r = here;
  }
  return least;
}

double FewContacts::solve(const Eigen::MatrixXd& W, const Eigen::VectorXd& q,
                          const std::vector<ConeRow>& rows, double tolerance, Eigen::VectorXd& r) {
  W_ = &W, q_ = &q, rows_ = &rows;
  rho_.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Eigen::Index k = place_of(i);
    rho_.push_back(rows[i].set == ConeRow::Set::positive ? 1 / W(k, k) : 3 / W.block<3, 3>(k, k).trace());
  }
  for (int k = 0; k < kSweeps; ++k) sweep(r);
  Eigen::VectorXd found = r;
  double residual = refine(found, tolerance);
  if (residual > tolerance) {
    // Contacts that give a little, and less and less: where bodies are nearly redundant, impulses are far away, but the way there has no jumps.
    Eigen::VectorXd followed = r;
    Eigen::MatrixXd soft = W;
    W_ = &soft;
    int missed = 0;
    for (double give = kSoftest; give > kHardest && missed < kMissedStages; give *= kHardening) {
      for (size_t i = 0; i < rows.size(); ++i)
        for (Eigen::Index k = place_of(i); k < place_of(i) + 3; ++k) soft(k, k) = W(k, k) + give / rho_[i];
      missed = refine(followed, kSoftResidual * tolerance) > give ? missed + 1 : 0;
    }
    W_ = &W;
    const double at_end = refine(followed, tolerance);
    if (at_end < residual) residual = at_end, found = followed;
  }
  r = found;
  return residual;
}

}  // namespace tumble::dynamics
