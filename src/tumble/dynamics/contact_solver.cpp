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

// (2) at v.
double ContactSolver::compute_energy(const BlockSolver& matrix, std::span<const double> b,
                                     const std::vector<ConeRow>& rows, const std::vector<double>& v) {
  force_.assign(b.begin(), b.end());
  for (double& f : force_) f *= 2;
  matrix.subtract_product(v.data(), force_.data());  // 2 b - A v
  double energy = 0;
  for (size_t i = 0; i < v.size(); ++i) energy -= 0.5 * v[i] * force_[i];
  for (size_t i = 0; i < rows.size(); ++i) {
    const double rho = 1 / (inertias_[i] / stiffness_ + rows[i].compliance);
    const Vec3 z = rows[i].impulse * (1 - rho * rows[i].compliance) -
                   rho * (velocity_at(rows[i], v) + Vec3(shifts_[i], 0, 0));
    const Vec3 p = project_on_cone(rows[i], z);
    energy += (z.dot(p) - 0.5 * p.squaredNorm()) / rho;
  }
  return energy;
}

// Newton's method on (2). True if it came to rest.
bool ContactSolver::minimise(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                             const std::vector<ConeRow>& rows, double tolerance, bool first,
                             std::vector<double>& v, std::vector<double>& l, ContactReport& report) {
  for (int pass = 0; pass < kContactNewtonPasses; ++pass) {
    // (A + G^T rho DPi G) v' + J^T l = b + G^T (Pi(z) + rho DPi G v)
    matrix.clear_addition();
    next_.assign(b.begin(), b.end());
    l.assign(c.begin(), c.end());
    for (size_t i = 0; i < rows.size(); ++i) {
      const ConeRow& row = rows[i];
      const double rho = 1 / (inertias_[i] / stiffness_ + row.compliance);
      const Vec3 u = velocity_at(row, v);
      Mat3 D;
      const Vec3 p = project_on_cone(
          row, row.impulse * (1 - rho * row.compliance) - rho * (u + Vec3(shifts_[i], 0, 0)), &D);
      D *= rho;
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
    double change = 0;
    for (size_t i = 0; i < v.size(); ++i) change = std::max(change, std::abs(next_[i] - v[i]));
    // Velocities are known well enough when what they make of impulses is.
    double size = std::max(largest(next_), largest(v));
    for (size_t i = 0; i < rows.size(); ++i) size = std::max(size, rows[i].impulse.norm() * inertias_[i]);
    if (!(change > tolerance * size)) {
      v = next_;
      return true;
    }
    // The first step obeys the joints, which the guess may not; from then on (2) must fall.
    if (first && pass == 0) {
      v = next_;
      continue;
    }
    const double before = compute_energy(matrix, b, rows, v);
    double share = 1;
    trial_ = next_;
    for (int halving = 0; halving < kContactHalvings; ++halving, share *= 0.5) {
      if (halving > 0)
        for (size_t i = 0; i < v.size(); ++i) trial_[i] = v[i] + share * (next_[i] - v[i]);
      if (compute_energy(matrix, b, rows, trial_) <= before + kContactEnergySlack * std::abs(before)) break;
    }
    v = trial_;
  }
  return false;
}

double ContactSolver::compute_residual(const std::vector<ConeRow>& rows, const std::vector<double>& v) const {
  double most = 0, wrong = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    Vec3 u = velocity_at(row, v) + row.compliance * row.impulse;
    u.x() += shift_of(row, u);
    most = std::max(most, row.impulse.norm());
    wrong = std::max(wrong, (row.impulse - project_on_cone(row, row.impulse - u / inertias_[i])).norm());
  }
  return wrong > 0 ? wrong / std::max(most, wrong) : 0;
}

ContactReport ContactSolver::solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeRow>& rows, double tolerance, std::vector<double>& v,
                                   std::vector<double>& l) {
  ContactReport report;
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
    shifts_.push_back(shift_of(row, velocity_at(row, v) + row.compliance * row.impulse));
  }
  stiffness_ = kContactStiffness;
  double last = 1;
  for (;; ++report.passes) {
    minimise(matrix, b, c, rows, tolerance * kContactNewtonShare, report.passes == 0, v, l, report);
    for (size_t i = 0; i < rows.size(); ++i) {
      ConeRow& row = rows[i];
      const double rho = 1 / (inertias_[i] / stiffness_ + row.compliance);
      const Vec3 u = velocity_at(row, v);
      row.impulse =
          project_on_cone(row, row.impulse * (1 - rho * row.compliance) - rho * (u + Vec3(shifts_[i], 0, 0)));
      if (!report.shift_frozen) shifts_[i] = shift_of(row, u + row.compliance * row.impulse);
    }
    report.residual = std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })
                          ? compute_residual(rows, v)
                          : std::numeric_limits<double>::infinity();
    if (!(report.residual < std::numeric_limits<double>::infinity())) break;
    if (report.residual <= tolerance || report.passes >= kContactPasses + kFrozenPasses) break;
    if (report.passes == kContactPasses) report.shift_frozen = true;
    if (report.residual > last / 3) stiffness_ = std::min(10 * stiffness_, kLargestContactStiffness);
    last = report.residual;
  }
  ++report.passes;
  return report;
}

}  // namespace tumble::dynamics
