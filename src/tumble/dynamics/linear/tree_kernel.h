// Elimination of one link of a tree: a body together with the K rows of the joint to its parent, so that
// every pivot is positive. Over all links i with parents p(i), the system is
//   A_i v_i + J_i^T l_i + sum over children k of P_k^T l_k = b_i,      J_i v_i + P_i v_p(i) = c_i         (1)
// with J_i the rows on the link's velocity and P_i those on its parent's. From the leaves to the roots, with
// A and b of a link as its children have changed them:
//   A = L D L^T,   Y = A^-1 J^T,   S = J Y = M E M^T,   W = S^-1 P
//   A_p += P^T W                                                                                          (2)
//   g = Y^T b - c,   b_p -= W^T g                                                                         (3)
// and back from the roots to the leaves
//   l = S^-1 g + W v_p,   v = A^-1 b - Y l                                                                (4)
// A block C between link and parent adds C v_p to the first row of (1) and C^T v_i to the parent's. Then
//   X = A^-1 C,   W = S^-1 (P - Y^T C),   A_p += (P - Y^T C)^T W - C^T X
//   b_p -= W^T g + X^T b,   v = A^-1 b - Y l - X v_p                                                      (5)
// Y and W are stored as factors, not computed in (3) and (4): so only two short products form the chain of
// dependencies from link to link. [Baraff 1996; Hernandez et al. 2011, eliminated in pairs]
#pragma once

#include <cstddef>
#include <type_traits>

namespace tumble::dynamics {

/// The lower triangle of a symmetric matrix, row by row.
constexpr int lower(int r, int c) { return r * (r + 1) / 2 + c; }
inline constexpr int kLower3 = 6, kLower6 = 21;

/// Factors of one link: L and 1/D of A, Y, W, and M and 1/E of S.
template <int K>
struct LinkFactors {
  double L[15], inverse_D[6], Y[6][K], W[K][6], M[K * (K - 1) / 2 + 1], inverse_E[K];
};

constexpr int strict(int r, int c) { return r * (r - 1) / 2 + c; }

// for (int i = begin; i < end; ++i), unrolled: 1.3 times as fast as the compiler's own choice (g++ 12)
// NOLINTNEXTLINE(bugprone-macro-parentheses): i is a name
#define TUMBLE_UNROLLED(i, begin, end) _Pragma("GCC unroll 8") for (int i = (begin); i < (end); ++i)

/// a b + c, rounded once. One instruction on processors that have it; the same result on others.
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

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
      TUMBLE_UNROLLED (c, j + 1, r + 1) a[r][c] = fma(-l[r], a[c][j], a[r][c]);
    TUMBLE_UNROLLED (r, j + 1, N) L[strict(r, j)] = l[r];
  }
}

/// x <- L^-1 x, with unit lower triangular L.
template <int N>
inline void solve_lower(const double* L, double* x) {
  TUMBLE_UNROLLED (r, 1, N)
    TUMBLE_UNROLLED (c, 0, r) x[r] = fma(-L[strict(r, c)], x[c], x[r]);
}

/// x <- L^-T x.
template <int N>
inline void solve_upper(const double* L, double* x) {
  TUMBLE_UNROLLED (k, 2, N + 1)
    TUMBLE_UNROLLED (c, N - k + 1, N) x[N - k] = fma(-L[strict(c, N - k)], x[c], x[N - k]);
}

