// The numbers of a KKT system (kkt_solver.h): A, J, and the additions to A for the next factorisation. They
// are stored in flat arrays, at the offsets that the pattern defines.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "tumble/dynamics/linear/ball_kernel.h"
#include "tumble/dynamics/linear/kkt_pattern.h"

namespace tumble::dynamics {

/// The nonzero part of a block A_ij: nothing, the part between angular velocities, or all of it.
enum class Fill : char { none, angular, full };

/// Additions to A for the next factorisation only.
struct KktAddition {
  using Block = Eigen::Matrix<double, 6, 6>;
  std::vector<double> diagonal;  // lower triangles, by body
  std::vector<char> is_set;      // by body: something is added to A_ii
  std::vector<Block> blocks;     // by coupling; zero where `fill` is none
  std::vector<Fill> fill;        // by coupling: none or full
  bool any = false;

  void resize(const KktPattern& pattern);
  void clear(const KktPattern& pattern, const KktRange& range);
  void add_to_diagonal(int body, const double* triangle);
  void add_to_coupling(size_t coupling, const Block& B_ij, bool transposed);
};

struct KktMatrix {
  using Block = Eigen::Matrix<double, 6, 6>;
  std::vector<double> J;         // by row block: on a, then on b; of a point its arms, else the rows
  std::vector<double> diagonal;  // lower triangles of A_ii, by body
  std::vector<Block> blocks;     // A_ij by coupling, where `fill` is full
  std::vector<double> angular;   // where it is angular: the lower triangle of that part
  std::vector<Fill> fill;        // by coupling
  KktAddition addition;

  /// Sets all numbers to zero.
  void resize(const KktPattern& pattern);
  void clear_couplings();
  /// A_ij += block, or its transpose.
  void add_to_coupling(size_t coupling, const Block& A_ij, bool transposed);
  /// The angular part of A_ij -= K, which is symmetric and given by its lower triangle.
  void subtract_angular(size_t coupling, const double* K);
  /// A_ij plus its addition.
  void sum_coupling(size_t coupling, Block& A_ij) const;
  /// The nonzero part of that.
  Fill sum_fill(size_t coupling) const { return std::max(fill[coupling], addition.fill[coupling]); }
};

/// The rows of a block on one of its bodies: a pointer to them or, for the rows of a point, to `out`, where
/// they are written.
inline const double* rows_on(const KktPattern::RowBlock& block, int side, const KktMatrix& matrix,
                             double* out) {
  const double* J = &matrix.J[block.J_of(side)];
  if (block.rows.point == 0) return J;
  write_point_rows(J, block.sign(side), reinterpret_cast<double(*)[6]>(out));
  return out;
}
/// Numbers that rows_on() may write.
inline constexpr size_t kPointRows = 18;

/// b -= A x, without additions to A.
void subtract_product(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range,
                      const double* x, double* b);
/// b -= B x, where B are the additions to A.
void subtract_addition(const KktPattern& pattern, const KktAddition& addition, const KktRange& range,
                       const double* x, double* b);
/// b -= J^T l and c -= J x.
void subtract_rows(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range, const double* x,
                   const double* l, double* b, double* c);

}  // namespace tumble::dynamics
