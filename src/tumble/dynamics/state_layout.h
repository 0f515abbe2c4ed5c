// The vector that smooth motion is integrated in:
//   bodies       model::State::y
//   work         model::State::work
//   accounts     of rotational energy, one a body: K of (4) in equations_of_motion.h
//   impulses     model::State::impulses, where reactions are asked for
//   angles       model::State::hinge_angles
#pragma once

#include <span>
#include <vector>

#include "tumble/model/state.h"

namespace tumble::dynamics {

/// Where each part begins.
struct StateLayout {
  StateLayout(const model::Model& model, bool reactions);

  size_t work_at, accounts_at, impulses_at, angles_at, size;

  /// Fills y from a state and the accounts. A state without impulses has passed on none.
  void load(const model::State& state, std::span<const double> accounts, std::vector<double>& y) const;
  /// The same with work, accounts and impulses zero: enough for everything that does not go on from them.
  std::vector<double> vector_of(const model::State& state) const;
  /// All but the accounts.
  void store(const std::vector<double>& y, double time, model::State& state) const;
};

}  // namespace tumble::dynamics
