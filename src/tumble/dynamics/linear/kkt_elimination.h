// Elimination of the bodies of some islands, and substitution with the factors. All functions process bodies
// in elimination order; `first` and `end` are positions in it.
#pragma once

#include "tumble/dynamics/linear/kkt_factors.h"
#include "tumble/dynamics/linear/kkt_matrix.h"

namespace tumble::dynamics {

/// Before elimination: sets the working diagonal to A_ii plus additions.
void load_diagonal(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range,
                   KktFactors& factors);
/// Before elimination: clears the fill-in.
void clear_fill_in(const KktPattern& pattern, const KktRange& range, KktFactors& factors);
/// E: for each row, `part` of the diagonal of J_i A_i^-1 J_i^T, summed over its bodies.
void compute_regularization(const KktPattern& pattern, const KktMatrix& matrix, const KktRange& range,
                            double part, KktFactors& factors);

void eliminate(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
               KktFactors& factors);
/// The same with forward substitution of each body.
void eliminate_and_forward(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
                           KktFactors& factors, double* x, double* y);
void forward_substitute(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
                        KktFactors& factors, double* x, double* y);
/// From the last body to the first.
void back_substitute(const KktPattern& pattern, const KktMatrix& matrix, size_t first, size_t end,
                     KktFactors& factors, double* x, double* y);

}  // namespace tumble::dynamics
