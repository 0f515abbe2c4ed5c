#include "tumble/model/joints/registry.h"

#include <array>
#include <vector>

#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

namespace {

#define TUMBLE_ADDRESS(type) &joints::type,
constexpr std::array kJointKinds = {TUMBLE_JOINT_TYPES(TUMBLE_ADDRESS)};
#undef TUMBLE_ADDRESS

}  // namespace

std::span<const JointKind* const> joint_kinds() { return kJointKinds; }

const JointKind& kind_of(JointType type) { return *kJointKinds[static_cast<size_t>(type)]; }

const char* to_string(JointType type) { return kind_of(type).name; }

std::optional<JointType> find_joint_type(const std::string& name) {
  for (size_t i = 0; i < kJointKinds.size(); ++i)
    if (name == kJointKinds[i]->name) return static_cast<JointType>(i);
  return std::nullopt;
}

std::string list_joint_types(const std::function<bool(const JointKind&)>& has_property,
                             const char* before_last) {
  std::vector<const char*> names;
  for (const JointKind* kind : kJointKinds)
    if (has_property(*kind)) names.push_back(kind->name);
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list.append(i == 0 ? "" : i + 1 < names.size() ? ", " : before_last).append(names[i]);
  return list;
}

}  // namespace tumble::model
