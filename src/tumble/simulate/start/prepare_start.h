// The state a run begins with.
#pragma once

#include "tumble/simulate/parameters.h"
#include "tumble/simulate/start/separate_bodies.h"

namespace tumble::simulate {

struct Start {
  model::State state;
  std::vector<StartContact> touching;  // bodies that touched, or nearly; they were moved apart a little
};

/// The scene's start with all joints closed and with velocities that keep them closed, both the nearest in the metric of
/// the masses, and with bodies that touch apart by what is kept between them at this accuracy. Warnings say what was moved
/// and how far. Joints that are open by more than a tenth of their bodies' size, joints that cannot all be closed, and bodies
/// that overlap (unless the scene asks to settle them) are errors, by name.
core::Expected<Start> prepare_start(const model::Model& model, double accuracy = kDefaultAccuracy,
                                    const Parameters& parameters = {});

}  // namespace tumble::simulate
