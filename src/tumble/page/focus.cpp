#include "tumble/page/focus.h"

#include <algorithm>
#include <cmath>

#include "tumble/page/tolerances.h"

namespace tumble::page::detail {

namespace {

using math::Vec3;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Focus::Focus(const model::Model& model) : model_(model), paths_(model.bodies().size()) {}

bool Focus::is_shown(const model::State& state, size_t body) const {
  const model::Body& about = model_.bodies()[body];
  return !about.is_fixed() && std::isfinite(about.radius) && state.position(model::BodyId(body)).allFinite();
}

void Focus::measure(const model::State& state) {
  std::vector<size_t> shown;
  for (size_t i = 0; i < paths_.size(); ++i)
    if (is_shown(state, i)) shown.push_back(i);
  Vec3 middle = Vec3::Zero();
  const bool enough = shown.size() >= kFewestForOutliers;
  if (enough) {
    std::vector<double> values(shown.size());
    for (int k = 0; k < 3; ++k) {
      std::transform(shown.begin(), shown.end(), values.begin(),
                     [&](size_t i) { return state.position(model::BodyId(i))[k]; });
      middle[k] = median(values);
    }
    std::transform(shown.begin(), shown.end(), values.begin(), [&](size_t i) {
      return (state.position(model::BodyId(i)) - middle).norm() + model_.bodies()[i].radius;
    });
    if (!is_second_pass_) spread_ = std::max(spread_, median(values));
  }
  for (const size_t i : shown) {
    const model::BodyId id(i);
    const Vec3 x = state.position(id);
    const double radius = model_.bodies()[i].radius;
    Path& path = paths_[i];
    if (is_first_) path.position = x, path.orientation = state.orientation(id);
    if (x != path.position || state.orientation(id).vec() != path.orientation.vec()) path.moves = true;
    const double away = enough ? (x - middle).norm() - radius : 0;
    farthest_ = std::max(farthest_, away);
    if (is_second_pass_ && away > kOutlierReach * spread_) continue;
    path.is_shown = true;
    path.box.extend(x - Vec3::Constant(radius));
    path.box.extend(x + Vec3::Constant(radius));
  }
  is_first_ = false;
}

bool Focus::needs_second_pass() const {
  return !is_second_pass_ && spread_ > 0 && farthest_ > kOutlierReach * spread_;
}

void Focus::begin_second_pass() {
  is_second_pass_ = true;
  for (Path& path : paths_) {
    path.box.setEmpty();
    path.is_shown = false;
  }
}

std::vector<Focus::Box> Focus::boxes() const {
  const bool any_moves =
      std::any_of(paths_.begin(), paths_.end(), [](const Path& p) { return p.is_shown && p.moves; });
  std::vector<Box> boxes;
  for (const Path& path : paths_)
    if (path.is_shown && (path.moves || !any_moves)) boxes.push_back(path.box);
  return boxes;
}

}  // namespace tumble::page::detail
