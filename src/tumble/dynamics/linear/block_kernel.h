// Small dense kernels for the elimination of bodies: rows of six numbers, 6 x 6 blocks, and symmetric
// matrices of any size. The order of summation does not depend on addresses. Eigen's does for matrices of
// dynamic size.
#pragma once

#include <Eigen/Core>

#include "tumble/dynamics/linear/tree_kernel.h"

namespace tumble::dynamics {

/// Rows of six numbers.
using Six = const double (*)[6];

/// y <- y + a x.
inline void add_six(double a, const double* x, double* y) {
  TUMBLE_UNROLLED (k, 0, 6) y[k] = fma(a, x[k], y[k]);
}

inline double dot_six(const double* x, const double* y) {
  double even = x[0] * y[0], odd = x[1] * y[1];  // two independent sums have less latency
  TUMBLE_UNROLLED (k, 1, 3) even = fma(x[2 * k], y[2 * k], even), odd = fma(x[2 * k + 1], y[2 * k + 1], odd);
  return even + odd;
}

/// The symmetric block with this lower triangle.
inline Eigen::Matrix<double, 6, 6> symmetric_block(const double* triangle) {
  Eigen::Matrix<double, 6, 6> A;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) A(r, c) = A(c, r) = triangle[lower(r, c)];
  return A;
}

/// A block that is zero except for its angular part, which has the lower triangle K.
inline void write_angular_block(const double* K, Eigen::Matrix<double, 6, 6>& A) {
  A.setZero();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c) A(3 + r, 3 + c) = A(3 + c, 3 + r) = K[lower(r, c)];
}

/// S = M E M^T, in place in the lower triangle of S: M below the diagonal, 1/E on it.
inline void factor_rows(double* S, int n) {
  for (int j = 0; j < n; ++j) {
    double* pivot = S + lower(j, 0);
    for (int k = 0; k < j; ++k) {
      const double m = pivot[k] * S[lower(k, k)];
      pivot[j] = fma(-m, pivot[k], pivot[j]);
      for (int i = j + 1; i < n; ++i) S[lower(i, j)] = fma(-m, S[lower(i, k)], S[lower(i, j)]);
    }
    pivot[j] = 1 / pivot[j];
  }
  // So far these are columns of M E; scale the entries below the diagonal once.
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) S[lower(i, j)] *= S[lower(j, j)];
}

/// x <- S^-1 x, by the factors of S.
inline void solve_rows(const double* S, int n, double* x) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i] = fma(-S[lower(i, j)], x[j], x[i]);
  for (int i = 0; i < n; ++i) x[i] *= S[lower(i, i)];
  for (int i = n - 1; i > 0; --i)
    for (int j = 0; j < i; ++j) x[j] = fma(-S[lower(i, j)], x[i], x[j]);
}

}  // namespace tumble::dynamics
