// Contact where it is hard: Newton's method for impulses and velocities together, on
//   F = r - P(r - rho (u + e (r - r'))) = 0,    A v + J^T l = b + G^T r,    u = G v + w                          (1)
// P takes the normal part to max(0, .) and the tangential one into the disc of radius mu times that: Coulomb's law without the term mu |u_t| of
// contact_solver.h [Alart, Curnier 1991]. With e > 0 contacts give a little, as seen from impulses r' that were found before: redundant
// contacts do no harm then, and as r comes to r' it is the solution of e = 0, however large e is (a proximal method [Acary, Bremond, Huber 2018]).
// So e is made smaller where Newton's method ends soon and larger where it does not. With D the derivative of P a step is
//   K dr = -F - rho D G dv,    K = 1 - D + rho e D,    A dv + J^T dl = G^T dr                                   (2)
// K is of one contact alone, so that (A + G^T K^-1 rho D G) dv + J^T dl = -G^T K^-1 F: symmetric but for a multiple of t n^T where a contact slides along
// -t, which is added by products with the factors of the rest.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/solvers/contact_solver.h"

namespace tumble::dynamics {

/// P of z, and its derivative.
math::Vec3 limit_impulse(const ConeConstraint& row, const math::Vec3& z);
math::Mat3 limit_derivative(const ConeConstraint& row, const math::Vec3& z);

/// The contacts of one island, `scales` being those of the rows that are handed over.
class SemismoothNewton {
 public:
  /// That which `matrix` works on.
  void begin(KktSolver& matrix, std::span<const double> b, std::span<const double> c) {
    matrix_ = &matrix, b_ = b, c_ = c;
    dv_.resize(b.size()), part_.resize(b.size()), dl_.resize(c.size()), part_l_.resize(c.size());
    factorisations_ = 0;
  }

  /// Rows have a guess, then the best impulses that were found; v and l of the island are set to what goes with them. `scale` is rho in units of
  /// 1 over the inertias.
  void solve(double tolerance, double enough, double scale, std::span<const RowScale> scales,
             std::vector<ConeConstraint>& rows, std::vector<double>& v, std::vector<double>& l);
  /// The same from a guess that is near, by Newton's method alone, with r' = r, so that e is in K and not in F; false if it does not get there soon, or, where it gets no further, to what is
  /// `enough`. The factors are left with the contacts in them.
  bool approach(double tolerance, double enough, std::span<const RowScale> scales,
                std::vector<ConeConstraint>& rows, std::vector<double>& v, std::vector<double>& l);
  /// From a solution, for its last digits.
  void polish(double tolerance, std::span<const RowScale> scales, std::vector<ConeConstraint>& rows,
              std::vector<double>& v, std::vector<double>& l);
  /// How many times the matrix, with its addition, was factored since begin().
  int factorisations() const { return factorisations_; }

 private:
  // What is left at some impulses and velocities: the largest |F|; that over the largest |r|; the sum of all |F|^2.
  struct Look {
    double wrong = 0, residual = 0, square = 0;
  };
  // What a contact is for a step: K^-1, K^-1 rho D, the symmetric part of that, and its other part along n^T.
  struct Stiffness {
    math::Mat3 inverse, whole, symmetric;
    math::Vec3 skew;
  };
  void begin_rows(double scale, std::span<const RowScale> scales);
  math::Vec3 before_limit(size_t i, const ConeConstraint& row, const math::Vec3& u) const;
  Look look(const std::vector<ConeConstraint>& rows, const std::vector<double>& v);
  ContactResidual measure(const std::vector<ConeConstraint>& rows, const std::vector<double>& v);
  void stiffen(const std::vector<ConeConstraint>& rows);
  bool find_step(const std::vector<ConeConstraint>& rows);
  bool find_whole_step(const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                       const std::vector<double>& l);
  bool find_impulses(const std::vector<ConeConstraint>& rows);
  void add_skew(const std::vector<ConeConstraint>& rows);
  void step_again(std::vector<ConeConstraint>& rows, std::vector<double>& v, std::vector<double>& l);
  void finish(double residual, std::vector<ConeConstraint>& rows, std::vector<double>& v,
              std::vector<double>& l);
  bool refine(double tolerance, std::vector<ConeConstraint>& rows, std::vector<double>& v);
  void give_way(double give, std::vector<ConeConstraint>& rows, std::vector<double>& v,
                std::vector<double>& l);
  void find_velocities(const std::vector<ConeConstraint>& rows, std::vector<double>& v,
                       std::vector<double>& l);

  KktSolver* matrix_ = nullptr;
  std::span<const double> b_, c_;
  std::span<const RowScale> scales_;
  double scale_ = 1;
  double give_ = 0;                   // e, in units of the inertias
  std::vector<math::Vec3> centers_;   // r'
  std::vector<math::Vec3> u_, left_;  // at the last look: G v + w, and F
  std::vector<Stiffness> stiff_;
  std::vector<double> dv_, part_, dl_, part_l_;
  std::vector<math::Vec3> dr_;
  SavedIterate best_, before_;
  std::vector<size_t> sliding_;
  int factorisations_ = 0;
};

}  // namespace tumble::dynamics
