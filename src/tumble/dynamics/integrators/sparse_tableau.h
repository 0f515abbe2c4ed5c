// A tableau compiled for vectors of one length: its rows without zeros.
#pragma once

#include <cstddef>
#include <vector>

#include "tumble/dynamics/integrators/tableau.h"

namespace tumble::dynamics {

struct SparseTableau {
  struct Term {
    size_t offset;  // of the slope among all slopes, in numbers
    double weight;
  };
  using Row = std::vector<Term>;

  /// `stride`: numbers from one slope to the next.
  SparseTableau(const Tableau& tableau, size_t stride);

  const Tableau* tableau;
  std::vector<Row> a, extra_a, dense;
  Row b, error, second_error;
};

}  // namespace tumble::dynamics
