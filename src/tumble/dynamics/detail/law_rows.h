// Rows of force laws: products with their Jacobians, and the frequency of a law.
#pragma once

#include <algorithm>
#include <span>

#include "tumble/dynamics/kick_laws.h"
#include "tumble/dynamics/linear/tree_kernel.h"

namespace tumble::dynamics {

// The velocity of a node; 0 for a body that does not move.
inline Eigen::Map<const KktSolver::Vec6> velocity_in(std::span<const double> v, int node) {
  static constexpr double kRest[6] = {};
  return Eigen::Map<const KktSolver::Vec6>(node == kNone ? kRest : &v[6 * static_cast<size_t>(node)]);
}

// Adds w_i J_i^T J_i to a lower triangle. Rows are mostly zeros.
inline void add_squares(const model::Resistance& rows, const double (*J)[6], const double* weights,
                        double* A) {
  for (int i = 0; i < rows.rows; ++i)
    TUMBLE_UNROLLED (r, 0, 6) {
      const double product = weights[i] * J[i][r];
      if (product == 0) continue;
      TUMBLE_UNROLLED (c, 0, r + 1) A[lower(r, c)] += product * J[i][c];
    }
}

// Rows whose velocity at t_n is damped: that of the coordinate, or all.
inline int ringing_rows(const KickLaws::Law& law, const model::Resistance& rows) {
  return rows.has_coordinate && law.switches == 0 ? std::min(rows.rows, 1) : rows.rows;
}

// Sum of w_i J_a,i^T J_b,i.
inline KktSolver::Block product(const model::Resistance& rows, const double* weights) {
  KktSolver::Block sum = KktSolver::Block::Zero();
  for (int i = 0; i < rows.rows; ++i)
    for (int c = 0; c < 6; ++c)
      for (int r = 0; r < 6; ++r) sum(r, c) += weights[i] * rows.J_a[i][r] * rows.J_b[i][c];
  return sum;
}

// The frequency of a law and the decay rate by its damping, from the rows `first` to `end` - 1. Averages over
// the rows, weighted by stiffness or damping: so they do not depend on the orientation of the law's axes.
inline LawScale scale_of_rows(const KickLaws::Law& law, const model::Resistance& rows, int first, int end,
                              const KickBodies& bodies, std::span<const model::BodyMotion> motions) {
  double stiff = 0, stiffness = 0, damped = 0, damping = 0;
  for (int i = first; i < end; ++i) {
    const double k = rows.stiffness[i], d = rows.damping[i];
    const double j =
        bodies.mobility(law.a, rows.J_a[i], motions) + bodies.mobility(law.b, rows.J_b[i], motions);
    stiffness += k, damping += d, stiff += k * k * j, damped += d * d * j;
  }
  return {stiffness > 0 ? law.joint_ratio * stiff / stiffness : 0, damping > 0 ? damped / damping : 0};
}

// The sum of the least mobilities of the two bodies for rotations.
inline double least_angular_mobility(const KickLaws::Law& law, const KickBodies& bodies) {
  double least = 0;
  for (const int node : {law.a, law.b})
    if (node != kNone) least += bodies.masses[static_cast<size_t>(node)].least_inverse_moment;
  return least;
}

// The same with K in place of rows: the mean of K, and the least mobilities of the two bodies. The slowest
// rotation decides how stiff a law is. The twist of a thin bone is far faster than its bending, which would
// otherwise be damped too much.
inline LawScale scale_of_rotation(const KickLaws::Law& law, const model::Resistance& resistance,
                                  const KickBodies& bodies) {
  double mean = 0;
  for (const int node : {law.a, law.b})
    if (node != kNone) mean += bodies.masses[static_cast<size_t>(node)].mean_inverse_moment();
  const double* K = resistance.turning_stiffness;
  return {law.joint_ratio * (1.0 / 3) * (K[0] + K[2] + K[5]) * least_angular_mobility(law, bodies),
          resistance.turning_damping * mean};
}

}  // namespace tumble::dynamics
