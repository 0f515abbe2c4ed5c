// The joint types. To add a type, define its JointKind (joint_kind.h) in a file of this folder and add a line
// to the list below. The schema lists the types in this order.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#define TUMBLE_JOINT_TYPES(X) \
  X(nail)                     \
  X(ball)                     \
  X(universal)                \
  X(constant_velocity)        \
  X(hinge)                    \
  X(slider)                   \
  X(cylindrical)              \
  X(fixed)                    \
  X(distance)                 \
  X(point_on_plane)           \
  X(point_on_line)            \
  X(line_on_line)             \
  X(orientation)

namespace tumble::model {

struct JointKind;

#define TUMBLE_ENUMERATOR(type) type,
enum class JointType { TUMBLE_JOINT_TYPES(TUMBLE_ENUMERATOR) };
#undef TUMBLE_ENUMERATOR

/// joints::hinge describes JointType::hinge, and so on.
namespace joints {
#define TUMBLE_DECLARATION(type) extern const JointKind type;
TUMBLE_JOINT_TYPES(TUMBLE_DECLARATION)
#undef TUMBLE_DECLARATION
}  // namespace joints

/// Every type, in the order above.
std::span<const JointKind* const> joint_kinds();
const JointKind& kind_of(JointType type);

/// As a scene file spells it, e.g. "constant-velocity".
const char* to_string(JointType type);
std::optional<JointType> find_joint_type(const std::string& name);

/// A list of the types with a property, e.g. &JointKind::has_scalar: "hinge, slider or cylindrical".
std::string list_joint_types(const std::function<bool(const JointKind&)>& has_property,
                             const char* before_last = " or ");

}  // namespace tumble::model
