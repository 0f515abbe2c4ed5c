// Velocities under contact with friction, limits and drives, joints hard: with A the masses (and implicit parts), b the momenta
// they would have without contact, u = G v + w the velocities at the contacts in their frames (normal first), r the impulses:
//   A v + J^T l = b + G^T r,    J v = c,    K + r  _|_  u + mu |u_t| n + K*                                     (1)
// K being the cone of friction |r_t| <= mu r_n, or r >= 0 for a limit, or a ball for a drive; the term mu |u_t| makes
// Coulomb's law an exact complementarity [De Saxce 1992]. Unknown is v, not r: the matrices are positive definite whatever contacts are
// redundant, and have the pattern of the bodies. Outside, multipliers r and the shift s = mu |u_t| are updated (augmented
// Lagrangian); inside, Newton's method minimises over J v = c the convex
//   1/2 v.A v - b.v + sum (z.p - |p|^2/2) / rho,    z = r - rho (u + s n),  p = Pi_K(z)                          (2)
// [Alart, Curnier 1991; Acary, Cadoux, Lemarechal, Malick 2011]. From a guess, where few rows do not come to rest soon, and where sliding leaves more than a pass does, Newton's
// method on (1) itself is tried first (hard_contacts.h).
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "tumble/dynamics/solvers/cone_constraint.h"

namespace tumble::dynamics {

/// What a row's velocity and impulse are measured by.
struct RowScale {
  double inertia = 1;  // w, the mean of G M^-1 G^T: 1/kg or 1/(kg m^2)
  // What rounding of a body's velocity and angular velocity, 1 each, is at the row. Joints let the one turn the body, and the other way round: by how far
  // from its centre the body has its mass.
  double moving_a = 0, turning_a = 0, moving_b = 0, turning_b = 0;
};

/// How far rows are from (1): the largest |r - Pi_K(r - (u + s n)/w)| over the largest |r|, or over 1e-6 of what would stop the bodies if that is more,
/// with s as it is right, or as given; and what rounding of the velocities makes of it at most.
struct ContactResidual {
  double whole = 0, at_shifts = 0, rounding = 0;
  bool is_within(double tolerance) const { return whole <= std::max(tolerance, rounding); }
};
/// `u`: G v + w of each row; `rounding`: of impulses.
ContactResidual measure_residual(const std::vector<ConeConstraint>& rows, std::span<const RowScale> scales,
                                 std::span<const math::Vec3> u, std::span<const double> shifts,
                                 double rounding);

/// What rounding of velocities makes of an impulse, at most.
double largest_rounding(const std::vector<ConeConstraint>& rows, std::span<const RowScale> scales,
                        const std::vector<double>& v);

/// What momenta and joints of the island lack, b + G^T r - A v - J^T l and c - J v.
void find_lacks(const KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                const std::vector<double>& l, std::vector<double>& of_momenta,
                std::vector<double>& of_joints);

/// A solution of one island, to come back to.
class SavedIterate {
 public:
  bool empty() const { return impulses_.empty(); }
  void keep(const KktSolver& matrix, const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
            const std::vector<double>& l);
  void restore(const KktSolver& matrix, std::vector<ConeConstraint>& rows, std::vector<double>& v,
               std::vector<double>& l) const;
  void clear() { impulses_.clear(); }

 private:
  std::vector<math::Vec3> impulses_;
  std::vector<double> v_, l_;  // of the island alone, l_ with room for all
};

struct ContactReport {
  double residual = 0;  // ContactResidual::whole, the largest of any island
  bool solved = true;   // the residual is what was asked for, or enough where it is hard, or rounding
  int passes = 0, factorisations = 0;  // the most of any island
};

class ContactSolver {
 public:
  ContactSolver();
  ~ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  /// Solves (1) to a residual, each island for itself, or, where that is hard, to `enough` if that is more. `matrix` holds A and J; its
  /// pattern must couple the bodies of every row; its factors are left with the contacts in them. `v` is a guess, then the result, 6 numbers
  /// a body; `l` gets one number for each row of J.
  ContactReport solve(KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                      std::vector<ConeConstraint>& rows, double tolerance, std::vector<double>& v,
                      std::vector<double>& l, double enough = 0);
  /// The same for the rows of one island alone, that on which the matrix works then: A and J are first said, and stay.
  void begin(KktSolver& matrix);
  ContactReport solve_island(std::span<const double> b, std::span<const double> c,
                             std::vector<ConeConstraint>& rows, double tolerance, std::vector<double>& v,
                             std::vector<double>& l, double enough);

 private:
  class Island;
  std::unique_ptr<Island> island_;  // with the memory that the last problem needed
};

/// Which rows are of each island.
class RowsByIsland {
 public:
  RowsByIsland(KktSolver& matrix, const std::vector<ConeConstraint>& rows);
  size_t islands() const { return first_.size() - 1; }
  std::span<const size_t> of(size_t island) const {
    return std::span(numbers_).subspan(first_[island], first_[island + 1] - first_[island]);
  }

 private:
  std::vector<size_t> first_, numbers_;
};

}  // namespace tumble::dynamics
