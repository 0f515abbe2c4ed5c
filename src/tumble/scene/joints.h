// Reads <joint> and its <drive>s.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/scene/check.h"

namespace tumble::scene::detail {

/// Everything except the two bodies and the points that the scene does not give. Empty if a unit or the
/// number of values does not fit the type.
std::optional<model::JointSpec> read_joint(const Element& element, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
