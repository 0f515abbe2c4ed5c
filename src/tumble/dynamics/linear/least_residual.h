// x with A x = b nearly, by the smallest residual in growing spaces of A^k b: A is asked for products alone [Saad, Schultz 1986].
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

template <class Product>
Eigen::VectorXd solve_least_residual(const Product& apply, const Eigen::VectorXd& b, double tolerance,
                                     Eigen::Index products) {
  const Eigen::Index most = std::min(b.size(), products);
  const double size = b.norm();
  if (!(size > 0)) return Eigen::VectorXd::Zero(b.size());
  // A basis = basis H; H is made triangular by a turn for each column, and what b is in the basis, `left`, is turned with it: its last number is
  // the residual.
  Eigen::MatrixXd basis(b.size(), most + 1), H = Eigen::MatrixXd::Zero(most + 1, most);
  std::vector<std::pair<double, double>> turns;  // cosine and sine
  Eigen::VectorXd left = Eigen::VectorXd::Zero(most + 1), w(b.size());
  basis.col(0) = b / size, left[0] = size;
  Eigen::Index k = 0;
  for (bool ends = false; k < most && !ends; ++k) {
    w = apply(basis.col(k));
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index j = 0; j <= k; ++j) {
        const double part = basis.col(j).dot(w);
        H(j, k) += part, w -= part * basis.col(j);
      }
    const double next = w.norm();
    ends = !(next > kDependentRow * H.col(k).norm());
    if (!ends) basis.col(k + 1) = w / next;
    for (Eigen::Index j = 0; j < k; ++j) {
      const auto [c, s] = turns[static_cast<size_t>(j)];
      const double above = H(j, k), below = H(j + 1, k);
      H(j, k) = c * above + s * below, H(j + 1, k) = c * below - s * above;
    }
    const double pivot = H(k, k), whole = math::sqrt(pivot * pivot + next * next);
    if (!(whole > 0)) break;  // A is singular: what there is
    const double c = pivot / whole, s = next / whole;
    turns.emplace_back(c, s);
    H(k, k) = whole;
    left[k + 1] = -s * left[k], left[k] *= c;
    ends = ends || std::abs(left[k + 1]) <= tolerance * size;
  }
  for (Eigen::Index i = k; i-- > 0;) {
    for (Eigen::Index j = i + 1; j < k; ++j) left[i] -= H(i, j) * left[j];
    left[i] /= H(i, i);
  }
  return basis.leftCols(k) * left.head(k);
}

}  // namespace tumble::dynamics
