// One island of a contact problem while it is solved: equation (1) of contact_solver.h with its iterate, and
// how far that is from it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tumble/dynamics/solvers/cone_constraint.h"
#include "tumble/dynamics/solvers/solver_parameters.h"

namespace tumble::dynamics {

/// What a row's velocity and impulse are measured by.
struct RowScale {
  double inertia = 1;  // w, the mean of G M^-1 G^T: 1/kg or 1/(kg m^2)
  // What rounding of a body's velocity and angular velocity, 1 each, is at the row. Joints let the one turn
  // the body, and the other way round: by how far from its centre the body has its mass.
  double moving_a = 0, turning_a = 0, moving_b = 0, turning_b = 0;
};

/// The island that `matrix` has selected. Vectors of nodes and rows of J have the length of the whole
/// problem.
struct ContactIsland {
  KktSolver* matrix = nullptr;       // A and J
  std::span<const double> b, c;      // N s and N m s, six a node; m/s or rad/s, one a row of J
  std::vector<RowScale> scales;      // by row
  std::vector<ConeConstraint> rows;  // with r, the iterate of impulses
  std::vector<double> v, l;          // the iterate: six a node; one a row of J, N s or N m s
};

/// How far rows are from (1): the largest |r - Pi_K(r - (u + s n)/w)| over the largest |r|, or over
/// `least_impulse` of what would stop the bodies if that is more, with s as it is right, or as given; and
/// what rounding of the velocities makes of it at most.
struct ContactResidual {
  double whole = 0, at_shifts = 0, rounding = 0;
  bool is_within(double tolerance) const { return whole <= std::max(tolerance, rounding); }
};
/// `u`: G v + w of each row; `shifts`: s of each row, or none; `rounding`: of impulses.
ContactResidual measure_residual(const ContactIsland& island, std::span<const math::Vec3> u,
                                 std::span<const double> shifts, double rounding,
                                 const ResidualParameters& parameters);

/// What rounding of velocities makes of an impulse, at most: N s.
double largest_rounding(const ContactIsland& island, const ResidualParameters& parameters);

/// G v + w of each row.
void compute_row_velocities(const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                            std::vector<math::Vec3>& u);

/// What momenta and joints lack, b + G^T r - A v - J^T l and c - J v.
void find_lacks(const ContactIsland& island, std::vector<double>& of_momenta, std::vector<double>& of_joints);

/// An iterate of one island, to come back to.
class SavedIterate {
 public:
  bool empty() const { return impulses_.empty(); }
  void keep(const ContactIsland& island);
  void restore(ContactIsland& island) const;
  void clear() { impulses_.clear(); }

 private:
  std::vector<math::Vec3> impulses_;
  std::vector<double> v_, l_;  // of the island alone, l_ with room for all
};

/// Finds scales of rows, each body's factors once a problem.
class RowScaler {
 public:
  /// A is in `matrix`, and stays.
  void begin(const KktSolver& matrix);
  RowScale scale_of(const ConeConstraint& row, const KktSolver& matrix);

 private:
  // Of A_ii = L D L^T; and how far from its centre a body has its mass, m.
  struct BodyFactors {
    double L[15], inverse_D[6], reach;
  };
  const BodyFactors& factors_of(int node, const KktSolver& matrix);

  std::vector<int> at_;  // by node: among factors_, or kNone
  std::vector<BodyFactors> factors_;
};

/// Which rows are of each island.
class RowsByIsland {
 public:
  void build(const KktSolver& matrix, const std::vector<ConeConstraint>& rows);
  size_t islands() const { return first_.size() - 1; }
  std::span<const size_t> of(size_t island) const {
    return std::span(numbers_).subspan(first_[island], first_[island + 1] - first_[island]);
  }

 private:
  std::vector<size_t> first_ = {0};  // by island, and the end: among numbers_
  std::vector<size_t> numbers_;      // of rows
  std::vector<size_t> next_;         // scratch
};

}  // namespace tumble::dynamics
