// Contact is not simulated by this version: bodies pass through each other. A run that could show this must
// say so.
#pragma once

#include <optional>
#include <string>

#include "tumble/model/state.h"

namespace tumble::simulate {

/// Two bodies that may collide and whose bounding spheres overlap (or a sphere and a half-space), at least
/// one of them moving. The first such pair in scene order along the x axis, or nothing.
struct Meeting {
  core::BodyId a, b;
};
std::optional<Meeting> find_meeting(const model::Model& model, const model::State& state);

}  // namespace tumble::simulate