/// The part of (2) that belongs to the link: L, 1/D, Y and the factors of S. `regularization` is added to the
/// diagonal of S, or null.
template <int K>
inline void factor_own(const double* A, const double (*J)[6], const double* regularization,
                       LinkFactors<K>& f) {
  factor_symmetric<6>(A, f.L, f.inverse_D);
  // L^-1 J^T, and the same divided by D
  double Z[6][K];
  TUMBLE_UNROLLED (r, 0, 6)
    TUMBLE_UNROLLED (k, 0, K) {
      double sum = J[k][r];
      TUMBLE_UNROLLED (c, 0, r) sum = fma(-f.L[strict(r, c)], Z[c][k], sum);
      Z[r][k] = sum;
      f.Y[r][k] = f.inverse_D[r] * sum;
    }
  double S[K * (K + 1) / 2];
  TUMBLE_UNROLLED (i, 0, K)
    TUMBLE_UNROLLED (j, 0, i + 1) {
      double sum = 0;
      TUMBLE_UNROLLED (r, 0, 6) sum = fma(Z[r][i], f.Y[r][j], sum);
      S[lower(i, j)] = sum;
    }
  if (regularization)
    TUMBLE_UNROLLED (i, 0, K) S[lower(i, i)] += regularization[i];
  factor_symmetric<K>(S, f.M, f.inverse_E);
  TUMBLE_UNROLLED (r, 2, 7)
    TUMBLE_UNROLLED (c, 6 - r + 1, 6)
      TUMBLE_UNROLLED (k, 0, K) f.Y[6 - r][k] = fma(-f.L[strict(c, 6 - r)], f.Y[c][k], f.Y[6 - r][k]);
}

/// The rest of (2): W, and A_p.
template <int K>
inline void update_parent(const double (*P)[6], LinkFactors<K>& f, double* A_parent) {
  // M^-1 P, and the same divided by E
  double Q[K][6];
  TUMBLE_UNROLLED (k, 0, K)
    TUMBLE_UNROLLED (c, 0, 6) {
      double sum = P[k][c];
      TUMBLE_UNROLLED (j, 0, k) sum = fma(-f.M[strict(k, j)], Q[j][c], sum);
      Q[k][c] = sum;
      f.W[k][c] = f.inverse_E[k] * sum;
    }
  TUMBLE_UNROLLED (r, 0, 6)
    TUMBLE_UNROLLED (c, 0, r + 1) {
      double sum = A_parent[lower(r, c)];
      TUMBLE_UNROLLED (k, 0, K) sum = fma(Q[k][r], f.W[k][c], sum);
      A_parent[lower(r, c)] = sum;
    }
  TUMBLE_UNROLLED (i, 2, K + 1)
    TUMBLE_UNROLLED (j, K - i + 1, K)
      TUMBLE_UNROLLED (c, 0, 6) f.W[K - i][c] = fma(-f.M[strict(j, K - i)], f.W[j][c], f.W[K - i][c]);
}

/// Equation (2). J and P are K rows of six; P and A_parent are null for a joint to the world.
template <int K>
inline void factor_link(const double* A, const double (*J)[6], const double (*P)[6], LinkFactors<K>& f,
                        double* A_parent) {
  factor_own<K>(A, J, nullptr, f);
  if (P) update_parent<K>(P, f, A_parent);
}

/// Equation (5) for a C that is zero except for its last N rows and columns. C and X hold these columns, six
/// numbers each.
template <int K, int N>
inline void couple_link(const double (*P)[6], const double (*C)[6], LinkFactors<K>& f, double (*X)[6],
                        double* A_parent) {
  constexpr int first = 6 - N;
  double V[K][6];
  TUMBLE_UNROLLED (k, 0, K) {
    TUMBLE_UNROLLED (c, 0, first) V[k][c] = P[k][c];
    TUMBLE_UNROLLED (c, first, 6) {
      double sum = P[k][c];
      TUMBLE_UNROLLED (r, first, 6) sum = fma(-f.Y[r][k], C[c - first][r], sum);
      V[k][c] = sum;
    }
  }
  TUMBLE_UNROLLED (c, 0, N) {
    TUMBLE_UNROLLED (r, 0, first) X[c][r] = 0;
    TUMBLE_UNROLLED (r, first, 6) {
      double sum = C[c][r];
      TUMBLE_UNROLLED (k, first, r) sum = fma(-f.L[strict(r, k)], X[c][k], sum);
      X[c][r] = sum;
    }
    TUMBLE_UNROLLED (r, first, 6) X[c][r] *= f.inverse_D[r];
    solve_upper<6>(f.L, X[c]);
  }
  TUMBLE_UNROLLED (r, 0, N)
    TUMBLE_UNROLLED (c, 0, r + 1) {
      double sum = A_parent[lower(first + r, first + c)];
      TUMBLE_UNROLLED (k, first, 6) sum = fma(-C[r][k], X[c][k], sum);
      A_parent[lower(first + r, first + c)] = sum;
    }
  update_parent<K>(V, f, A_parent);
}

