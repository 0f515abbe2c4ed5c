// Contact of many bodies, where it is hard: Newton's method for impulses and velocities together. With P and D its derivative as in
// few_contacts.h, u = G v + w + E r and F = r - P(r - rho u), a step is
//   K dr = -F - rho D G dv,    K = 1 - D + rho D E,    A dv + J^T dl = G^T dr                                   (1)
// K is of one contact alone, so that (A + G^T K^-1 rho D G) dv + J^T dl = -G^T K^-1 F: symmetric but for mu/(rho E) t n^T where a contact slides along -t,
// which is added by products with the factors of the rest. E, a compliance, is made smaller and smaller, as there.
#pragma once

#include <span>
#include <vector>

#include "tumble/dynamics/contact_solver.h"

namespace tumble::dynamics {

class ManyContacts {
 public:
  /// Rows have a guess, then the best impulses that were found. Returns how many times `matrix`, with its addition, was factored.
  int solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
            std::span<const double> inertias, double tolerance, std::vector<ConeRow>& rows);

 private:
  struct Look {
    double residual = 0,
           square = 0;  // the largest |F| over the largest |r|; sum of |F|^2, in units of the contacts' own
    std::vector<math::Vec3> left;  // F
  };
  Look look(const std::vector<ConeRow>& rows, const std::vector<double>& v, double give) const;
  double refine(BlockSolver& matrix, double give, double tolerance, std::vector<ConeRow>& rows,
                std::vector<double>& v);
  void balance(BlockSolver& matrix, const std::vector<ConeRow>& rows, std::vector<double>& v);

  std::span<const double> b_, c_, inertias_;
  int factorisations_ = 0;
};

}  // namespace tumble::dynamics
