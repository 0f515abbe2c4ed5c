#include "tumble/dynamics/solvers/coulomb_step.h"

#include <Eigen/LU>
#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

Vec3 project_alart_curnier(const ConeConstraint& row, const Vec3& z) {
  if (row.set != ConeConstraint::Set::cone) return project_on_cone(row, z);
  if (!(z.x() > 0)) return Vec3::Zero();
  const double size = tangential(z), most = row.friction * z.x();
  return size <= most ? z : Vec3(z.x(), most / size * z.y(), most / size * z.z());
}

Mat3 project_alart_curnier_jacobian(const ConeConstraint& row, const Vec3& z) {
  Mat3 D;
  if (row.set != ConeConstraint::Set::cone) {
    project_on_cone(row, z, D);
    return D;
  }
  if (!(z.x() > 0)) return Mat3::Zero();
  const double size = tangential(z), mu = row.friction;
  if (size <= mu * z.x()) return Mat3::Identity();
  const double y = z.y() / size, x = z.z() / size, ratio = mu * z.x() / size;
  D << 1, 0, 0,  //
      mu * y, ratio * (1 - y * y), -ratio * x * y, mu * x, -ratio * x * y, ratio * (1 - x * x);
  return D;
}

void CoulombStep::begin(const ContactIsland& island) {
  dv_.resize(island.b.size()), part_.resize(island.b.size());
  dl_.resize(island.c.size()), part_l_.resize(island.c.size());
}

void CoulombStep::factor(ContactIsland& island, const ProximalTerm& term, std::span<const Vec3> u) {
  KktSolver& matrix = *island.matrix;
  std::vector<ConeConstraint>& rows = island.rows;
  matrix.clear_addition();
  stiff_.resize(rows.size()), dr_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    ConeConstraint& row = rows[i];
    const double rho = term.scale / island.scales[i].inverse_mass;
    const double softness =
        rho * row.compliance + term.scale * term.regularization + parameters_.redundant_response;
    const Mat3 D = project_alart_curnier_jacobian(row, term.argument(island, i, u[i]));
    Stiffness& s = stiff_[i];
    s.inverse = (Mat3::Identity() - D + softness * D).inverse();
    s.whole = rho * s.inverse * D;
    s.skew =
        row.set == ConeConstraint::Set::cone ? Vec3(0, s.whole(1, 0), s.whole(2, 0)) : Vec3(Vec3::Zero());
    s.symmetric = s.whole;
    s.symmetric.col(0) -= s.skew;
    add_stiffness(row, s.symmetric, matrix);
  }
  matrix.factor();
}

// Adds -G^T K^-1 F to the right-hand side.
void CoulombStep::add_right_side(const ContactIsland& island, std::span<const Vec3> F) {
  for (size_t i = 0; i < island.rows.size(); ++i)
    add_impulse(island.rows[i], -(stiff_[i].inverse * F[i]), dv_);
}

bool CoulombStep::solve(const ContactIsland& island, std::span<const Vec3> F) {
  KktSolver& matrix = *island.matrix;
  matrix.for_each_dof([&](size_t i) { dv_[i] = 0; });
  matrix.for_each_row([&](size_t i) { dl_[i] = 0; });
  add_right_side(island, F);
  matrix.solve(dv_.data(), dl_.data());
  add_skew(island);
  return compute_impulses(island, F);
}

bool CoulombStep::solve_whole(const ContactIsland& island, std::span<const Vec3> u, std::span<const Vec3> F) {
  KktSolver& matrix = *island.matrix;
  const std::vector<ConeConstraint>& rows = island.rows;
  matrix.for_each_dof([&](size_t i) { dv_[i] = island.b[i]; });
  matrix.for_each_row([&](size_t i) { dl_[i] = island.c[i]; });
  for (size_t i = 0; i < rows.size(); ++i)
    add_impulse(rows[i],
                rows[i].impulse - stiff_[i].inverse * F[i] + stiff_[i].symmetric * (u[i] - rows[i].bias),
                dv_);
  matrix.solve(dv_.data(), dl_.data());
  matrix.for_each_dof([&](size_t i) { dv_[i] -= island.v[i]; });
  matrix.for_each_row([&](size_t i) { dl_[i] -= island.l[i]; });
  add_skew(island);
  return compute_impulses(island, F);
}

bool CoulombStep::solve_again(const ContactIsland& island, std::span<const Vec3> F) {
  compute_residuals(island, dv_, dl_);
  add_right_side(island, F);
  island.matrix->solve(dv_.data(), dl_.data());
  add_skew(island);
  return compute_impulses(island, F);
}

bool CoulombStep::compute_impulses(const ContactIsland& island, std::span<const Vec3> F) {
  double sum = 0;
  for (size_t i = 0; i < island.rows.size(); ++i) {
    dr_[i] = -(stiff_[i].inverse * F[i]) - stiff_[i].whole * relative_velocity(island.rows[i], dv_);
    sum += dr_[i].sum();
  }
  return std::isfinite(sum);
}

// part = H^-1 G^T skew x, where H is the factored matrix.
template <class Numbers>
void CoulombStep::solve_skew(const ContactIsland& island, const Numbers& x) {
  KktSolver& matrix = *island.matrix;
  matrix.for_each_dof([&](size_t i) { part_[i] = 0; });
  matrix.for_each_row([&](size_t i) { part_l_[i] = 0; });
  for (size_t k = 0; k < sliding_.size(); ++k)
    add_impulse(island.rows[sliding_[k]], x[k] * stiff_[sliding_[k]].skew, part_);
  matrix.solve(part_.data(), part_l_.data());
}

// Corrects dv for the part of the matrix that is not symmetric: solves (1 + S H^-1 G^T skew) x = n.G dv by
// GMRES.
void CoulombStep::add_skew(const ContactIsland& island) {
  const KktSolver& matrix = *island.matrix;
  const std::vector<ConeConstraint>& rows = island.rows;
  sliding_.clear();
  for (size_t i = 0; i < rows.size(); ++i)
    if (stiff_[i].skew != Vec3::Zero()) sliding_.push_back(i);
  if (sliding_.empty()) return;
  if (sliding_.size() == 1) {
    constexpr double kOne[] = {1.0};
    solve_skew(island, kOne);
    const ConeConstraint& row = rows[sliding_[0]];
    const double x = relative_velocity(row, dv_).x() / (1 + relative_velocity(row, part_).x());
    matrix.for_each_dof([&](size_t i) { dv_[i] -= x * part_[i]; });
    matrix.for_each_row([&](size_t i) { dl_[i] -= x * part_l_[i]; });
    return;
  }
  const auto apply = [&](std::span<const double> x, std::span<double> y) {
    solve_skew(island, x);
    for (size_t k = 0; k < x.size(); ++k) y[k] = x[k] + relative_velocity(rows[sliding_[k]], part_).x();
  };
  normal_.clear();
  for (const size_t i : sliding_) normal_.push_back(relative_velocity(rows[i], dv_).x());
  solve_skew(island, gmres_.solve(apply, normal_, parameters_.skew_residual, parameters_.skew_products,
                                  parameters_.skew_dependent));
  matrix.for_each_dof([&](size_t i) { dv_[i] -= part_[i]; });
  matrix.for_each_row([&](size_t i) { dl_[i] -= part_l_[i]; });
}

}  // namespace tumble::dynamics
