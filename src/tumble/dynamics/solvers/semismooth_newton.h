// Hard contact problems: Newton's method for impulses and velocities together, on
//   F = r - P(r - rho (u + e (r - r'))) = 0,    A v + J^T l = b + G^T r,    u = G v + w                   (1)
// P projects the normal part on r_n >= 0 and the tangential part on the disc of radius mu r_n: Coulomb's law
// without the term mu |u_t| of contact_solver.h [Alart, Curnier 1991]. e > 0 regularizes contacts around
// impulses r' that were found before: redundant contacts then do no harm. As r converges to r', it becomes
// the solution for e = 0, however large e is (a proximal method [Acary, Bremond, Huber 2018]). So e is
// decreased where Newton's method converges fast and increased where it does not. With D the Jacobian of P a
// step is
//   K dr = -F - rho D G dv,    K = 1 - D + rho e D,    A dv + J^T dl = G^T dr                             (2)
// K couples no two contacts, so that (A + G^T K^-1 rho D G) dv + J^T dl = -G^T K^-1 F. This is symmetric
// except for a multiple of t n^T where a contact slides along -t. That part is solved by GMRES, with the
// factors of the symmetric part.
#pragma once

#include <vector>

#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/coulomb_step.h"

namespace tumble::dynamics {

/// Solves islands whose row scales are set, each from its current iterate.
class SemismoothNewton {
 public:
  explicit SemismoothNewton(const ContactSolverParameters& parameters)
      : parameters_(parameters), step_(parameters.newton) {}
  void begin(const ContactIsland& island) { step_.begin(island), factorisations_ = 0; }

  /// Proximal method. Leaves the best impulses found, and their v and l. `scale` is rho in units of
  /// 1/inertia.
  void solve(double tolerance, double acceptable, double scale, ContactIsland& island);
  /// From a guess that is near, by Newton's method alone, with r' = r, so that e is in K and not in F.
  /// Returns false if it does not converge soon to `tolerance`, or, where it stalls, to `acceptable`. The
  /// factors then include contacts.
  bool solve_near(double tolerance, double acceptable, ContactIsland& island);
  /// Gains the last digits of a solution.
  void polish(double tolerance, ContactIsland& island);
  /// How many times the matrix, with its addition, was factored since begin().
  int factorisations() const { return factorisations_; }

 private:
  // Residuals at an iterate: the largest |F|; that over the largest |r|; the sum of all |F|^2.
  struct Residuals {
    double largest = 0, relative = 0, square = 0;
  };
  void begin_rows(double scale, size_t rows);
  Residuals evaluate(const ContactIsland& island);
  ContactResidual measure(const ContactIsland& island);
  Residuals advance(double share, ContactIsland& island);
  Residuals refine_step(ContactIsland& island);
  void finish(double residual, ContactIsland& island);
  bool refine(double tolerance, ContactIsland& island);
  void begin_proximal(double e, ContactIsland& island);
  void find_velocities(ContactIsland& island);

  ContactSolverParameters parameters_;
  CoulombStep step_;
  ProximalTerm term_;
  std::vector<math::Vec3> u_, F_;  // by row, at the last evaluation: G v + w, m/s, and F, N s
  SavedIterate best_, before_;
  int factorisations_ = 0;
};

}  // namespace tumble::dynamics
