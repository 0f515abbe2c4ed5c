#include "tumble/dynamics/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

namespace {

using Vec6 = BlockSolver::Vec6;

Eigen::Map<Vec6> at(std::vector<double>& x, int node) {
  return Eigen::Map<Vec6>(&x[6 * static_cast<size_t>(node)]);
}
Eigen::Map<const Vec6> at(const std::vector<double>& x, int node) {
  return Eigen::Map<const Vec6>(&x[6 * static_cast<size_t>(node)]);
}

double tangential(const Vec3& u) { return math::sqrt(u.y() * u.y() + u.z() * u.z()); }

double shift_of(const ConeRow& row, const Vec3& u) {
  return row.set == ConeRow::Set::cone ? row.friction * tangential(u) : 0;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

// x with A x = b nearly, by the smallest residual in growing spaces of A^k b.
template <class Product>
Eigen::VectorXd solve_least_residual(const Product& apply, const Eigen::VectorXd& b, double tolerance) {
  const Eigen::Index most = std::min<Eigen::Index>(b.size(), kShiftProducts);
  const double size = b.norm();
  if (!(size > 0)) return Eigen::VectorXd::Zero(b.size());
  Eigen::MatrixXd basis(b.size(), most + 1), H = Eigen::MatrixXd::Zero(most + 1, most);
  basis.col(0) = b / size;
  Eigen::VectorXd y;
  Eigen::Index k = 0;
  while (k < most) {
    Eigen::VectorXd w = apply(basis.col(k));
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index j = 0; j <= k; ++j) {
        const double part = basis.col(j).dot(w);
        H(j, k) += part, w -= part * basis.col(j);
      }
    H(k + 1, k) = w.norm();
    const bool whole = !(H(k + 1, k) > kDependentRow * H.col(k).norm());
    if (!whole) basis.col(k + 1) = w / H(k + 1, k);
    ++k;
    const Eigen::VectorXd target = size * Eigen::VectorXd::Unit(k + 1, 0);
    y = H.topLeftCorner(k + 1, k).colPivHouseholderQr().solve(target);
    if (whole || (H.topLeftCorner(k + 1, k) * y - target).norm() <= tolerance * size) break;
  }
  return basis.leftCols(k) * y;
}

}  // namespace

Vec3 project_on_cone(const ConeRow& row, const Vec3& z, Mat3* derivative) {
  const auto give = [&](const Vec3& p, const Mat3& D) {
    if (derivative) *derivative = D;
    return p;
  };
  if (row.set == ConeRow::Set::positive) {
    const bool pushes = z.x() > 0;
    return give(Vec3(pushes ? z.x() : 0, 0, 0), Vec3(pushes ? 1 : 0, 0, 0).asDiagonal());
  }
  if (row.set == ConeRow::Set::ball) {
    const double length = z.norm();
    if (length <= row.radius) return give(z, Mat3::Identity());
    const Vec3 d = z / length;
    return give(row.radius * d, row.radius / length * (Mat3::Identity() - d * d.transpose()));
  }
  const double mu = row.friction, t = tangential(z);
  if (t <= mu * z.x()) return give(z, Mat3::Identity());
  if (mu * t <= -z.x()) return give(Vec3::Zero(), Mat3::Zero());
  const double normal = (z.x() + mu * t) / (1 + mu * mu);
  if (!(t > 0)) return give(Vec3(normal, 0, 0), Vec3(1 / (1 + mu * mu), 0, 0).asDiagonal());
  const Vec3 g(1, mu * z.y() / t, mu * z.z() / t);
  Mat3 D = g * g.transpose() / (1 + mu * mu);
  const double y = z.y() / t, x = z.z() / t, turn = mu * normal / t;
  D(1, 1) += turn * (1 - y * y), D(2, 2) += turn * (1 - x * x);
  D(1, 2) -= turn * x * y, D(2, 1) -= turn * x * y;
  return give(normal * g, D);
}

Vec3 ContactSolver::velocity_at(const ConeRow& row, const std::vector<double>& v) const {
  Vec3 u = row.bias;
  if (row.a != kNone) u += row.G_a * at(v, row.a);
  if (row.b != kNone) u += row.G_b * at(v, row.b);
  return u;
}

