#include "tumble/dynamics/solvers/contact_island.h"

#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Vec3;

namespace {

double size_of(const double* r) { return math::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]); }

}  // namespace

ContactResidual measure_residual(const ContactIsland& island, std::span<const Vec3> u,
                                 std::span<const double> shifts, double rounding,
                                 const ResidualParameters& parameters) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double most = 0, wrong = 0, wrong_here = 0;  // squares
  double all = 0;                              // not finite if any number is not
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const ConeConstraint& row = island.rows[i];
    const Vec3 at = u[i] + row.compliance * row.impulse;
    const double response = 1 / island.scales[i].inverse_mass, right = shift_of(row, at);
    const auto violation = [&](double shift) {
      return (row.impulse - project_on_cone(row, row.impulse - response * (at + Vec3(shift, 0, 0))))
          .squaredNorm();
    };
    most = std::max(most, row.impulse.squaredNorm());
    all += row.impulse.sum() + at.sum();
    const double here = violation(right);
    wrong = std::max(wrong, here);
    if (!shifts.empty()) wrong_here = std::max(wrong_here, shifts[i] == right ? here : violation(shifts[i]));
  }
  if (!std::isfinite(all)) return {kNever, kNever, 0};
  const double size =
      std::max(math::sqrt(std::max(most, wrong)), parameters.least_impulse / parameters.round_off * rounding);
  if (!(size > 0)) return {};
  return {math::sqrt(wrong) / size, math::sqrt(wrong_here) / size, rounding / size};
}

double largest_rounding(const ContactIsland& island, const ResidualParameters& parameters) {
  double most = 0;
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const ConeConstraint& row = island.rows[i];
    const RowScale& scale = island.scales[i];
    double speed = size_of(row.bias.data());
    const auto add_speed = [&](int node, double linear, double angular) {
      if (node == kNone) return;
      const double* u = &island.v[6 * static_cast<size_t>(node)];
      speed += linear * size_of(u) + angular * size_of(u + 3);
    };
    add_speed(row.a, scale.linear_a, scale.angular_a), add_speed(row.b, scale.linear_b, scale.angular_b);
    most = std::max(most, speed / scale.inverse_mass);
  }
  return parameters.round_off * most;
}

void compute_row_velocities(const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                            std::vector<Vec3>& u) {
  u.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) u[i] = relative_velocity(rows[i], v) + rows[i].bias;
}

void compute_residuals(const ContactIsland& island, std::vector<double>& momenta,
                       std::vector<double>& joints) {
  const KktSolver& matrix = *island.matrix;
  matrix.for_each_dof([&](size_t i) { momenta[i] = island.b[i]; });
  matrix.for_each_row([&](size_t i) { joints[i] = island.c[i]; });
  for (const ConeConstraint& row : island.rows) add_impulse(row, row.impulse, momenta);
  matrix.subtract_product(island.v.data(), momenta.data());
  matrix.subtract_rows(island.v.data(), island.l.data(), momenta.data(), joints.data());
}

void SavedIterate::save(const ContactIsland& island) {
  const std::vector<ConeConstraint>& rows = island.rows;
  impulses_.resize(rows.size());
  v_.resize(6 * island.matrix->bodies().size()), l_.resize(island.l.size());
  for (size_t i = 0; i < rows.size(); ++i) impulses_[i] = rows[i].impulse;
  double* next = v_.data();
  island.matrix->for_each_dof([&](size_t i) { *next++ = island.v[i]; });
  next = l_.data();
  island.matrix->for_each_row([&](size_t i) { *next++ = island.l[i]; });
}

void SavedIterate::restore(ContactIsland& island) const {
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse = impulses_[i];
  const double* next = v_.data();
  island.matrix->for_each_dof([&](size_t i) { island.v[i] = *next++; });
  next = l_.data();
  island.matrix->for_each_row([&](size_t i) { island.l[i] = *next++; });
}

void RowScaler::begin(const KktSolver& matrix) { at_.assign(matrix.nodes(), kNone), factors_.clear(); }

const RowScaler::BodyFactors& RowScaler::factors_of(int node, const KktSolver& matrix) {
  int& at = at_[static_cast<size_t>(node)];
  if (at == kNone) {
    at = static_cast<int>(factors_.size());
    BodyFactors& f = factors_.emplace_back();
    const double* A = matrix.lower_diagonal(node);
    factor_symmetric<6>(A, f.L, f.inverse_D);
    f.gyration_radius = math::sqrt((A[lower(3, 3)] + A[lower(4, 4)] + A[lower(5, 5)]) /
                                   (A[lower(0, 0)] + A[lower(1, 1)] + A[lower(2, 2)]));
  }
  return factors_[static_cast<size_t>(at)];
}

RowScale RowScaler::scale_of(const ConeConstraint& row, const KktSolver& matrix) {
  RowScale scale{.inverse_mass = 0};
  const int count = row.set == ConeConstraint::Set::positive ? 1 : 3;
  const auto add_body = [&](int node, const ConeConstraint::Matrix36& G, double& linear, double& angular) {
    if (node == kNone) return;
    const BodyFactors& f = factors_of(node, matrix);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      double z[6];
      TUMBLE_UNROLLED (c, 0, 6) z[c] = G(k, c);
      solve_lower<6>(f.L, z);
      TUMBLE_UNROLLED (c, 0, 6) sum = fma(z[c] * z[c], f.inverse_D[c], sum);
    }
    scale.inverse_mass += sum / count;
    const double linear_size = G.leftCols<3>().norm(), angular_size = G.rightCols<3>().norm();
    linear = linear_size + angular_size / f.gyration_radius,
    angular = angular_size + linear_size * f.gyration_radius;
  };
  add_body(row.a, row.G_a, scale.linear_a, scale.angular_a);
  add_body(row.b, row.G_b, scale.linear_b, scale.angular_b);
  return scale;
}

void RowsByIsland::build(const KktSolver& matrix, const std::vector<ConeConstraint>& rows) {
  first_.assign(matrix.islands() + 1, 0), numbers_.resize(rows.size());
  const auto island = [&](const ConeConstraint& row) {
    return matrix.island_of(row.a != kNone ? row.a : row.b);
  };
  for (const ConeConstraint& row : rows) ++first_[island(row) + 1];
  for (size_t k = 0; k + 1 < first_.size(); ++k) first_[k + 1] += first_[k];
  next_ = first_;
  for (size_t i = 0; i < rows.size(); ++i) numbers_[next_[island(rows[i])]++] = i;
}

}  // namespace tumble::dynamics
