#include "tumble/dynamics/integrators/sparse_tableau.h"

namespace tumble::dynamics {

SparseTableau::SparseTableau(const Tableau& dense_tableau, size_t stride) : tableau(&dense_tableau) {
  const auto compile = [&](std::span<const double> weights) {
    Row row;
    row.reserve(weights.size());
    for (size_t i = 0; i < weights.size(); ++i)
      if (weights[i] != 0) row.push_back({i * stride, weights[i]});
    return row;
  };
  const size_t stages = static_cast<size_t>(tableau->stages), slopes = static_cast<size_t>(tableau->slopes());
  for (size_t i = 0; i < stages; ++i) a.push_back(compile(tableau->a.subspan(i * stages, stages)));
  for (size_t i = 0; i < tableau->extra_c.size(); ++i)
    extra_a.push_back(compile(tableau->extra_a.subspan(i * slopes, slopes)));
  for (size_t i = 0; i * slopes < tableau->dense.size(); ++i)
    dense.push_back(compile(tableau->dense.subspan(i * slopes, slopes)));
  b = compile(tableau->b);
  error = compile(tableau->error);
  second_error = compile(tableau->second_error);
}

}  // namespace tumble::dynamics
