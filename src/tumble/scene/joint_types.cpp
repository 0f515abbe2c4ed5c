#include "tumble/scene/joint_types.h"

namespace tumble::scene::detail {

using model::JointKind;

std::vector<std::string_view> joint_type_names() {
  std::vector<std::string_view> names;
  for (const JointKind* kind : model::joint_kinds()) names.emplace_back(kind->name);
  return names;
}

std::string types_with(const std::function<bool(const JointKind&)>& has_property) {
  return model::list_joint_types(has_property, ", ");
}

std::string types_with(model::DefaultPoint place) {
  return model::list_joint_types([&](const JointKind& kind) { return kind.default_point == place; }, " and ");
}

std::string list_scripted_types() {
  return types_with(&JointKind::has_scalar) + " or " + types_with(&JointKind::has_rotation_vector);
}

std::string list_limited_coordinates() {
  std::string list;
  for (const JointKind* kind : model::joint_kinds())
    if (kind->has_scalar()) list.append(list.empty() ? "" : ", ").append(kind->coordinate_name);
  return list;
}

std::string list_axis2_meanings() {
  std::string list;
  // The types that need an axis come first.
  for (const bool needs_axis : {true, false})
    for (const JointKind* kind : model::joint_kinds())
      if (kind->axis2 && kind->needs_axis == needs_axis)
        list.append(list.empty() ? "" : "; ").append(kind->name).append(": ").append(kind->axis2);
  return list;
}

}  // namespace tumble::scene::detail
