// Elimination and substitution of a body with any number of rows and couplings: equation (2) of kkt_solver.h.
// Its factors are L and 1/D of A_i, Z of its own rows, S as M and 1/E, then Z_j and W_j of every later
// neighbour j.
#pragma once

#include "tumble/dynamics/linear/kkt_factors.h"
#include "tumble/dynamics/linear/kkt_matrix.h"

namespace tumble::dynamics {

void eliminate_body(int i, const KktPattern& pattern, const KktMatrix& matrix, KktFactors& factors);
/// x_i becomes L^-1 b_i, y of its rows Z^T D^-1 x_i - c; b of later neighbours changes.
void forward_body(int i, const KktPattern& pattern, KktFactors& factors, double* x, double* y);
/// x_i and y of its rows become the solution.
void back_body(int i, const KktPattern& pattern, KktFactors& factors, double* x, double* y);

}  // namespace tumble::dynamics
