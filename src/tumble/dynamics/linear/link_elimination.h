// Elimination and substitution of a link (KktPattern::Link), a body whose only later neighbour is its parent.
// A joint that holds a point is eliminated by ball_kernel.h if possible, every other by tree_kernel.h.
#pragma once

#include "tumble/dynamics/linear/block_kernel.h"
#include "tumble/dynamics/linear/kkt_factors.h"
#include "tumble/dynamics/linear/kkt_matrix.h"

namespace tumble::dynamics {

/// ball_kernel.h eliminates the rows of a point without regularization, with at most an angular coupling.
inline LinkForm choose_form(const KktPattern::Link& link, bool regularized, const KktMatrix& matrix) {
  const Fill fill = link.parent == kNone ? Fill::none : matrix.sum_fill(static_cast<size_t>(link.coupling));
  if (link.point != 0 && !regularized && fill != Fill::full) return LinkForm::ball;
  return fill == Fill::none ? LinkForm::free : fill == Fill::angular ? LinkForm::angular : LinkForm::full;
}

inline BallArms arms_of(const KktPattern::Link& link, const KktMatrix& matrix) {
  return {double(link.point), &matrix.J[link.J], &matrix.J[link.P]};
}

inline void eliminate_ball(int i, const KktPattern::Link& link, const KktMatrix& matrix,
                           KktFactors& factors) {
  static constexpr double kZero[kLower3] = {};
  BallColumns& columns = factors.balls[static_cast<size_t>(link.ball)];
  const auto coupling = static_cast<size_t>(link.coupling);
  const bool ends = link.parent == kNone;
  const double* C = ends || matrix.fill[coupling] == Fill::none ? kZero : &matrix.angular[kLower3 * coupling];
  factor_angular(&matrix.J[link.J], C, factors.diagonal_of(i), columns);
  if (!ends)
    update_parent(factors.ball_of(i), columns, &matrix.J[link.P], C, factors.diagonal_of(link.parent));
}

/// Eliminates body i, which is link `number`.
inline void eliminate_link(int i, size_t number, const KktPattern& pattern, const KktMatrix& matrix,
                           KktFactors& factors) {
  const KktPattern::Link& link = pattern.links[number];
  const bool regularized = pattern.elimination.has_loops;
  const LinkForm form = factors.link_forms[number] = choose_form(link, regularized, matrix);
  if (form == LinkForm::ball) return eliminate_ball(i, link, matrix, factors);
  const double* regularization = regularized ? &factors.regularization[link.first_row] : nullptr;
  const KktPattern::Body& body = pattern.bodies[static_cast<size_t>(i)];
  const KktPattern::RowBlock& block =
      pattern.row_blocks[static_cast<size_t>(pattern.own_rows[static_cast<size_t>(body.first_own)])];
  const int side = block.side_of(i);
  double written[2][kPointRows];
  const auto J = reinterpret_cast<Six>(rows_on(block, side, matrix, written[0])),
             P = reinterpret_cast<Six>(rows_on(block, 1 - side, matrix, written[1]));
  with_rows(link.rows, [&](auto count) {
    constexpr int K = decltype(count)::value;
    auto& f = *reinterpret_cast<LinkFactors<K>*>(&factors.numbers[body.factors]);
    factor_own<K>(factors.diagonal_of(i), J, regularization, f);
    if (link.parent == kNone) return;
    double* A_parent = factors.diagonal_of(link.parent);
    if (form == LinkForm::free) return update_parent<K>(P, f, A_parent);
    const auto X = reinterpret_cast<double(*)[6]>(&f + 1);
    KktMatrix::Block C;
    matrix.sum_coupling(static_cast<size_t>(link.coupling), C);
    if (form == LinkForm::angular)
      couple_link<K, 3>(P, reinterpret_cast<Six>(C.data()) + 3, f, X, A_parent);
    else
      couple_link<K, 6>(P, reinterpret_cast<Six>(C.data()), f, X, A_parent);
  });
}

inline void forward_link(int i, size_t number, const KktPattern& pattern, const KktMatrix& matrix,
                         const KktFactors& factors, double* x, double* y) {
  const KktPattern::Link& link = pattern.links[number];
  const LinkForm form = factors.link_forms[number];
  const double* b = x + 6 * i;
  double* b_parent = link.parent == kNone ? nullptr : x + 6 * link.parent;
  if (form == LinkForm::ball)
    return forward_substitute(factors.ball_of(i), factors.balls[static_cast<size_t>(link.ball)],
                              arms_of(link, matrix), b, y + link.first_row, b_parent);
  with_rows(link.rows, [&](auto count) {
    constexpr int K = decltype(count)::value;
    const auto& f = *reinterpret_cast<const LinkFactors<K>*>(
        &factors.numbers[pattern.bodies[static_cast<size_t>(i)].factors]);
    forward_substitute<K>(f, b, y + link.first_row, b_parent);
    const auto X = reinterpret_cast<Six>(&f + 1);
    if (form == LinkForm::angular) forward_coupling<3>(X, b, b_parent);
    if (form == LinkForm::full) forward_coupling<6>(X, b, b_parent);
  });
}

inline void back_link(int i, size_t number, const KktPattern& pattern, const KktMatrix& matrix,
                      const KktFactors& factors, double* x, double* y) {
  const KktPattern::Link& link = pattern.links[number];
  const LinkForm form = factors.link_forms[number];
  const double* v_parent = link.parent == kNone ? nullptr : x + 6 * link.parent;
  if (form == LinkForm::ball)
    return back_substitute(factors.ball_of(i), factors.balls[static_cast<size_t>(link.ball)],
                           arms_of(link, matrix), x + 6 * i, y + link.first_row, v_parent);
  with_rows(link.rows, [&](auto count) {
    constexpr int K = decltype(count)::value;
    const auto& f = *reinterpret_cast<const LinkFactors<K>*>(
        &factors.numbers[pattern.bodies[static_cast<size_t>(i)].factors]);
    back_substitute<K>(f, x + 6 * i, y + link.first_row, v_parent);
    const auto X = reinterpret_cast<Six>(&f + 1);
    if (form == LinkForm::angular) back_coupling<3>(X, x + 6 * i, v_parent);
    if (form == LinkForm::full) back_coupling<6>(X, x + 6 * i, v_parent);
  });
}

}  // namespace tumble::dynamics
