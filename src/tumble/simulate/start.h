// The state a run begins with.
#pragma once

#include "tumble/core/expected.h"
#include "tumble/model/state.h"

namespace tumble::simulate {

/// The scene's start with all joints closed and with velocities that keep them closed, both the nearest in the metric of
/// the masses. Warnings say what was moved and how far. Joints that are open by more than a tenth of their bodies' size,
/// and joints that cannot all be closed, are errors, by name.
core::Expected<model::State> prepare_start(const model::Model& model);

}  // namespace tumble::simulate
