// The precise method does not simulate contact: bodies pass through each other. A run that could show this must
// say so.
#pragma once

#include <optional>

#include "tumble/contact/pair_tracker.h"
#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

/// Two bodies that touch: nearer than what would be kept between them, or in each other.
struct FirstContact {
  core::BodyId a, b;  // a < b
};

/// Looks at bodies that may collide, state after state. The model must outlive it.
class FirstContactSearch {
 public:
  FirstContactSearch(const model::Model& model, double accuracy, const Parameters& parameters = {})
      : model_(&model),
        accuracy_(accuracy),
        share_(parameters.report.first_contact),
        pair_tracker_(model),
        builder_(parameters.collision) {}
  /// The first pair in the order of bodies that touches, if any does. Bodies at the distance they were given at the start do not.
  std::optional<FirstContact> find(const model::State& state);
  const collision::ManifoldBuilder::Counters& counters() const { return builder_.counters(); }

 private:
  const model::Model* model_;
  double accuracy_, share_;
  contact::PairTracker pair_tracker_;
  collision::ManifoldBuilder builder_;
  std::vector<collision::Contact> contacts_;
  std::vector<double> margins_;
};

}  // namespace tumble::simulate
