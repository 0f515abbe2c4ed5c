// Velocities under contact with friction, limits and drives, joints hard: with A the masses (and implicit parts), b the momenta
// they would have without contact, u = G v + w the velocities at the contacts in their frames (normal first), r the impulses:
//   A v + J^T l = b + G^T r,    J v = c,    K + r  _|_  u + mu |u_t| n + K*                                     (1)
// K being the cone of friction |r_t| <= mu r_n, or r >= 0 for a limit, or a ball for a drive; the term mu |u_t| makes
// Coulomb's law an exact complementarity [De Saxce 1992]. Unknown is v, not r: the matrices are positive definite whatever contacts are
// redundant, and have the pattern of the bodies. Outside, multipliers r and the shift s = mu |u_t| are updated (augmented
// Lagrangian); inside, Newton's method minimises over J v = c the convex
//   1/2 v.A v - b.v + sum (z.p - |p|^2/2) / rho,    z = r - rho (u + s n),  p = Pi_K(z)                          (2)
// [Alart, Curnier 1991; Acary, Cadoux, Lemarechal, Malick 2011]. From a guess, and where sliding leaves more than a pass does, Newton's method on (1) itself is
// tried first (hard_contacts.h).
#pragma once

#include <algorithm>
#include <span>

#include "tumble/dynamics/block_solver.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/math/types.h"

namespace tumble::dynamics {

/// A contact, limit or drive between two bodies of a BlockSolver; either may be kNone, not both.
struct ConeRow {
  enum class Set { cone, positive, ball };  // |r_t| <= mu r_n; r_1 >= 0, no others; |r| <= radius
  using Matrix36 = Eigen::Matrix<double, 3, 6>;
  int a = kNone, b = kNone;
  Matrix36 G_a = Matrix36::Zero(), G_b = Matrix36::Zero();  // rows: normal, two tangents
  math::Vec3 bias = math::Vec3::Zero();                     // w, m/s
  Set set = Set::cone;
  double friction = 0;
  double radius = 0;                        // of a ball, N s
  double compliance = 0;                    // u may lack this times r: (m/s)/(N s); 0: rigid
  math::Vec3 impulse = math::Vec3::Zero();  // r, N s: a guess, then the result
};

/// The nearest point of K to z, and, if asked for, its derivative.
math::Vec3 project_on_cone(const ConeRow& row, const math::Vec3& z, math::Mat3* derivative = nullptr);

/// G v, without the bias.
math::Vec3 speed_at(const ConeRow& row, const std::vector<double>& v);

/// s of (2) where it is right: mu |u_t|.
double shift_of(const ConeRow& row, const math::Vec3& u);

/// What a row's velocity and impulse are measured by: w, the mean of G M^-1 G^T, 1/kg or 1/(kg m^2); and how far from their centres its two bodies
/// have their mass, m.
struct RowScale {
  double inertia = 1, reach_a = 1, reach_b = 1;
};

/// How far rows are from (1): the largest |r - Pi_K(r - (u + s n)/w)| over the largest |r|, with s as it is right, or as given; and what
/// rounding of the velocities makes of it: joints let that of a body's velocity turn it, and the other way round.
struct ContactResidual {
  double whole = 0, at_shifts = 0, rounding = 0;
  bool is_within(double tolerance) const { return whole <= std::max(tolerance, rounding); }
};
ContactResidual measure_residual(const std::vector<ConeRow>& rows, std::span<const RowScale> scales,
                                 std::span<const double> shifts, const std::vector<double>& v);

/// The rounding of a row's velocity.
double rounding_at(const ConeRow& row, const RowScale& scale, const std::vector<double>& v);

/// momenta + G^T impulse.
void add_push(const ConeRow& row, const math::Vec3& impulse, std::vector<double>& momenta);

/// To what is added to A: G^T stiffness G, which is symmetric.
void add_stiffness(const ConeRow& row, const math::Mat3& stiffness, BlockSolver& matrix);

struct ContactReport {
  double residual =
      0;  // the largest |r - Pi_K(r - (u + mu |u_t| n)/w)| over the largest |r|; w the mean of G M^-1 G^T
  bool solved = true;  // the residual is what was asked for, or enough where it is hard, or rounding
  int passes = 0, factorisations = 0;  // the most of any island
};

class ContactSolver {
 public:
  /// Solves (1) to a residual, each island for itself, or, where that is hard, to `enough` if that is more. `matrix` holds A and J; its
  /// pattern must couple the bodies of every row; its factors are left with the contacts in them. `v` is a guess, then the result, 6 numbers
  /// a body; `l` gets one number for each row of J.
  ContactReport solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                      std::vector<ConeRow>& rows, double tolerance, std::vector<double>& v,
                      std::vector<double>& l, double enough = 0);
};

}  // namespace tumble::dynamics
