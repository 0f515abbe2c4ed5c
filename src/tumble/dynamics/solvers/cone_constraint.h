// A contact, limit or actuator between two bodies: its Jacobian, and the set of admissible impulses.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/linear/kkt_solver.h"
#include "tumble/math/elementary.h"
#include "tumble/math/types.h"

namespace tumble::dynamics {

/// Between two bodies of a KktSolver. One of them may be kNone.
struct ConeConstraint {
  enum class Set { cone, positive, ball };  // |r_t| <= mu r_n; r_1 >= 0, the others 0; |r| <= radius
  using Matrix36 = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
  int a = kNone, b = kNone;
  Matrix36 G_a = Matrix36::Zero(), G_b = Matrix36::Zero();  // rows: normal, two tangents
  math::Vec3 bias = math::Vec3::Zero();                     // w, m/s
  Set set = Set::cone;
  double friction = 0;
  bool is_confined = false;                 // other rows may oppose this one, with no play between them
  double radius = 0;                        // of a ball, N s
  double compliance = 0;                    // (m/s)/(N s): u + compliance r replaces u; 0: rigid
  math::Vec3 impulse = math::Vec3::Zero();  // r, N s: initial guess, then result
  /// N s/m: what the last factorisation of the solver added to A, as G^T stiffness G. With its factors
  /// a change dv of the velocities changes r by -stiffness G dv.
  math::Mat3 stiffness = math::Mat3::Zero();
};

inline double tangential(const math::Vec3& u) { return math::sqrt(u.y() * u.y() + u.z() * u.z()); }

/// Where the projection of z on a friction cone lies: at the apex, at z itself, or on the side of the cone.
enum class ConeRegion { apex, inside, side };
inline ConeRegion find_region(double mu, const math::Vec3& z) {
  const double t = z.y() * z.y() + z.z() * z.z(), n = z.x() * z.x();  // squares
  if (!(z.x() > 0)) return mu * mu * t <= n ? ConeRegion::apex : ConeRegion::side;
  return t <= mu * mu * n ? ConeRegion::inside : ConeRegion::side;
}

/// The nearest point of K to z.
inline math::Vec3 project_on_cone(const ConeConstraint& row, const math::Vec3& z) {
  if (row.set == ConeConstraint::Set::positive) return {z.x() > 0 ? z.x() : 0, 0, 0};
  if (row.set == ConeConstraint::Set::ball) {
    const double length = z.norm();
    return length <= row.radius ? z : math::Vec3(row.radius / length * z);
  }
  switch (find_region(row.friction, z)) {
    case ConeRegion::apex:
      return math::Vec3::Zero();
    case ConeRegion::inside:
      return z;
    default:
      break;
  }
  const double mu = row.friction, t = tangential(z), normal = (z.x() + mu * t) / (1 + mu * mu);
  if (!(t > 0)) return {normal, 0, 0};
  const double along = mu * normal / t;
  return {normal, along * z.y(), along * z.z()};
}
/// The same, and its Jacobian.
math::Vec3 project_on_cone(const ConeConstraint& row, const math::Vec3& z, math::Mat3& derivative);

/// G v, without the bias.
inline math::Vec3 relative_velocity(const ConeConstraint& row, std::span<const double> v) {
  double u[3] = {};
  const auto add_up = [&](int node, const ConeConstraint::Matrix36& G) {
    if (node == kNone) return;
    const double *x = &v[6 * static_cast<size_t>(node)], *g = G.data();
    TUMBLE_UNROLLED (k, 0, 3) {
      double even = g[6 * k] * x[0], odd = g[6 * k + 1] * x[1];
      TUMBLE_UNROLLED (c, 1, 3)
        even = fma(g[6 * k + 2 * c], x[2 * c], even), odd = fma(g[6 * k + 2 * c + 1], x[2 * c + 1], odd);
      u[k] += even + odd;
    }
  };
  add_up(row.a, row.G_a), add_up(row.b, row.G_b);
  return {u[0], u[1], u[2]};
}

/// momenta += G^T impulse.
inline void add_impulse(const ConeConstraint& row, const math::Vec3& impulse, std::vector<double>& momenta) {
  const auto push = [&](int node, const ConeConstraint::Matrix36& G) {
    if (node == kNone) return;
    double *x = &momenta[6 * static_cast<size_t>(node)], sum[6];
    const double* g = G.data();
    TUMBLE_UNROLLED (c, 0, 6) sum[c] = fma(g[c], impulse[0], x[c]);
    TUMBLE_UNROLLED (c, 0, 6) sum[c] = fma(g[6 + c], impulse[1], sum[c]);
    TUMBLE_UNROLLED (c, 0, 6) x[c] = fma(g[12 + c], impulse[2], sum[c]);
  };
  push(row.a, row.G_a), push(row.b, row.G_b);
}

/// mu |u_t|: the shift that turns Coulomb's law into a complementarity, see contact_solver.h.
inline double shift_of(const ConeConstraint& row, const math::Vec3& u) {
  return row.set == ConeConstraint::Set::cone ? row.friction * tangential(u) : 0;
}

/// Adds G^T stiffness G, with a symmetric stiffness, to the addition of A, and stores it in the row.
void add_stiffness(ConeConstraint& row, const math::Mat3& stiffness, KktSolver& matrix);

}  // namespace tumble::dynamics