// p of (2).
Vec3 ContactSolver::push_of(size_t i, const ConeRow& row, const Vec3& u, Mat3* derivative) const {
  return project_on_cone(
      row, row.impulse * (1 - rho(i, row) * row.compliance) - rho(i, row) * (u + Vec3(shifts_[i], 0, 0)),
      derivative);
}

// How far to go from v along d, at most all the way: to where (2), convex along it, is least, or nearly. Its slope there is
//   d.(A v - b) + t d.A d - sum (G d).p(t)
double ContactSolver::search_line(const BlockSolver& matrix, std::span<const double> b,
                                  const std::vector<ConeRow>& rows, const std::vector<double>& v,
                                  const std::vector<double>& d) {
  force_.assign(b.begin(), b.end());
  matrix.subtract_product(v.data(), force_.data());
  double along = 0, bend = 0;
  for (size_t i = 0; i < d.size(); ++i) along -= d[i] * force_[i];
  force_.assign(d.size(), 0.0);
  matrix.subtract_product(d.data(), force_.data());
  for (size_t i = 0; i < d.size(); ++i) bend -= d[i] * force_[i];
  const auto slope = [&](double t) {
    double sum = along + t * bend;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Vec3 turn = velocity_at(rows[i], d) - rows[i].bias;
      sum -= turn.dot(push_of(i, rows[i], velocity_at(rows[i], v) + t * turn));
    }
    return sum;
  };
  const double first = slope(0);
  double left = 0, right = 1, at_left = first, at_right = slope(1);
  // Uphill at once: what is left of the joints, at the end of all digits.
  if (!(first < 0) || !(at_right > kLineSlope * std::abs(first))) return 1;
  // Regula falsi; the slope of an end that stays is halved.
  double t = 1;
  for (int k = 0; k < kContactLineSteps; ++k) {
    t = (left * at_right - right * at_left) / (at_right - at_left);
    const double here = slope(t);
    if (std::abs(here) <= kLineSlope * std::abs(first)) break;
    if (here > 0) {
      if (right - t < 0.5 * (right - left)) at_left *= 0.5;
      right = t, at_right = here;
    } else {
      if (t - left < 0.5 * (right - left)) at_right *= 0.5;
      left = t, at_left = here;
    }
  }
  return t;
}

// Newton's method on (2). True if it came to rest.
bool ContactSolver::minimise(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                             const std::vector<ConeRow>& rows, double tolerance, bool first,
                             std::vector<double>& v, std::vector<double>& l, ContactReport& report) {
  double change = 0;
  for (int pass = 0; pass < kContactNewtonPasses; ++pass) {
    // (A + G^T rho DPi G) v' + J^T l = b + G^T (Pi(z) + rho DPi G v)
    matrix.clear_addition();
    double pushed = 0;  // m/s
    next_.assign(b.begin(), b.end());
    l.assign(c.begin(), c.end());
    for (size_t i = 0; i < rows.size(); ++i) {
      const ConeRow& row = rows[i];
      Mat3 D;
      const Vec3 u = velocity_at(row, v), p = push_of(i, row, u, &D);
      pushed = std::max(pushed, p.norm() * inertias_[i]);
      D *= rho(i, row);
      const Vec3 pull = p + D * (u - row.bias);
      if (row.a != kNone) {
        const Eigen::Matrix<double, 6, 3> GD = row.G_a.transpose() * D;
        at(next_, row.a) += row.G_a.transpose() * pull;
        matrix.add_to_diagonal(row.a, GD * row.G_a);
        if (row.b != kNone) matrix.add_to_coupling(row.a, row.b, GD * row.G_b);
      }
      if (row.b != kNone) {
        at(next_, row.b) += row.G_b.transpose() * pull;
        matrix.add_to_diagonal(row.b, row.G_b.transpose() * D * row.G_b);
      }
    }
    matrix.factor();
    ++report.factorisations;
    matrix.solve(next_.data(), l.data());
    change = 0;
    for (size_t i = 0; i < v.size(); ++i) change = std::max(change, std::abs(next_[i] - v[i]));
    // Velocities are known well enough when what impulses make of them is, or rounding stops them.
    if (!(change > std::max(tolerance * pushed, kContactRoundOff * std::max(largest(next_), largest(v))))) {
      v = next_;
      return true;
    }
    // The first step obeys the joints, which the guess may not; from then on (2) must fall.
    if (first && pass == 0) {
      v = next_;
      continue;
    }
    for (size_t i = 0; i < v.size(); ++i) next_[i] -= v[i];
    const double share = search_line(matrix, b, rows, v, next_);
    for (size_t i = 0; i < v.size(); ++i) v[i] += share * next_[i];
  }
  return change <= kContactRestless * largest(v);
}