/// x <- S^-1 x.
template <int K>
inline void solve_rows(const LinkFactors<K>& f, double* x) {
  solve_lower<K>(f.M, x);
  TUMBLE_UNROLLED (k, 0, K) x[k] *= f.inverse_E[k];
  solve_upper<K>(f.M, x);
}

/// Equation (3): c becomes g.
template <int K>
inline void forward_substitute(const LinkFactors<K>& f, const double* b, double* c, double* b_parent) {
  double g[K];
  TUMBLE_UNROLLED (k, 0, K) {
    double even = -c[k], odd = 0;  // two independent sums have less latency
    TUMBLE_UNROLLED (r, 0, 3) {
      even = fma(f.Y[2 * r][k], b[2 * r], even);
      odd = fma(f.Y[2 * r + 1][k], b[2 * r + 1], odd);
    }
    c[k] = g[k] = even + odd;
  }
  if (!b_parent) return;
  TUMBLE_UNROLLED (r, 0, 6) {
    double sum = b_parent[r];
    TUMBLE_UNROLLED (k, 0, K) sum = fma(-f.W[k][r], g[k], sum);
    b_parent[r] = sum;
  }
}

/// Equation (4): b becomes v, g becomes l.
template <int K>
inline void back_substitute(const LinkFactors<K>& f, double* b, double* g, const double* v_parent) {
  double l[K], v[6];
  TUMBLE_UNROLLED (k, 0, K) l[k] = g[k];
  solve_rows<K>(f, l);
  TUMBLE_UNROLLED (r, 0, 6) v[r] = b[r];
  solve_lower<6>(f.L, v);
  TUMBLE_UNROLLED (r, 0, 6) v[r] *= f.inverse_D[r];
  solve_upper<6>(f.L, v);
  if (v_parent)
    TUMBLE_UNROLLED (k, 0, K) {
      double odd = 0;
      TUMBLE_UNROLLED (r, 0, 3) {
        l[k] = fma(f.W[k][2 * r], v_parent[2 * r], l[k]);
        odd = fma(f.W[k][2 * r + 1], v_parent[2 * r + 1], odd);
      }
      l[k] += odd;
    }
  TUMBLE_UNROLLED (k, 0, K) g[k] = l[k];
  TUMBLE_UNROLLED (r, 0, 6) {
    TUMBLE_UNROLLED (k, 0, K) v[r] = fma(-f.Y[r][k], l[k], v[r]);
    b[r] = v[r];
  }
}

/// The terms that (5) adds to (3) and to (4): b_p -= X^T b, and v -= X v_p.
template <int N>
inline void forward_coupling(const double (*X)[6], const double* b, double* b_parent) {
  TUMBLE_UNROLLED (c, 0, N) {
    double even = b_parent[6 - N + c], odd = 0;
    TUMBLE_UNROLLED (r, 0, 3) {
      even = fma(-X[c][2 * r], b[2 * r], even);
      odd = fma(X[c][2 * r + 1], b[2 * r + 1], odd);
    }
    b_parent[6 - N + c] = even - odd;
  }
}

template <int N>
inline void back_coupling(const double (*X)[6], double* v, const double* v_parent) {
  TUMBLE_UNROLLED (r, 0, 6) {
    double sum = v[r];
    TUMBLE_UNROLLED (c, 0, N) sum = fma(-X[c][r], v_parent[6 - N + c], sum);
    v[r] = sum;
  }
}

// Calls f with the number of rows as a constant, so that the compiler knows the length of every loop.
template <typename F>
auto with_rows(int rows, F&& f) {
  switch (rows) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    case 4:
      return f(std::integral_constant<int, 4>());
    case 5:
      return f(std::integral_constant<int, 5>());
    default:
      return f(std::integral_constant<int, 6>());
  }
}

}  // namespace tumble::dynamics
