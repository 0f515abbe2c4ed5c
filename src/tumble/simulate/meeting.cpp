#include "tumble/simulate/meeting.h"

#include <algorithm>

namespace tumble::simulate {

namespace {

// Of what is kept: above it, bodies that stand where they were put at the start do not touch.
constexpr double kTooNear = 0.5;

}  // namespace

std::optional<Meeting> MeetingSearch::find(const model::State& state) {
  if (!proximity_.needed()) return std::nullopt;
  margins_.clear();
  for (const model::Body& body : model_->bodies())
    margins_.push_back(body.fixed ? 0 : accuracy_ * body.radius);
  for (Proximity::Pair& pair : proximity_.update(state, margins_)) {
    const core::BodyId a = proximity_.items()[pair.a].body, b = proximity_.items()[pair.b].body;
    const collision::Placed &A = proximity_.placed(pair.a), &B = proximity_.placed(pair.b);
    const double kept = compute_kept_separation(*model_, a, b, accuracy_, proximity_.extent());
    contacts_.clear();
    builder_.build(A, B, {.thickness = kTooNear * kept, .kept = kept}, pair.memory, contacts_);
    // Where they are in each other, the manifold has nothing to say.
    if (!contacts_.empty() || !(collision::compute_distance(A, B, pair.memory).distance > kTooNear * kept))
      return Meeting{a, b};
  }
  return std::nullopt;
}

}  // namespace tumble::simulate
