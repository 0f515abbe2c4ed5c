// Layout of the vector that smooth motion is integrated in:
//   bodies             model::State::y
//   work               model::State::work
//   reduced_energies   reduced rotational energy, one a body: K of (4) in equations_of_motion.h
//   impulses           model::State::impulses, if reactions are requested
//   angles             model::State::hinge_angles
#pragma once

#include <span>
#include <vector>

#include "tumble/model/state.h"

namespace tumble::dynamics {

/// Where each part begins.
struct StateLayout {
  StateLayout(const model::Model& model, bool reactions);

  size_t work_at, reduced_energies_at, impulses_at, angles_at, size;

  /// Fills y from a state and the reduced energies. Missing impulses are zero.
  void load(const model::State& state, std::span<const double> reduced_energies,
            std::vector<double>& y) const;
  /// The same with work, reduced energies and impulses zero, for callers that do not continue from them.
  std::vector<double> vector_of(const model::State& state) const;
  /// Stores all but the reduced energies.
  void store(const std::vector<double>& y, double time, model::State& state) const;
};

}  // namespace tumble::dynamics
