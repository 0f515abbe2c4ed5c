// One step of Newton's method on Coulomb's law: equation (2) of semismooth_newton.h.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/linear/least_residual.h"
#include "tumble/dynamics/solvers/contact_island.h"

namespace tumble::dynamics {

/// P of semismooth_newton.h: the normal part at least 0, the tangential one in the disc of radius mu times
/// that [Alart, Curnier 1991]. Of other sets the projection.
math::Vec3 project_alart_curnier(const ConeConstraint& row, const math::Vec3& z);
math::Mat3 project_alart_curnier_jacobian(const ConeConstraint& row, const math::Vec3& z);

/// What F is made of beside the island: rho and e, in units of the inertias or one over them, and r' of each
/// row.
struct ProximalTerm {
  double scale = 1;                 // of rho
  double give = 0;                  // e
  std::vector<math::Vec3> centers;  // r', N s

  /// z = r - rho (u + e (r - r')), of which F is what P changes.
  math::Vec3 argument(const ContactIsland& island, size_t i, const math::Vec3& u) const {
    const ConeConstraint& row = island.rows[i];
    const double w = island.scales[i].inertia;
    return row.impulse -
           scale / w * (u + row.compliance * row.impulse + give * w * (row.impulse - centers[i]));
  }
};

class CoulombStep {
 public:
  explicit CoulombStep(const NewtonParameters& parameters) : parameters_(parameters) {}
  void begin(const ContactIsland& island);

  /// Factors (2) for velocities u at the rows.
  void factor(const ContactIsland& island, const ProximalTerm& term, std::span<const math::Vec3> u);
  // By these factors; false if the step is not finite. F: what is left at the rows, N s.
  /// From momenta and impulses that go together.
  bool solve(const ContactIsland& island, std::span<const math::Vec3> F);
  /// From some that need not: where it leads is found as a whole, so that no rounding adds up.
  bool solve_whole(const ContactIsland& island, std::span<const math::Vec3> u, std::span<const math::Vec3> F);
  /// For F and for what rounding has left of momenta and joints.
  bool solve_again(const ContactIsland& island, std::span<const math::Vec3> F);

  /// The step: m/s or rad/s, six a node; N s or N m s, one a row of J; N s, of each row.
  const std::vector<double>& dv() const { return dv_; }
  const std::vector<double>& dl() const { return dl_; }
  const std::vector<math::Vec3>& dr() const { return dr_; }

 private:
  // What a contact is for a step: K^-1, K^-1 rho D, the symmetric part of that, and its other part along n^T.
  struct Stiffness {
    math::Mat3 inverse, whole, symmetric;
    math::Vec3 skew;
  };
  void push_back(const ContactIsland& island, std::span<const math::Vec3> F);
  bool find_impulses(const ContactIsland& island, std::span<const math::Vec3> F);
  void add_skew(const ContactIsland& island);
  template <class Numbers>
  void respond_to_skew(const ContactIsland& island, const Numbers& x);

  NewtonParameters parameters_;
  std::vector<Stiffness> stiff_;  // by row
  std::vector<double> dv_, dl_;
  std::vector<math::Vec3> dr_;
  std::vector<size_t> sliding_;        // rows with a skew part
  std::vector<double> part_, part_l_;  // what the skew parts make of dv_ and dl_
  std::vector<double> normal_;         // n.G dv of sliding rows
  LeastResidual least_residual_;
};

}  // namespace tumble::dynamics
