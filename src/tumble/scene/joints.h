// <joint>, its <drive>s and its <script> as the library takes them.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/scene/check.h"

namespace tumble::scene::detail {

/// All of the spec but its bodies, and of the points those that are given. Nothing when a unit or the number of numbers
/// does not fit the type.
std::optional<model::JointSpec> read_joint(const Element& element, core::Diagnostics& diagnostics);

/// The keys of a joint's <script>; false when a unit or the number of numbers does not fit the joint's type.
bool read_script(const Element& element, model::JointSpec& spec, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
