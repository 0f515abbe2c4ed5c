// Detects the first contact in a precise run. The precise method does not simulate contact: bodies pass
// through each other. The run warns when that happens.
#pragma once

#include <optional>

#include "tumble/contact/pair_tracker.h"
#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

/// Two bodies that touch: they overlap, or are nearer than a part of the contact offset.
struct FirstContact {
  core::BodyId a, b;  // a < b
};

/// Checks one state after the other. The model must outlive it.
class FirstContactSearch {
 public:
  FirstContactSearch(const model::Model& model, double accuracy, const Parameters& parameters = {},
                     const contact::TightPairs& tight = {})
      : model_(&model),
        tight_(tight),
        accuracy_(accuracy),
        share_(parameters.report.first_contact),
        pair_tracker_(model, tight),
        builder_(parameters.collision) {}
  /// The first pair, in the order of bodies, that touches, if any. Bodies that touched at the start were
  /// moved a whole contact offset apart and do not count.
  std::optional<FirstContact> find(const model::State& state);
  const collision::ManifoldBuilder::Counters& counters() const { return builder_.counters(); }

 private:
  const model::Model* model_;
  contact::TightPairs tight_;
  double accuracy_, share_;
  contact::PairTracker pair_tracker_;
  collision::ManifoldBuilder builder_;
  std::vector<collision::Contact> contacts_;
  std::vector<double> margins_;
};

}  // namespace tumble::simulate
