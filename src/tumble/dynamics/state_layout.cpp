#include "tumble/dynamics/state_layout.h"

#include <algorithm>

namespace tumble::dynamics {

StateLayout::StateLayout(const model::Model& model, bool reactions)
    : work_at(model.bodies().size() * model::kBodySize),
      reduced_energies_at(work_at + model.work_count()),
      impulses_at(reduced_energies_at + model.bodies().size()),
      angles_at(impulses_at + (reactions ? model.joints().size() * model::kReactionSize : 0)),
      size(angles_at + model.counted_hinges().size()) {}

void StateLayout::load(const model::State& state, std::span<const double> reduced_energies,
                       std::vector<double>& y) const {
  if (y.size() != size) y.resize(size);
  const auto work = std::copy(state.y.begin(), state.y.end(), y.begin());
  const auto rest = std::copy(state.work.begin(), state.work.end(), work);
  const auto impulses = std::copy(reduced_energies.begin(), reduced_energies.end(), rest);
  std::fill(impulses, y.end(), 0.0);
  if (angles_at > impulses_at) std::copy(state.impulses.begin(), state.impulses.end(), impulses);
  std::copy(state.hinge_angles.begin(), state.hinge_angles.end(), y.begin() + static_cast<long>(angles_at));
}

std::vector<double> StateLayout::vector_of(const model::State& state) const {
  std::vector<double> y(size);
  std::copy(state.y.begin(), state.y.end(), y.begin());
  std::copy(state.hinge_angles.begin(), state.hinge_angles.end(), y.begin() + static_cast<long>(angles_at));
  return y;
}

void StateLayout::store(const std::vector<double>& y, double time, model::State& state) const {
  state.time = time;
  const auto at = [&](size_t i) { return y.begin() + static_cast<long>(i); };
  state.y.assign(y.begin(), at(work_at));
  state.work.assign(at(work_at), at(reduced_energies_at));
  state.impulses.assign(at(impulses_at), at(angles_at));  // empty if reactions are not requested
  state.hinge_angles.assign(at(angles_at), y.end());
}

}  // namespace tumble::dynamics
