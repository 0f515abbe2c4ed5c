#include "tumble/dynamics/linear/tree_solver.h"

#include <algorithm>
#include <type_traits>

#include "tumble/core/require.h"

namespace tumble::dynamics {

namespace {

// Factors of a floating root.
struct RootFactors {
  double L[15], inverse_D[6];
};

template <int K>
constexpr size_t size_in_doubles() {
  static_assert(std::is_trivially_copyable_v<LinkFactors<K>>);
  return sizeof(LinkFactors<K>) / sizeof(double);
}

}  // namespace

TreeSolver::TreeSolver(const std::vector<Link>& links) {
  size_t factors = 0;
  for (size_t i = 0; i < links.size(); ++i) {
    TUMBLE_REQUIRE(links[i].parent < static_cast<int>(i), "parents stand before their children");
    TUMBLE_REQUIRE(links[i].rows >= 0 && links[i].rows <= 6, "a joint has at most six rows");
    links_.push_back({links[i].parent, links[i].rows, rows_, factors});
    rows_ += static_cast<size_t>(links[i].rows);
    factors += links[i].rows == 0
                   ? sizeof(RootFactors) / sizeof(double)
                   : with_rows(links[i].rows, [](auto K) { return size_in_doubles<decltype(K)::value>(); });
  }
  matrices_.assign(links.size() * kLower6, 0.0);
  factors_.assign(factors, 0.0);
}

void TreeSolver::factor(size_t link, const double (*J)[6], const double (*P)[6]) {
  const LinkData& data = links_[link];
  double* at = &factors_[data.factors];
  if (data.rows == 0) {
    auto& f = *reinterpret_cast<RootFactors*>(at);
    factor_symmetric<6>(matrix(link), f.L, f.inverse_D);
    std::fill_n(matrix(link), kLower6, 0.0);
    return;
  }
  const bool has_parent = data.parent != kNone;
  double* parent = has_parent ? matrix(static_cast<size_t>(data.parent)) : nullptr;
  with_rows(data.rows, [&](auto K) {
    constexpr int rows = decltype(K)::value;
    factor_link<rows>(matrix(link), J, has_parent ? P : nullptr, *reinterpret_cast<LinkFactors<rows>*>(at),
                      parent);
  });
  std::fill_n(matrix(link), kLower6, 0.0);
}

void TreeSolver::solve(size_t first, size_t end, double* x, double* y) const {
  if (first == end) return;
  const size_t before = links_[first].first_row;
  for (size_t i = end; i-- > first;) {
    const LinkData& data = links_[i];
    const double* at = &factors_[data.factors];
    if (data.rows == 0) continue;
    double* parent = data.parent == kNone ? nullptr : x + 6 * (static_cast<size_t>(data.parent) - first);
    with_rows(data.rows, [&](auto K) {
      constexpr int rows = decltype(K)::value;
      forward_substitute<rows>(*reinterpret_cast<const LinkFactors<rows>*>(at), x + 6 * (i - first),
                               y + (data.first_row - before), parent);
    });
  }
  for (size_t i = first; i < end; ++i) {
    const LinkData& data = links_[i];
    const double* at = &factors_[data.factors];
    if (data.rows == 0) {
      const auto& f = *reinterpret_cast<const RootFactors*>(at);
      double* v = x + 6 * (i - first);
      solve_lower<6>(f.L, v);
      for (size_t r = 0; r < 6; ++r) v[r] *= f.inverse_D[r];
      solve_upper<6>(f.L, v);
      continue;
    }
    const double* parent =
        data.parent == kNone ? nullptr : x + 6 * (static_cast<size_t>(data.parent) - first);
    with_rows(data.rows, [&](auto K) {
      constexpr int rows = decltype(K)::value;
      back_substitute<rows>(*reinterpret_cast<const LinkFactors<rows>*>(at), x + 6 * (i - first),
                            y + (data.first_row - before), parent);
    });
  }
}

}  // namespace tumble::dynamics