// Of (1), or with shifts as they are; and what rounding makes of it.
ContactSolver::Residual ContactSolver::compute_residual(const std::vector<ConeRow>& rows,
                                                        const std::vector<double>& v) const {
  double most = 0, wrong = 0, wrong_here = 0, rounding = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const Vec3 u = velocity_at(row, v) + row.compliance * row.impulse;
    const auto left = [&](double shift) {
      return (row.impulse - project_on_cone(row, row.impulse - (u + Vec3(shift, 0, 0)) / inertias_[i]))
          .norm();
    };
    most = std::max(most, row.impulse.norm());
    wrong = std::max(wrong, left(shift_of(row, u)));
    wrong_here = std::max(wrong_here, left(shifts_[i]));
    double speed = row.bias.norm();
    for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)})
      if (node != kNone) speed += (G->cwiseAbs() * at(v, node).cwiseAbs()).norm();
    rounding = std::max(rounding, kContactRoundOff * speed / inertias_[i]);
  }
  const double size = std::max(most, wrong);
  if (!(size > 0)) return {};
  return {wrong / size, wrong_here / size, rounding / size};
}

// Shifts are right if the velocities they lead to give them back, s = F(s) = mu |u_t(v(s))|. Sets steps to F - s and returns the largest that
// matters: of contacts that carry, or would if their shifts were right.
double ContactSolver::judge_shifts(const std::vector<ConeRow>& rows, const std::vector<double>& v) {
  rubbing_.clear();
  step_.assign(rows.size(), 0.0);
  double wrong = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    if (row.set != ConeRow::Set::cone || !(row.friction > 0)) continue;
    Mat3 D;
    const Vec3 u = velocity_at(row, v), p = push_of(i, row, u, &D);
    const Vec3 slip(0, u.y() + row.compliance * p.y(), u.z() + row.compliance * p.z());
    const double speed = tangential(slip);
    step_[i] = row.friction * speed - shifts_[i];
    if (p.x() > 0 || (step_[i] < 0 && u.x() < 0)) wrong = std::max(wrong, std::abs(step_[i]));
    if (!(p.x() > 0)) continue;
    const bool slides = speed > 0 && !D.isIdentity(0);
    rubbing_.push_back({i, -rho(i, row) * D.col(0), slides ? row.friction / speed * slip : Vec3(0 * slip)});
  }
  return wrong;
}

// Steps of Newton's method for s = F(s). How v answers to s is known from the factors at hand, dv = -H^-1 G^T rho DPi n ds: each
// product with the derivative is one solution.
void ContactSolver::improve_step(BlockSolver& matrix, const std::vector<ConeRow>& rows) {
  if (rubbing_.empty()) return;
  std::vector<double> dv, dl;
  const auto apply = [&](const Eigen::VectorXd& ds) {
    dv.assign(6 * matrix.nodes(), 0.0), dl.assign(matrix.rows(), 0.0);
    for (size_t k = 0; k < rubbing_.size(); ++k) {
      const ConeRow& row = rows[rubbing_[k].row];
      const Vec3 f = ds[static_cast<Eigen::Index>(k)] * rubbing_[k].push;
      if (row.a != kNone) at(dv, row.a) += row.G_a.transpose() * f;
      if (row.b != kNone) at(dv, row.b) += row.G_b.transpose() * f;
    }
    matrix.solve(dv.data(), dl.data());
    Eigen::VectorXd y = ds;
    for (size_t k = 0; k < rubbing_.size(); ++k) {
      const ConeRow& row = rows[rubbing_[k].row];
      y[static_cast<Eigen::Index>(k)] -= rubbing_[k].slope.dot(velocity_at(row, dv) - row.bias);
    }
    return y;
  };
  Eigen::VectorXd rest(static_cast<Eigen::Index>(rubbing_.size()));
  for (size_t k = 0; k < rubbing_.size(); ++k) rest[static_cast<Eigen::Index>(k)] = step_[rubbing_[k].row];
  const Eigen::VectorXd ds = solve_least_residual(apply, rest, kShiftResidual);
  for (size_t k = 0; k < rubbing_.size(); ++k) step_[rubbing_[k].row] = ds[static_cast<Eigen::Index>(k)];
}

