// Factors of a KKT system (kkt_solver.h), the result of elimination. They are stored in flat arrays, at the
// offsets that the pattern defines.
#pragma once

#include <vector>

#include "tumble/dynamics/linear/ball_kernel.h"
#include "tumble/dynamics/linear/kkt_pattern.h"

namespace tumble::dynamics {

/// How a link was eliminated: by ball_kernel.h, or by tree_kernel.h with no, an angular or a full block
/// between the link and its parent.
enum class LinkForm : char { ball, free, angular, full };

struct KktFactors {
  /// Lower triangles of A_ii, updated by the bodies eliminated so far. For a ball, its BallFactors.
  std::vector<double> diagonal;
  std::vector<double> fill_in;     // by coupling, row by row: what bodies eliminated so far add to A_ij
  std::vector<double> numbers;     // by body: LinkFactors and X of tree_kernel.h, or as in body_elimination.h
  std::vector<BallColumns> balls;  // by link that holds a point
  std::vector<LinkForm> link_forms;    // by link
  std::vector<double> regularization;  // E, by row
  std::vector<double> scratch;         // of one body

  void resize(const KktPattern& pattern) {
    diagonal.assign(kLower6 * pattern.bodies.size(), 0.0);
    fill_in.assign(36 * pattern.couplings(), 0.0);
    numbers.assign(pattern.sizes.factors, 0.0);
    balls.resize(pattern.sizes.balls);
    link_forms.assign(pattern.links.size(), LinkForm::free);
    regularization.assign(pattern.sizes.rows, 0.0);
    scratch.assign(pattern.sizes.scratch, 0.0);
  }
  double* diagonal_of(int body) { return &diagonal[kLower6 * static_cast<size_t>(body)]; }
  const BallFactors& ball_of(int body) const {
    return *reinterpret_cast<const BallFactors*>(&diagonal[kLower6 * static_cast<size_t>(body)]);
  }
};

/// L and 1/D of a 6 x 6 block.
inline constexpr size_t kDiagonalFactors = 15 + 6;

/// Numbers in KktFactors::numbers: of a link, of another body, and the scratch that the latter needs.
inline size_t link_factors_size(const KktPattern::Body& body) {
  const auto X = 36 * static_cast<size_t>(body.couplings());
  return with_rows(body.rows, [](auto K) { return sizeof(LinkFactors<decltype(K)::value>); }) /
             sizeof(double) +
         X;
}
inline size_t body_factors_size(const KktPattern::Body& body) {
  const auto rows = static_cast<size_t>(body.rows), couplings = static_cast<size_t>(body.couplings());
  return kDiagonalFactors + 6 * rows + rows * (rows + 1) / 2 + 36 * couplings + 6 * rows * couplings;
}
inline size_t body_scratch_size(const KktPattern::Body& body) {
  const auto rows = static_cast<size_t>(body.rows), couplings = static_cast<size_t>(body.couplings());
  return 6 * rows + 6 * rows * couplings + 36;
}

}  // namespace tumble::dynamics
