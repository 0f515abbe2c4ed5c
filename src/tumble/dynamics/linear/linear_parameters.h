// Numbers of the linear solvers: one field each, with its unit, its reason and a sane range. A solver takes
// them when it is constructed.
#pragma once

#include <cstddef>

namespace tumble::dynamics {

/// The proximal iteration, which solves systems with redundant rows: equation (3) of kkt_solver.h.
struct ProximalParameters {
  /// E in parts of the diagonal of J A^-1 J^T: far above rounding, far below the response of a row that is
  /// not redundant. Sane: 1e-9 to 1e-4.
  double regularization = 1e-6;
  /// Iterations. Redundant rows need two or three. Near a singular configuration no number suffices. There a
  /// fixed number makes forces a smooth function of the state and the integrator's steps long: a stopping
  /// test that depends on progress cost a four-bar linkage ten times the steps. Joints are projected
  /// afterwards. Sane: 5 to 30.
  int max_iterations = 10;
  /// An iteration that leaves more than this part of the residual has reached rounding. Sane: 0.1 to 0.9.
  double stall = 0.5;
  /// Rounding error of J x, relative to its largest term. Sane: 1e-15 to 1e-12.
  double round_off = 1e-14;
};

struct LinearParameters {
  ProximalParameters proximal;
  /// Islands with at least this number of rows outside the spanning forest are solved by sparse elimination.
  /// In square nets of links both methods take the same time at 48 rows; sparse elimination is 1.6 times as
  /// fast at 75 and 27 times at 507. Sane: 20 to 100.
  size_t sparse_from = 48;
  /// A row of length 1 depends on others if less than this remains after orthogonalization: far above
  /// rounding, far below the nine digits in which people write points and axes. Sane: 1e-12 to 1e-9.
  double dependent_row = 1e-10;
};

}  // namespace tumble::dynamics
