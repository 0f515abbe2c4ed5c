// Contact of few bodies in its impulses r: with W = G A^-1 G^T under the joints and u = W r + q the velocities at the contacts,
//   r = P(r - rho u)                                                                                            (1)
// in every contact, where P takes the normal part to max(0, .) and the tangential one to the nearest point of the disc of radius mu
// times that: Coulomb's law without a term mu |u_t| [Alart, Curnier 1991]. Sweeps over the contacts, each solved to the end while the
// others stay as they are, come near the solution from anywhere; Newton's method on (1) finds it from there, or by way of contacts that
// give a little, W + E, with E made smaller and smaller. Costs the cube of the number of contacts, and succeeds where the methods of
// contact_solver.h go round in circles.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tumble/dynamics/contact_solver.h"

namespace tumble::dynamics {

/// P of z, and, if asked for, its derivative.
math::Vec3 limit_impulse(const ConeRow& row, const math::Vec3& z, math::Mat3* derivative = nullptr);

class FewContacts {
 public:
  /// `W`, `q` and `r` have 3 numbers a row; of the rows only set, friction and radius are read. `r` is a guess, then the best that was
  /// found. Returns the largest |r - P(r - rho u)| over the largest |r|, 1/rho being the mean of W's diagonal at that contact.
  double solve(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const std::vector<ConeRow>& rows,
               double tolerance, Eigen::VectorXd& r);

 private:
  double measure(const Eigen::VectorXd& r, Eigen::VectorXd& left) const;
  void sweep(Eigen::VectorXd& r) const;
  double refine(Eigen::VectorXd& r, double tolerance) const;

  const Eigen::MatrixXd* W_ = nullptr;
  const Eigen::VectorXd* q_ = nullptr;
  const std::vector<ConeRow>* rows_ = nullptr;
  std::vector<double> rho_;
};

}  // namespace tumble::dynamics
