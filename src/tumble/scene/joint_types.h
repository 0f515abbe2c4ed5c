// Lists of joint types for messages and for the documentation in the schema. They come from the registry.
#pragma once

#include <string_view>
#include <vector>

#include "tumble/model/joints/joint_kind.h"

namespace tumble::scene::detail {

/// All types: the choices of `type`.
std::vector<std::string_view> joint_type_names();
/// The types with a property: "ball, cylindrical".
std::string types_with(const std::function<bool(const model::JointKind&)>& has_property);
/// The types with this default point: "slider and fixed".
std::string types_with(model::DefaultPoint place);
/// The types that follow a <script>: "hinge, slider, cylindrical or ball".
std::string list_scripted_types();
/// The coordinates that `limits` bounds: "hinge, slider, travel of cylindrical".
std::string list_limited_coordinates();
/// The meaning of axis2 for each type: "universal: the axis b carries; ...".
std::string list_axis2_meanings();

}  // namespace tumble::scene::detail
