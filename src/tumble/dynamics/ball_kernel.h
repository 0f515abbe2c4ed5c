// Elimination of a link whose joint holds a point, as a ball does: tree_kernel.h with J = k [1, -[t]x] and P = -k [1, -[s]x], k = 1 or -1,
// t and s being the arms of the point. Its velocity u on the link is that on the parent but for c, so that nothing is left to
// factor than how the link turns. With the link's A = [M, H; H^T, I] and b, and C, which is symmetric, the block between its turning and the
// parent's,
//   K = H + M [t]x,   D = I + H^T [t]x - [t]x K = L E L^T,   X = D^-1 K^T,   Y = D^-1 C,   e = b_w - t x b_v      (1)
//   w = D^-1 e - X u - Y w_p,   v = u + t x w,   k l = b_v - M u - K w,   u = v_p + w_p x s + k c                 (2)
// and to the parent, with N = M - K X and Q = -K Y,
//   A_p += [N, B; B^T, -C^T Y - Q^T [s]x + [s]x B],   B = Q - N [s]x                                             (3)
//   b_p += (f, s x f - Y^T (e - k K^T c)),   f = b_v - k M c - X^T (e - k K^T c)                                 (4)
// Each link waits for three pivots, with tree_kernel.h for nine. [Featherstone 1983]
#pragma once

#include "tumble/dynamics/tree_kernel.h"

