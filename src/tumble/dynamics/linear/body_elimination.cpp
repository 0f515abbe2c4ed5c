#include "tumble/dynamics/linear/body_elimination.h"

#include <algorithm>

#include "tumble/dynamics/linear/block_kernel.h"

namespace tumble::dynamics {

namespace {

using Square = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
Eigen::Map<const Square> square_at(Six rows) { return Eigen::Map<const Square>(*rows); }

// Locations of the factors of a body.
struct GeneralFactors {
  double *L, *inverse_D;
  double *Z, *S;        // of own rows: six numbers each; the factors of S
  double *Z_later, *W;  // by later neighbour, row by row: 6 x 6, and rows x 6
  int rows;
  double (*Z_of(int k) const)[6] { return reinterpret_cast<double(*)[6]>(Z_later + 36 * k); }
  double (*W_of(int k) const)[6] { return reinterpret_cast<double(*)[6]>(W + 6 * rows * k); }
};

GeneralFactors factors_at(const KktPattern::Body& body, KktFactors& factors) {
  double* f = &factors.numbers[body.factors];
  const int rows = body.rows, later = body.couplings();
  double* Z = f + kDiagonalFactors;
  double* S = Z + 6 * rows;
  double* Z_later = S + rows * (rows + 1) / 2;
  return {f, f + 15, Z, S, Z_later, Z_later + 36 * later, rows};
}

// Z_j = L^-1 A_ij, with A_ij including additions and fill-in.
void factor_coupling(size_t coupling, const KktMatrix& matrix, const double* fill_in, const double* L,
                     double (*Z)[6]) {
  TUMBLE_UNROLLED (r, 0, 6)
    TUMBLE_UNROLLED (c, 0, 6) Z[r][c] = fill_in[6 * r + c];
  const auto add = [&](const KktMatrix::Block& A) {
    const double* columns = A.data();
    TUMBLE_UNROLLED (r, 0, 6)
      TUMBLE_UNROLLED (c, 0, 6) Z[r][c] += columns[6 * c + r];
  };
  if (matrix.fill[coupling] == Fill::full) add(matrix.blocks[coupling]);
  if (matrix.fill[coupling] == Fill::angular) {
    const double* K = &matrix.angular[kLower3 * coupling];
    TUMBLE_UNROLLED (r, 0, 3)
      TUMBLE_UNROLLED (c, 0, 3) Z[3 + r][3 + c] += K[r < c ? lower(c, r) : lower(r, c)];
  }
  if (matrix.addition.fill[coupling] != Fill::none) add(matrix.addition.blocks[coupling]);
  TUMBLE_UNROLLED (r, 1, 6)
    TUMBLE_UNROLLED (c, 0, r) add_six(-L[strict(r, c)], Z[c], Z[r]);
}

// Loads J_i into Z, J_ij into W_j, and E into the diagonal of S.
void load_rows(int i, const KktPattern& pattern, const KktMatrix& matrix, const KktFactors& factors,
               const GeneralFactors& f) {
  const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
  const int later = body.couplings();
  std::fill_n(f.W, 6 * f.rows * later, 0.0);
  int row = 0;
  for (int o = body.first_own; o < body.end_own; ++o) {
    const KktPattern::RowBlock& block =
        pattern.row_blocks[static_cast<size_t>(pattern.own_rows[static_cast<size_t>(o)])];
    const int side = block.side_of(i), other = block.body(1 - side), count = block.rows.count;
    double written[kPointRows];
    std::copy_n(rows_on(block, side, matrix, written), 6 * count, f.Z + 6 * row);
    for (int k = 0; other != kNone && k < later; ++k)
      if (pattern.neighbours[body.coupling(k)] == other)
        std::copy_n(rows_on(block, 1 - side, matrix, written), 6 * count, f.W_of(k)[row]);
    for (int c = 0; c < count; ++c)
      f.S[lower(row + c, row + c)] = factors.regularization[block.first + static_cast<size_t>(c)];
    row += count;
  }
}

// Computes Z and S of own rows, W of every later neighbour, and S^-1 W in `V`.
void factor_own_rows(int later, const GeneralFactors& f, double* V) {
  const int rows = f.rows;
  double* Y = V + 6 * rows * later;
  for (int r = 0; r < rows; ++r) {
    double *z = f.Z + 6 * r, *y = Y + 6 * r;
    solve_lower<6>(f.L, z);
    TUMBLE_UNROLLED (k, 0, 6) y[k] = f.inverse_D[k] * z[k];
    for (int c = 0; c < r; ++c) f.S[lower(r, c)] = dot_six(z, Y + 6 * c);
    f.S[lower(r, r)] += dot_six(z, y);
  }
  factor_rows(f.S, rows);
  for (int t = 0; t < later; ++t) {
    double(*W)[6] = f.W_of(t), (*v)[6] = reinterpret_cast<double(*)[6]>(V + 6 * rows * t);
    for (int r = 0; r < rows; ++r) {
      TUMBLE_UNROLLED (k, 0, 6) add_six(-Y[6 * r + k], f.Z_of(t)[k], W[r]);
      std::copy_n(W[r], 6, v[r]);
      for (int c = 0; c < r; ++c) add_six(-f.S[lower(r, c)], v[c], v[r]);
    }
    for (int r = 0; r < rows; ++r)
      TUMBLE_UNROLLED (k, 0, 6) v[r][k] *= f.S[lower(r, r)];
    for (int r = rows - 1; r > 0; --r)
      for (int c = 0; c < r; ++c) add_six(-f.S[lower(r, c)], v[r], v[c]);
  }
}

// Calls act(row among own rows, row among all).
template <class Act>
void for_each_own_row(const KktPattern& pattern, const KktPattern::Body& body, const Act& act) {
  int row = 0;
  for (int o = body.first_own; o < body.end_own; ++o) {
    const KktPattern::RowBlock& block =
        pattern.row_blocks[static_cast<size_t>(pattern.own_rows[static_cast<size_t>(o)])];
    for (int c = 0; c < block.rows.count; ++c, ++row) act(row, block.first + static_cast<size_t>(c));
  }
}

}  // namespace

void eliminate_body(int i, const KktPattern& pattern, const KktMatrix& matrix, KktFactors& factors) {
  const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
  const GeneralFactors f = factors_at(body, factors);
  factor_symmetric<6>(factors.diagonal_of(i), f.L, f.inverse_D);
  const int later = body.couplings(), rows = body.rows;
  for (int k = 0; k < later; ++k)
    factor_coupling(body.coupling(k), matrix, &factors.fill_in[36 * body.coupling(k)], f.L, f.Z_of(k));
  double* V = factors.scratch.data();
  if (rows > 0) {
    load_rows(i, pattern, matrix, factors, f);
    factor_own_rows(later, f, V);
  }
  int update = body.first_update;
  for (int j = 0; j < later; ++j) {
    const Square scaled =
        (-Eigen::Map<const Eigen::Matrix<double, 6, 1>>(f.inverse_D)).asDiagonal() * square_at(f.Z_of(j));
    const Six V_j = reinterpret_cast<Six>(V + 6 * rows * j);
    for (int k = j; k < later; ++k) {
      Square change = scaled.transpose() * square_at(f.Z_of(k));
      for (int r = 0; r < rows; ++r)
        TUMBLE_UNROLLED (c, 0, 6) add_six(V_j[r][c], f.W_of(k)[r], change.data() + 6 * c);
      if (k > j) {
        const auto A_jk = static_cast<size_t>(pattern.updates[static_cast<size_t>(update++)]);
        Eigen::Map<Square>(&factors.fill_in[36 * A_jk]) += change;
        continue;
      }
      double* A_jj = factors.diagonal_of(pattern.neighbours[body.coupling(j)]);
      TUMBLE_UNROLLED (r, 0, 6)
        TUMBLE_UNROLLED (c, 0, r + 1) A_jj[lower(r, c)] += change(r, c);
    }
  }
}

void forward_body(int i, const KktPattern& pattern, KktFactors& factors, double* x, double* y) {
  const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
  const GeneralFactors f = factors_at(body, factors);
  double *z = x + 6 * i, *s = factors.scratch.data(), scaled[6];
  solve_lower<6>(f.L, z);
  TUMBLE_UNROLLED (r, 0, 6) scaled[r] = f.inverse_D[r] * z[r];
  for_each_own_row(pattern, body,
                   [&](int row, size_t at) { s[row] = y[at] = dot_six(f.Z + 6 * row, scaled) - y[at]; });
  solve_rows(f.S, f.rows, s);
  for (int k = 0; k < body.couplings(); ++k) {
    double* b = x + 6 * pattern.neighbours[body.coupling(k)];
    TUMBLE_UNROLLED (r, 0, 6) add_six(-scaled[r], f.Z_of(k)[r], b);
    for (int r = 0; r < f.rows; ++r) add_six(-s[r], f.W_of(k)[r], b);
  }
}

void back_body(int i, const KktPattern& pattern, KktFactors& factors, double* x, double* y) {
  const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
  const GeneralFactors f = factors_at(body, factors);
  double *z = x + 6 * i, *l = factors.scratch.data();
  for_each_own_row(pattern, body, [&](int row, size_t at) { l[row] = y[at]; });
  for (int k = 0; k < body.couplings(); ++k) {
    const double* later = x + 6 * pattern.neighbours[body.coupling(k)];
    TUMBLE_UNROLLED (r, 0, 6) z[r] -= dot_six(f.Z_of(k)[r], later);
    for (int r = 0; r < f.rows; ++r) l[r] += dot_six(f.W_of(k)[r], later);
  }
  solve_rows(f.S, f.rows, l);
  for_each_own_row(pattern, body, [&](int row, size_t at) { y[at] = l[row]; });
  for (int r = 0; r < f.rows; ++r) add_six(-l[r], f.Z + 6 * r, z);
  TUMBLE_UNROLLED (r, 0, 6) z[r] *= f.inverse_D[r];
  solve_upper<6>(f.L, z);
}

}  // namespace tumble::dynamics
