// Solves systems (1) of tree_kernel.h for a forest of links, in time proportional to their number.
#pragma once

#include <vector>

#include "tumble/dynamics/joint_graph.h"
#include "tumble/dynamics/linear/tree_kernel.h"

namespace tumble::dynamics {

class TreeSolver {
 public:
  struct Link {
    int parent = kNone;  // a link before this one, or none
    int rows = 0;        // of the joint above, 0 to 6; 0: a floating root
  };
  explicit TreeSolver(const std::vector<Link>& links);

  size_t size() const { return links_.size(); }
  /// The first row of a link among all.
  size_t first_row(size_t link) const { return links_[link].first_row; }
  size_t rows() const { return rows_; }

  /// Lower triangle of A_i, 21 numbers. The caller adds A_i before factor() of the link, which resets it to
  /// zero. factor() of the link's children adds to it, too.
  double* matrix(size_t link) { return &matrices_[link * kLower6]; }
  /// Links are factored from the last to the first. J and P: the joint's rows on the link and on its parent.
  void factor(size_t link, const double (*J)[6], const double (*P)[6]);

  /// Solves for links first to end - 1, which are whole trees. `x` holds their b and then v, 6 numbers a
  /// link; `y` their c and then l, one number a row.
  void solve(size_t first, size_t end, double* x, double* y) const;

 private:
  struct LinkData {
    int parent, rows;
    size_t first_row, factors;  // where it begins in y, in factors_
  };
  std::vector<LinkData> links_;
  size_t rows_ = 0;
  std::vector<double> matrices_, factors_;
};

}  // namespace tumble::dynamics