namespace tumble::dynamics {

/// M is a lower triangle, K is row by row, X and Y are column by column.
struct BallFactors {
  double sign, t[3], s[3];
  double M[6], K[3][3], L[3], inverse_E[3], X[3][3], Y[3][3];
};

/// Component i of p x q.
inline double cross(const double* p, const double* q, int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  return add(p[j], q[k], -(p[k] * q[j]));
}

inline double dot(const double* p, const double* q) { return add(p[0], q[0], add(p[1], q[1], p[2] * q[2])); }

/// Component r of a symmetric matrix, given by its lower triangle, times x.
inline double times_symmetric(const double* M, const double* x, int r) {
  const double row[] = {M[lower(r, 0)], M[r > 1 ? lower(r, 1) : lower(1, r)], M[lower(2, r)]};
  return dot(row, x);
}

/// x <- D^-1 x.
inline void solve_turning(const BallFactors& f, double* x) {
  solve_lower<3>(f.L, x);
  TUMBLE_UNROLLED (r, 0, 3) x[r] *= f.inverse_E[r];
  solve_upper<3>(f.L, x);
}

/// The rows sign [1, -[arm]x].
inline void write_point_rows(const double* arm, double sign, double (*J)[6]) {
  TUMBLE_UNROLLED (r, 0, 3) {
    const int j = (r + 1) % 3, k = (r + 2) % 3;
    J[r][r] = sign, J[r][j] = J[r][k] = J[r][3 + r] = 0;
    J[r][3 + j] = sign * arm[k], J[r][3 + k] = -sign * arm[j];
  }
}

/// Equation (1), C and D being lower triangles.
inline void factor_turning(const double* A, const double* t, double sign, const double* C, BallFactors& f) {
  f.sign = sign;
  TUMBLE_UNROLLED (k, 0, 3) f.t[k] = t[k];
  double K[3][3], D[6];  // K by columns
  TUMBLE_UNROLLED (e, 0, 6) f.M[e] = A[e];
  TUMBLE_UNROLLED (r, 0, 3) {
    const double M_r[] = {A[lower(r, 0)], A[r > 1 ? lower(r, 1) : lower(1, r)], A[lower(2, r)]};
    TUMBLE_UNROLLED (c, 0, 3) K[c][r] = f.K[r][c] = A[lower(3 + c, r)] + cross(M_r, f.t, c);
  }
  TUMBLE_UNROLLED (r, 0, 3)
    TUMBLE_UNROLLED (c, 0, r + 1)
      D[lower(r, c)] = A[lower(3 + r, 3 + c)] + cross(A + lower(3 + r, 0), f.t, c) + cross(K[c], f.t, r);
  factor_symmetric<3>(D, f.L, f.inverse_E);
  TUMBLE_UNROLLED (c, 0, 3) {
    TUMBLE_UNROLLED (r, 0, 3) f.X[c][r] = f.K[c][r], f.Y[c][r] = C[r < c ? lower(c, r) : lower(r, c)];
    solve_turning(f, f.X[c]);
    solve_turning(f, f.Y[c]);
  }
}

/// Equation (3).
inline void pass_on(const double* s, const double* C, BallFactors& f, double* A_parent) {
  TUMBLE_UNROLLED (k, 0, 3) f.s[k] = s[k];
  double N[3][3], Q[3][3], B[3][3];  // Q and B by columns
  TUMBLE_UNROLLED (r, 0, 3)
    TUMBLE_UNROLLED (c, 0, r + 1) {
      N[r][c] = N[c][r] = f.M[lower(r, c)] - dot(f.K[r], f.X[c]);
      A_parent[lower(r, c)] += N[r][c];
    }
  TUMBLE_UNROLLED (c, 0, 3)
    TUMBLE_UNROLLED (r, 0, 3) {
      Q[c][r] = -dot(f.K[r], f.Y[c]);
      B[c][r] = Q[c][r] - cross(N[r], f.s, c);
      A_parent[lower(3 + c, r)] += B[c][r];
    }
  TUMBLE_UNROLLED (r, 0, 3)
    TUMBLE_UNROLLED (c, 0, r + 1)
      A_parent[lower(3 + r, 3 + c)] +=
          cross(f.s, B[c], r) - cross(Q[r], f.s, c) - times_symmetric(C, f.Y[c], r);
}

/// Equation (4); `x` and `y` of the link stay b and c.
inline void descend(const BallFactors& f, const double* b, const double* c, double* b_parent) {
  if (!b_parent) return;
  double gap[3], e[3], force[3];
  TUMBLE_UNROLLED (k, 0, 3) gap[k] = f.sign * c[k];
  TUMBLE_UNROLLED (k, 0, 3) {
    e[k] = b[3 + k] - cross(f.t, b, k);
    TUMBLE_UNROLLED (r, 0, 3) e[k] = add(-f.K[r][k], gap[r], e[k]);
  }
  TUMBLE_UNROLLED (k, 0, 3) force[k] = b[k] - times_symmetric(f.M, gap, k) - dot(f.X[k], e);
  TUMBLE_UNROLLED (k, 0, 3) {
    b_parent[k] += force[k];
    b_parent[3 + k] += cross(f.s, force, k) - dot(f.Y[k], e);
  }
}

/// Equation (2): b becomes v, c becomes l.
inline void ascend(const BallFactors& f, double* b, double* c, const double* v_parent) {
  double u[3], w[3];
  TUMBLE_UNROLLED (k, 0, 3) w[k] = b[3 + k] - cross(f.t, b, k);
  solve_turning(f, w);
  TUMBLE_UNROLLED (k, 0, 3) u[k] = f.sign * c[k];
  if (v_parent)
    TUMBLE_UNROLLED (k, 0, 3) u[k] += v_parent[k] + cross(v_parent + 3, f.s, k);
  TUMBLE_UNROLLED (k, 0, 3) {
    TUMBLE_UNROLLED (r, 0, 3) w[r] = add(-f.X[k][r], u[k], w[r]);
    if (!v_parent) continue;
    TUMBLE_UNROLLED (r, 0, 3) w[r] = add(-f.Y[k][r], v_parent[3 + k], w[r]);
  }
  TUMBLE_UNROLLED (k, 0, 3) {
    c[k] = f.sign * (b[k] - times_symmetric(f.M, u, k) - dot(f.K[k], w));
    b[k] = u[k] + cross(f.t, w, k);
  }
  TUMBLE_UNROLLED (k, 0, 3) b[3 + k] = w[k];
}

}  // namespace tumble::dynamics
