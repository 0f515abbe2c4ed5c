// <joint> and its <drive>s as the library takes them.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/scene/check.h"

namespace tumble::scene::detail {

/// All of the spec but its bodies, and of the points those that are given. Nothing when a unit or the number of numbers
/// does not fit the type.
std::optional<model::JointSpec> read_joint(const Element& element, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
