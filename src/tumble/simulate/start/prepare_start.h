// The initial state of a run.
#pragma once

#include "tumble/simulate/parameters.h"
#include "tumble/simulate/start/separate_bodies.h"

namespace tumble::simulate {

struct Start {
  model::State state;
  std::vector<StartContact> touching;  // bodies that touched, or nearly; they were separated
  contact::TightPairs tight;           // those of them without room for the contact offset
};

/// The scene's start with joints closed and velocities that keep them closed, both the nearest in the metric
/// of the masses. Bodies that touch are separated by the contact offset of this accuracy. Warnings say what
/// was moved and how far. Errors, by name: joint errors above a tenth of the bodies' size, joints that cannot
/// all be closed, and bodies that overlap (unless the scene asks to settle them).
core::Expected<Start> prepare_start(const model::Model& model, double accuracy = kDefaultAccuracy,
                                    const Parameters& parameters = {});

}  // namespace tumble::simulate
