#include "tumble/simulate/first_contact.h"

#include <algorithm>

namespace tumble::simulate {

std::optional<FirstContact> FirstContactSearch::find(const model::State& state) {
  if (!pair_tracker_.needed()) return std::nullopt;
  margins_.clear();
  for (const model::Body& body : model_->bodies())
    margins_.push_back(body.fixed ? 0 : accuracy_ * body.radius);
  for (contact::PairTracker::Pair& pair : pair_tracker_.update(state, margins_)) {
    const core::BodyId a = pair_tracker_.items()[pair.a].body, b = pair_tracker_.items()[pair.b].body;
    const collision::Placed &A = pair_tracker_.placed(pair.a), &B = pair_tracker_.placed(pair.b);
    const double kept = contact::compute_contact_offset(*model_, a, b, accuracy_, pair_tracker_.extent());
    contacts_.clear();
    builder_.build(A, B, {.max_gap = share_ * kept, .contact_offset = kept}, pair.memory, contacts_);
    // Where they are in each other, the manifold has nothing to say.
    if (!contacts_.empty() || !(collision::compute_distance(A, B, pair.memory).distance > share_ * kept))
      return FirstContact{a, b};
  }
  return std::nullopt;
}

}  // namespace tumble::simulate
