// Elimination of a link whose joint holds a point, as a ball joint does: tree_kernel.h with J = k [1, -[t]x]
// and P = -k [1, -[s]x]. k is 1 or -1; t and s are the arms of the point on the link and on its parent. The
// joint gives the velocity u of the point, so that only the link's rotation is left to factor. With the
// link's A = [M, H; H^T, I] and b, and with C the symmetric block between the angular velocities of link and
// parent,
//   K = H + M [t]x,  D = I + H^T [t]x - [t]x K = L E L^T,  X = D^-1 K^T,  Y = D^-1 C,  e = b_w - t x b_v  (1)
//   w = D^-1 e - X u - Y w_p,   v = u + t x w,   k l = b_v - M u - K w,   u = v_p + w_p x s + k c         (2)
// and to the parent, with N = M - K X and Q = -K Y,
//   A_p += [N, B; B^T, -C^T Y - Q^T [s]x + [s]x B],   B = Q - N [s]x                                      (3)
//   b_p += (f, s x f - Y^T (e - k K^T c)),   f = b_v - k M c - X^T (e - k K^T c)                          (4)
// A link has three pivots here and nine in tree_kernel.h. [Featherstone 1983]
#pragma once

#include "tumble/dynamics/linear/tree_kernel.h"

namespace tumble::dynamics {

/// Factors (1), stored in place of A: they take as much room as its lower triangle, which begins with M. K is
/// row by row.
struct BallFactors {
  double M[kLower3], K[3][3], L[3], inverse_E[3];
};
static_assert(sizeof(BallFactors) == kLower6 * sizeof(double));
/// X and Y of (1), column by column.
struct BallColumns {
  double X[3][3], Y[3][3];
};
/// k and the arms of the point. There is an s if there is a parent.
struct BallArms {
  double sign;
  const double *t, *s;
};

/// Component i of p x q.
inline double cross(const double* p, const double* q, int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  return fma(p[j], q[k], -(p[k] * q[j]));
}

inline double dot(const double* p, const double* q) { return fma(p[0], q[0], fma(p[1], q[1], p[2] * q[2])); }

/// Component r of a symmetric matrix, given by its lower triangle, times x.
inline double times_symmetric(const double* M, const double* x, int r) {
  const double row[] = {M[lower(r, 0)], M[r > 1 ? lower(r, 1) : lower(1, r)], M[lower(2, r)]};
  return dot(row, x);
}

/// x <- D^-1 x.
inline void solve_angular(const BallFactors& f, double* x) {
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

/// Equation (1). C and D are lower triangles. `storage` holds A and then its factors.
inline void factor_angular(const double* t, const double* C, double* storage, BallColumns& columns) {
  const double* A = storage;
  double D[kLower3];
  BallFactors f;  // a local copy: the compiler knows that it does not alias A
  BallColumns g;
  TUMBLE_UNROLLED (e, 0, kLower3) f.M[e] = A[e];
  TUMBLE_UNROLLED (r, 0, 3) {
    const double M_r[] = {A[lower(r, 0)], A[r > 1 ? lower(r, 1) : lower(1, r)], A[lower(2, r)]};
    TUMBLE_UNROLLED (c, 0, 3) g.X[r][c] = f.K[r][c] = A[lower(3 + c, r)] + cross(M_r, t, c);
  }
  TUMBLE_UNROLLED (r, 0, 3)
    TUMBLE_UNROLLED (c, 0, r + 1) {
      const double K_c[] = {f.K[0][c], f.K[1][c], f.K[2][c]};
      D[lower(r, c)] = A[lower(3 + r, 3 + c)] + cross(A + lower(3 + r, 0), t, c) + cross(K_c, t, r);
    }
  factor_symmetric<3>(D, f.L, f.inverse_E);
  TUMBLE_UNROLLED (c, 0, 3) {
    TUMBLE_UNROLLED (r, 0, 3) g.Y[c][r] = C[r < c ? lower(c, r) : lower(r, c)];
    solve_angular(f, g.X[c]);
    solve_angular(f, g.Y[c]);
  }
  *reinterpret_cast<BallFactors*>(storage) = f;
  columns = g;
}

/// Equation (3).
inline void update_parent(const BallFactors& f, const BallColumns& g, const double* s, const double* C,
                          double* A_parent) {
  double N[3][3], Q[3][3], B[3][3];  // Q and B by columns
  TUMBLE_UNROLLED (r, 0, 3)
    TUMBLE_UNROLLED (c, 0, r + 1) {
      N[r][c] = N[c][r] = f.M[lower(r, c)] - dot(f.K[r], g.X[c]);
      A_parent[lower(r, c)] += N[r][c];
    }
  TUMBLE_UNROLLED (c, 0, 3)
    TUMBLE_UNROLLED (r, 0, 3) {
      Q[c][r] = -dot(f.K[r], g.Y[c]);
      B[c][r] = Q[c][r] - cross(N[r], s, c);
      A_parent[lower(3 + c, r)] += B[c][r];
    }
  TUMBLE_UNROLLED (r, 0, 3)
    TUMBLE_UNROLLED (c, 0, r + 1)
      A_parent[lower(3 + r, 3 + c)] += cross(s, B[c], r) - cross(Q[r], s, c) - times_symmetric(C, g.Y[c], r);
}

/// Equation (4); b and c stay as they are.
inline void forward_substitute(const BallFactors& f, const BallColumns& g, const BallArms& arms,
                               const double* b, const double* c, double* b_parent) {
  if (!b_parent) return;
  double gap[3], e[3], force[3];
  TUMBLE_UNROLLED (k, 0, 3) gap[k] = arms.sign * c[k];
  TUMBLE_UNROLLED (k, 0, 3) {
    e[k] = b[3 + k] - cross(arms.t, b, k);
    TUMBLE_UNROLLED (r, 0, 3) e[k] = fma(-f.K[r][k], gap[r], e[k]);
  }
  TUMBLE_UNROLLED (k, 0, 3) force[k] = b[k] - times_symmetric(f.M, gap, k) - dot(g.X[k], e);
  TUMBLE_UNROLLED (k, 0, 3) {
    b_parent[k] += force[k];
    b_parent[3 + k] += cross(arms.s, force, k) - dot(g.Y[k], e);
  }
}

/// Equation (2): b becomes v, c becomes l.
inline void back_substitute(const BallFactors& f, const BallColumns& g, const BallArms& arms, double* b,
                            double* c, const double* v_parent) {
  double u[3], w[3];
  TUMBLE_UNROLLED (k, 0, 3) w[k] = b[3 + k] - cross(arms.t, b, k);
  solve_angular(f, w);
  TUMBLE_UNROLLED (k, 0, 3) u[k] = arms.sign * c[k];
  if (v_parent)
    TUMBLE_UNROLLED (k, 0, 3) u[k] += v_parent[k] + cross(v_parent + 3, arms.s, k);
  TUMBLE_UNROLLED (k, 0, 3) {
    TUMBLE_UNROLLED (r, 0, 3) w[r] = fma(-g.X[k][r], u[k], w[r]);
    if (!v_parent) continue;
    TUMBLE_UNROLLED (r, 0, 3) w[r] = fma(-g.Y[k][r], v_parent[3 + k], w[r]);
  }
  TUMBLE_UNROLLED (k, 0, 3) {
    c[k] = arms.sign * (b[k] - times_symmetric(f.M, u, k) - dot(f.K[k], w));
    b[k] = u[k] + cross(arms.t, w, k);
  }
  TUMBLE_UNROLLED (k, 0, 3) b[3 + k] = w[k];
}

}  // namespace tumble::dynamics
