// x with A x = b nearly, by the smallest residual in growing spaces of A^k b: A is asked for products alone [Saad, Schultz 1986].
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>

#include "tumble/dynamics/tolerances.h"

namespace tumble::dynamics {

template <class Product>
Eigen::VectorXd solve_least_residual(const Product& apply, const Eigen::VectorXd& b, double tolerance,
                                     Eigen::Index products) {
  const Eigen::Index most = std::min(b.size(), products);
  const double size = b.norm();
  if (!(size > 0)) return Eigen::VectorXd::Zero(b.size());
  Eigen::MatrixXd basis(b.size(), most + 1), H = Eigen::MatrixXd::Zero(most + 1, most);
  basis.col(0) = b / size;
  Eigen::VectorXd y;
  Eigen::Index k = 0;
  while (k < most) {
    Eigen::VectorXd w = apply(basis.col(k));
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index j = 0; j <= k; ++j) {
        const double part = basis.col(j).dot(w);
        H(j, k) += part, w -= part * basis.col(j);
      }
    H(k + 1, k) = w.norm();
    const bool whole = !(H(k + 1, k) > kDependentRow * H.col(k).norm());
    if (!whole) basis.col(k + 1) = w / H(k + 1, k);
    ++k;
    const Eigen::VectorXd target = size * Eigen::VectorXd::Unit(k + 1, 0);
    y = H.topLeftCorner(k + 1, k).colPivHouseholderQr().solve(target);
    if (whole || (H.topLeftCorner(k + 1, k) * y - target).norm() <= tolerance * size) break;
  }
  return basis.leftCols(k) * y;
}

}  // namespace tumble::dynamics
