// GMRES: solves A x = b approximately, for a regular matrix A that is given by its products. In the Krylov
// space of b, A b, ..., A^k b, x minimises the residual |b - A x| [Saad, Schultz 1986].
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

/// Reuses its memory in the next problem.
class Gmres {
 public:
  /// `apply(x, y)` sets y = A x, for spans of the length of b. Ends when |b - A x| <= tolerance |b|, after
  /// this number of products, or when a product depends on those before, up to the part `dependent` of it.
  /// The result is valid until the next call.
  template <class Product>
  std::span<const double> solve(const Product& apply, std::span<const double> b, double tolerance,
                                int products, double dependent);

 private:
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using Matrix = Eigen::Map<Eigen::MatrixXd>;

  std::vector<double> basis_, H_, rotated_, w_, x_;   // column by column
  std::vector<std::pair<double, double>> rotations_;  // cosine and sine
};

template <class Product>
std::span<const double> Gmres::solve(const Product& apply, std::span<const double> b, double tolerance,
                                     int products, double dependent) {
  const auto n = static_cast<Eigen::Index>(b.size()), most = std::min<Eigen::Index>(n, products);
  const Eigen::Map<const Eigen::VectorXd> given(b.data(), n);
  const double size = given.norm();
  x_.assign(b.size(), 0.0);
  if (!(size > 0)) return x_;
  // A basis = basis H. A Givens rotation for each column makes H triangular. `rotated` is b in the basis,
  // rotated likewise: its last number is the residual.
  basis_.resize(static_cast<size_t>(n * (most + 1))), w_.resize(b.size());
  H_.assign(static_cast<size_t>((most + 1) * most), 0.0);
  rotated_.assign(static_cast<size_t>(most + 1), 0.0);
  rotations_.clear();
  Matrix basis(basis_.data(), n, most + 1), H(H_.data(), most + 1, most);
  Vector rotated(rotated_.data(), most + 1), w(w_.data(), n);
  basis.col(0) = given / size, rotated[0] = size;
  Eigen::Index k = 0;
  for (bool ends = false; k < most && !ends; ++k) {
    apply(std::span<const double>(basis.col(k).data(), b.size()), std::span(w_));
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index j = 0; j <= k; ++j) {
        const double part = basis.col(j).dot(w);
        H(j, k) += part, w -= part * basis.col(j);
      }
    const double next = w.norm();
    ends = !(next > dependent * H.col(k).norm());
    if (!ends) basis.col(k + 1) = w / next;
    for (Eigen::Index j = 0; j < k; ++j) {
      const auto [c, s] = rotations_[static_cast<size_t>(j)];
      const double above = H(j, k), below = H(j + 1, k);
      H(j, k) = c * above + s * below, H(j + 1, k) = c * below - s * above;
    }
    const double pivot = H(k, k), whole = math::sqrt(pivot * pivot + next * next);
    if (!(whole > 0)) break;  // A is singular
    const double c = pivot / whole, s = next / whole;
    rotations_.emplace_back(c, s);
    H(k, k) = whole;
    rotated[k + 1] = -s * rotated[k], rotated[k] *= c;
    ends = ends || std::abs(rotated[k + 1]) <= tolerance * size;
  }
  for (Eigen::Index i = k; i-- > 0;) {
    for (Eigen::Index j = i + 1; j < k; ++j) rotated[i] -= H(i, j) * rotated[j];
    rotated[i] /= H(i, i);
  }
  Vector(x_.data(), n).noalias() = basis.leftCols(k) * rotated.head(k);
  return x_;
}

}  // namespace tumble::dynamics