// The shifts of the next pass: by Newton's method while its steps, or parts of them, make shifts less wrong; F may bend away from
// where it meets s, and then some plain steps s <- F(s) lead on.
void ContactSolver::move_shifts(BlockSolver& matrix, const std::vector<ConeRow>& rows, double wrong) {
  if (search_.plain > 0) {
    --search_.plain;
    search_.least_wrong = std::numeric_limits<double>::infinity();
    const double share = search_.attempts % 2 == 1 ? 1 : 0.5;  // two shifts may swap for ever
    for (size_t i = 0; i < rows.size(); ++i) shifts_[i] += share * step_[i];
    return;
  }
  if (wrong < (1 - kShiftDescent * search_.share) * search_.least_wrong) {
    improve_step(matrix, rows);
    search_.start = shifts_, search_.direction = step_;
    search_.least_wrong = wrong, search_.share = 1;
  } else {
    search_.share *= 0.5;
    if (search_.share < kLeastShiftShare) search_.plain = kPlainShifts << search_.attempts++;
  }
  for (size_t i = 0; i < rows.size(); ++i)
    shifts_[i] = std::max(0.0, search_.start[i] + search_.share * search_.direction[i]);
}

void ContactSolver::begin(BlockSolver& matrix, const std::vector<ConeRow>& rows,
                          const std::vector<double>& v) {
  inertias_.clear(), shifts_.clear();
  for (const ConeRow& row : rows) {
    const int count = row.set == ConeRow::Set::positive ? 1 : 3;
    double sum = 0;
    for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)}) {
      if (node == kNone) continue;
      const Eigen::LLT<BlockSolver::Block> A(matrix.diagonal(node));
      for (int k = 0; k < count; ++k) sum += G->row(k).dot(A.solve(G->row(k).transpose()));
    }
    inertias_.push_back(sum / count);
    shifts_.push_back(row.impulse.x() > 0 ? shift_of(row, velocity_at(row, v) + row.compliance * row.impulse)
                                          : 0);
  }
  stiffness_ = kContactStiffness;
  search_ = {};
}

ContactReport ContactSolver::solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeRow>& rows, double tolerance, std::vector<double>& v,
                                   std::vector<double>& l) {
  ContactReport report;
  begin(matrix, rows, v);
  double before = 1;  // the residual with which a pass begins
  bool easy = true;
  int waited = 0;
  double last = std::numeric_limits<double>::infinity(), stiffest = kLargestContactStiffness;
  for (;; ++report.passes) {
    const bool minimal = minimise(matrix, b, c, rows, tolerance, report.passes == 0, v, l, report);
    if (!std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) {
      report.residual = std::numeric_limits<double>::infinity(), report.solved = false;
      break;
    }
    const double wrong = judge_shifts(rows, v);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse = push_of(i, rows[i], velocity_at(rows[i], v));
    const Residual residual = compute_residual(rows, v);
    const double enough = std::max(tolerance, residual.rounding);
    report.residual = residual.whole;
    report.solved = minimal && residual.whole <= enough;
    if (report.solved || (report.convex && minimal && residual.at_shift <= enough) ||
        report.passes == kContactPasses + kConvexPasses)
      break;
    // Where all goes well, impulses and shifts settle together; else what shifts lead to is judged when impulses have settled for them.
    if (!(residual.whole < last / 3)) easy = false;
    last = residual.whole;
    const bool settled = residual.at_shift <= std::max(kSettled * residual.whole, enough);
    if (report.passes == kContactPasses) {
      report.convex = true;
      std::fill(shifts_.begin(), shifts_.end(), 0.0);
      stiffness_ = kContactStiffness;
    } else if (easy) {
      for (size_t i = 0; i < rows.size(); ++i) shifts_[i] += step_[i];
    } else if (!report.convex && minimal && (settled || ++waited == kSettlingPasses)) {
      move_shifts(matrix, rows, wrong);
      waited = 0;
    }
    if (!minimal)
      stiffness_ = stiffest = std::max(stiffness_ / 10, kContactStiffness);
    else if (residual.at_shift > std::max(before / 3, enough))
      stiffness_ = std::min(10 * stiffness_, stiffest);
    before = compute_residual(rows, v).at_shift;
  }
  ++report.passes;
  return report;
}

}  // namespace tumble::dynamics
