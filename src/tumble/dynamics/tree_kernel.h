// Elimination of one link of a tree: a body and the K rows of the joint above it, together, so that every pivot is
// positive. The whole system, over all links i with parents p(i), is
//   A_i v_i + J_i^T l_i + sum over children k of P_k^T l_k = b_i,      J_i v_i + P_i v_p(i) = c_i                  (1)
// with J_i the rows on the link's own velocity and P_i on its parent's. From the leaves to the roots, A_i and b_i being
// what children have already made of them:
//   A = L D L^T,   Y = D^-1 L^-1 J^T,   S = Y^T D Y = M E M^T
//   A_p += P^T S^-1 P                                                                                            (2)
//   z = L^-1 b,    g = Y^T z - c,       b_p -= P^T S^-1 g                                                        (3)
// and back from the roots to the leaves
//   l = S^-1 (g + P v_p),   v = L^-T (D^-1 z - Y l)                                                              (4)
// [Baraff 1996; Hernandez et al. 2011, eliminated in pairs]
#pragma once

#include <cstddef>

namespace tumble::dynamics {

/// The lower triangle of a symmetric matrix, row by row.
constexpr int lower(int r, int c) { return r * (r + 1) / 2 + c; }
inline constexpr int kLower6 = 21;

/// Factors of one link: L and 1/D, Y, P, and M and 1/E of S.
template <int K>
struct LinkFactors {
  double L[15], inverse_D[6], Y[6][K], P[K][6], M[K * (K - 1) / 2 + 1], inverse_E[K];
};

constexpr int strict(int r, int c) { return r * (r - 1) / 2 + c; }

// for (int i = begin; i < end; ++i), written out by the compiler: 1.3 times as fast as its own choice (g++ 12)
// NOLINTNEXTLINE(bugprone-macro-parentheses): i is a name
#define TUMBLE_UNROLLED(i, begin, end) _Pragma("GCC unroll 8") for (int i = (begin); i < (end); ++i)

/// A = L D L^T of a symmetric N x N matrix given by its lower triangle.
template <int N>
inline void factor_symmetric(const double* A, double* L, double* inverse_D) {
  double a[N][N];
  TUMBLE_UNROLLED (r, 0, N)
    TUMBLE_UNROLLED (c, 0, r + 1) a[r][c] = A[lower(r, c)];
  TUMBLE_UNROLLED (j, 0, N) {
    inverse_D[j] = 1 / a[j][j];
    double l[N];
    TUMBLE_UNROLLED (r, j + 1, N) l[r] = a[r][j] * inverse_D[j];
    TUMBLE_UNROLLED (r, j + 1, N)
      TUMBLE_UNROLLED (c, j + 1, r + 1) a[r][c] -= l[r] * a[c][j];
    TUMBLE_UNROLLED (r, j + 1, N) L[strict(r, j)] = l[r];
  }
}

/// x <- L^-1 x, with unit lower triangular L.
template <int N>
inline void solve_lower(const double* L, double* x) {
  TUMBLE_UNROLLED (r, 1, N)
    TUMBLE_UNROLLED (c, 0, r) x[r] -= L[strict(r, c)] * x[c];
}

/// x <- L^-T x.
template <int N>
inline void solve_upper(const double* L, double* x) {
  TUMBLE_UNROLLED (k, 2, N + 1)
    TUMBLE_UNROLLED (c, N - k + 1, N) x[N - k] -= L[strict(c, N - k)] * x[c];
}

/// Equation (2). J and P are K rows of six; P and A_parent are null for a joint to the world.
template <int K>
inline void factor_link(const double* A, const double (*J)[6], const double (*P)[6], LinkFactors<K>& f,
                        double* A_parent) {
  factor_symmetric<6>(A, f.L, f.inverse_D);
  // Y column by column: L^-1 of a row of J
  double Z[6][K];
  TUMBLE_UNROLLED (r, 0, 6)
    TUMBLE_UNROLLED (k, 0, K) {
      double sum = J[k][r];
      TUMBLE_UNROLLED (c, 0, r) sum -= f.L[strict(r, c)] * Z[c][k];
      Z[r][k] = sum;
      f.Y[r][k] = f.inverse_D[r] * sum;
    }
  double S[K * (K + 1) / 2];
  TUMBLE_UNROLLED (i, 0, K)
    TUMBLE_UNROLLED (j, 0, i + 1) {
      double sum = 0;
      TUMBLE_UNROLLED (r, 0, 6) sum += Z[r][i] * f.Y[r][j];
      S[lower(i, j)] = sum;
    }
  factor_symmetric<K>(S, f.M, f.inverse_E);
  if (!P) return;
  double Q[K][6];
  TUMBLE_UNROLLED (k, 0, K)
    TUMBLE_UNROLLED (c, 0, 6) {
      double sum = f.P[k][c] = P[k][c];
      TUMBLE_UNROLLED (j, 0, k) sum -= f.M[strict(k, j)] * Q[j][c];
      Q[k][c] = sum;
    }
  TUMBLE_UNROLLED (k, 0, K) {
    double E[6];
    TUMBLE_UNROLLED (c, 0, 6) E[c] = f.inverse_E[k] * Q[k][c];
    TUMBLE_UNROLLED (r, 0, 6)
      TUMBLE_UNROLLED (c, 0, r + 1) A_parent[lower(r, c)] += Q[k][r] * E[c];
  }
}

/// x <- S^-1 x.
template <int K>
inline void solve_rows(const LinkFactors<K>& f, double* x) {
  solve_lower<K>(f.M, x);
  TUMBLE_UNROLLED (k, 0, K) x[k] *= f.inverse_E[k];
  solve_upper<K>(f.M, x);
}

/// Equation (3): b becomes z, c becomes g.
template <int K>
inline void descend(const LinkFactors<K>& f, double* b, double* c, double* b_parent) {
  solve_lower<6>(f.L, b);
  TUMBLE_UNROLLED (k, 0, K) {
    double sum = -c[k];
    TUMBLE_UNROLLED (r, 0, 6) sum += f.Y[r][k] * b[r];
    c[k] = sum;
  }
  if (!b_parent) return;
  double s[K];
  TUMBLE_UNROLLED (k, 0, K) s[k] = c[k];
  solve_rows<K>(f, s);
  TUMBLE_UNROLLED (k, 0, K)
    TUMBLE_UNROLLED (r, 0, 6) b_parent[r] -= f.P[k][r] * s[k];
}

/// Equation (4): z becomes v, g becomes l.
template <int K>
inline void ascend(const LinkFactors<K>& f, double* z, double* g, const double* v_parent) {
  if (v_parent)
    TUMBLE_UNROLLED (k, 0, K)
      TUMBLE_UNROLLED (r, 0, 6) g[k] += f.P[k][r] * v_parent[r];
  solve_rows<K>(f, g);
  TUMBLE_UNROLLED (r, 0, 6) {
    z[r] *= f.inverse_D[r];
    TUMBLE_UNROLLED (k, 0, K) z[r] -= f.Y[r][k] * g[k];
  }
  solve_upper<6>(f.L, z);
}

#undef TUMBLE_UNROLLED

}  // namespace tumble::dynamics
