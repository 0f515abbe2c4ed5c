// One island of a contact problem during its solution: equation (1) of contact_solver.h, the current iterate,
// and its residual.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tumble/dynamics/solvers/cone_constraint.h"
#include "tumble/dynamics/solvers/solver_parameters.h"

namespace tumble::dynamics {

/// Scales of a row's velocity and impulse.
struct RowScale {
  double inverse_mass = 1;  // w, the mean of G M^-1 G^T: 1/kg or 1/(kg m^2)
  // Rounding error at the row, per unit rounding error of a body's linear and angular velocity. Joints turn
  // one into the other; the radius of gyration converts between them.
  double linear_a = 0, angular_a = 0, linear_b = 0, angular_b = 0;
};

/// The island that `matrix` has selected. Vectors over nodes and rows of J have the length of the whole
/// problem.
struct ContactIsland {
  KktSolver* matrix = nullptr;       // A and J
  std::span<const double> b, c;      // N s and N m s, six a node; m/s or rad/s, one a row of J
  std::vector<RowScale> scales;      // by row
  std::vector<ConeConstraint> rows;  // with r, the current impulses
  std::vector<double> v, l;          // the iterate: six a node; one a row of J, N s or N m s
};

/// Residual of (1): the largest |r - Pi_K(r - (u + s n)/w)|, relative to the largest |r|, or to
/// `least_impulse` times the impulse that would stop the bodies, if that is more. `whole` is for the exact s
/// = mu |u_t|, `at_shifts` for given s, `rounding` is an upper bound of the rounding error.
struct ContactResidual {
  double whole = 0, at_shifts = 0, rounding = 0;
  bool is_within(double tolerance) const { return whole <= std::max(tolerance, rounding); }
};
/// `u`: G v + w of each row; `shifts`: s of each row, or empty; `rounding`: rounding error of impulses, N s.
ContactResidual measure_residual(const ContactIsland& island, std::span<const math::Vec3> u,
                                 std::span<const double> shifts, double rounding,
                                 const ResidualParameters& parameters);

/// N s: upper bound of the error of an impulse by rounding of velocities.
double largest_rounding(const ContactIsland& island, const ResidualParameters& parameters);

/// G v + w of each row.
void compute_row_velocities(const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                            std::vector<math::Vec3>& u);

/// Residuals of momenta and joints, b + G^T r - A v - J^T l and c - J v.
void compute_residuals(const ContactIsland& island, std::vector<double>& momenta,
                       std::vector<double>& joints);

/// A saved iterate of one island.
class SavedIterate {
 public:
  bool empty() const { return impulses_.empty(); }
  void save(const ContactIsland& island);
  void restore(ContactIsland& island) const;
  void clear() { impulses_.clear(); }

 private:
  std::vector<math::Vec3> impulses_;
  std::vector<double> v_, l_;  // of the island alone; l_ has the length of the whole problem
};

/// Computes the scales of rows. Each body is factored once per problem.
class RowScaler {
 public:
  /// `matrix` holds A, which must not change afterwards.
  void begin(const KktSolver& matrix);
  RowScale scale_of(const ConeConstraint& row, const KktSolver& matrix);

 private:
  // Factors of A_ii = L D L^T, and the radius of gyration, m.
  struct BodyFactors {
    double L[15], inverse_D[6], gyration_radius;
  };
  const BodyFactors& factors_of(int node, const KktSolver& matrix);

  std::vector<int> at_;  // by node: among factors_, or kNone
  std::vector<BodyFactors> factors_;
};

/// The rows of each island.
class RowsByIsland {
 public:
  void build(const KktSolver& matrix, const std::vector<ConeConstraint>& rows);
  size_t islands() const { return first_.size() - 1; }
  std::span<const size_t> of(size_t island) const {
    return std::span(numbers_).subspan(first_[island], first_[island + 1] - first_[island]);
  }

 private:
  std::vector<size_t> first_ = {0};  // by island, and the end: offsets in numbers_
  std::vector<size_t> numbers_;      // of rows
  std::vector<size_t> next_;         // scratch
};

}  // namespace tumble::dynamics
