// One step of Newton's method on Coulomb's law: equation (2) of semismooth_newton.h.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/linear/gmres.h"
#include "tumble/dynamics/solvers/contact_island.h"

namespace tumble::dynamics {

/// P of semismooth_newton.h: the normal part is projected on r_n >= 0, the tangential part on the disc of
/// radius mu r_n [Alart, Curnier 1991]. For other sets, the projection on the set.
math::Vec3 project_alart_curnier(const ConeConstraint& row, const math::Vec3& z);
math::Mat3 project_alart_curnier_jacobian(const ConeConstraint& row, const math::Vec3& z);

/// The parameters of F: rho and e, in units of 1/inertia and of the inertia, and r' of each row.
struct ProximalTerm {
  double scale = 1;                 // of rho
  double regularization = 0;        // e
  std::vector<math::Vec3> centers;  // r', N s

  /// z = r - rho (u + e (r - r')); F = r - P(z).
  math::Vec3 argument(const ContactIsland& island, size_t i, const math::Vec3& u) const {
    const ConeConstraint& row = island.rows[i];
    const double w = island.scales[i].inverse_mass;
    return row.impulse -
           scale / w * (u + row.compliance * row.impulse + regularization * w * (row.impulse - centers[i]));
  }
};

class CoulombStep {
 public:
  explicit CoulombStep(const NewtonParameters& parameters) : parameters_(parameters) {}
  void begin(const ContactIsland& island);

  /// Factors (2) for row velocities u.
  void factor(ContactIsland& island, const ProximalTerm& term, std::span<const math::Vec3> u);
  // Solve with these factors. Return false if the step is not finite. F: residual of the rows, N s.
  /// If momenta and impulses are consistent.
  bool solve(const ContactIsland& island, std::span<const math::Vec3> F);
  /// If they need not be: solves for the end of the step, not for its change, so that rounding errors do not
  /// accumulate.
  bool solve_whole(const ContactIsland& island, std::span<const math::Vec3> u, std::span<const math::Vec3> F);
  /// For F and for the rounding errors of momenta and joints.
  bool solve_again(const ContactIsland& island, std::span<const math::Vec3> F);

  /// The step: m/s or rad/s, six a node; N s or N m s, one a row of J; N s, one vector a row.
  const std::vector<double>& dv() const { return dv_; }
  const std::vector<double>& dl() const { return dl_; }
  const std::vector<math::Vec3>& dr() const { return dr_; }

 private:
  // The stiffness of a row: K^-1; K^-1 rho D; its symmetric part; and the rest, which is skew n^T.
  struct Stiffness {
    math::Mat3 inverse, whole, symmetric;
    math::Vec3 skew;
  };
  void add_right_side(const ContactIsland& island, std::span<const math::Vec3> F);
  bool compute_impulses(const ContactIsland& island, std::span<const math::Vec3> F);
  void add_skew(const ContactIsland& island);
  template <class Numbers>
  void solve_skew(const ContactIsland& island, const Numbers& x);

  NewtonParameters parameters_;
  std::vector<Stiffness> stiff_;  // by row
  std::vector<double> dv_, dl_;
  std::vector<math::Vec3> dr_;
  std::vector<size_t> sliding_;        // rows with a skew part
  std::vector<double> part_, part_l_;  // contribution of the skew parts to dv_ and dl_
  std::vector<double> normal_;         // n.G dv of sliding rows
  Gmres gmres_;
};

}  // namespace tumble::dynamics
