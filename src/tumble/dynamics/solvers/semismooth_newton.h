// Contact where it is hard: Newton's method for impulses and velocities together, on
//   F = r - P(r - rho (u + e (r - r'))) = 0,    A v + J^T l = b + G^T r,    u = G v + w                          (1)
// P takes the normal part to max(0, .) and the tangential one into the disc of radius mu times that:
// Coulomb's law without the term mu |u_t| of contact_solver.h [Alart, Curnier 1991]. With e > 0 contacts give
// a little, as seen from impulses r' that were found before: redundant contacts do no harm then, and as r
// comes to r' it is the solution of e = 0, however large e is (a proximal method [Acary, Bremond, Huber
// 2018]). So e is made smaller where Newton's method ends soon and larger where it does not. With D the
// derivative of P a step is
//   K dr = -F - rho D G dv,    K = 1 - D + rho e D,    A dv + J^T dl = G^T dr                                   (2)
// K is of one contact alone, so that (A + G^T K^-1 rho D G) dv + J^T dl = -G^T K^-1 F: symmetric but for a
// multiple of t n^T where a contact slides along -t, which is added by products with the factors of the rest.
#pragma once

#include <vector>

#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/coulomb_step.h"

namespace tumble::dynamics {

/// Solves islands whose scales are known, each from the iterate it has.
class SemismoothNewton {
 public:
  explicit SemismoothNewton(const ContactSolverParameters& parameters)
      : parameters_(parameters), step_(parameters.newton) {}
  void begin(const ContactIsland& island) { step_.begin(island), factorisations_ = 0; }

  /// By the proximal method. Leaves the best impulses that were found, and the v and l that go with them.
  /// `scale` is rho in units of 1 over the inertias.
  void solve(double tolerance, double enough, double scale, ContactIsland& island);
  /// The same from a guess that is near, by Newton's method alone, with r' = r, so that e is in K and not in
  /// F; false if it does not get there soon, or, where it gets no further, to what is `enough`. The factors
  /// are left with the contacts in them.
  bool approach(double tolerance, double enough, ContactIsland& island);
  /// From a solution, for its last digits.
  void polish(double tolerance, ContactIsland& island);
  /// How many times the matrix, with its addition, was factored since begin().
  int factorisations() const { return factorisations_; }

 private:
  // What is left at some impulses and velocities: the largest |F|; that over the largest |r|; the sum of all
  // |F|^2.
  struct Look {
    double wrong = 0, residual = 0, square = 0;
  };
  void begin_rows(double scale, size_t rows);
  Look look(const ContactIsland& island);
  ContactResidual measure(const ContactIsland& island);
  Look advance(double share, ContactIsland& island);
  Look step_again(ContactIsland& island);
  void finish(double residual, ContactIsland& island);
  bool refine(double tolerance, ContactIsland& island);
  void give_way(double give, ContactIsland& island);
  void find_velocities(ContactIsland& island);

  ContactSolverParameters parameters_;
  CoulombStep step_;
  ProximalTerm term_;
  std::vector<math::Vec3> u_, F_;  // by row, at the last look: G v + w, m/s, and F, N s
  SavedIterate best_, before_;
  int factorisations_ = 0;
};

}  // namespace tumble::dynamics
