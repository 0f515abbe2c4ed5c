#include "tumble/simulate/first_contact.h"

#include <algorithm>

namespace tumble::simulate {

std::optional<FirstContact> FirstContactSearch::find(const model::State& state) {
  if (!pair_tracker_.needed()) return std::nullopt;
  margins_.clear();
  for (const model::Body& body : model_->bodies())
    margins_.push_back(body.is_fixed() ? 0 : accuracy_ * body.radius);
  for (contact::PairTracker::Pair& pair : pair_tracker_.update(state, margins_)) {
    const core::BodyId a = pair_tracker_.items()[pair.a].body, b = pair_tracker_.items()[pair.b].body;
    const collision::Placed &A = pair_tracker_.placed(pair.a), &B = pair_tracker_.placed(pair.b);
    const double offset =
        contact::compute_contact_offset(*model_, a, b, accuracy_, pair_tracker_.extent(), tight_);
    contacts_.clear();
    builder_.build(A, B, {.max_gap = share_ * offset, .contact_offset = offset}, pair.memory, contacts_);
    // For penetrating shapes there is no manifold.
    if (!contacts_.empty() || !(collision::compute_distance(A, B, pair.memory).distance > share_ * offset))
      return FirstContact{a, b};
  }
  return std::nullopt;
}

}  // namespace tumble::simulate
