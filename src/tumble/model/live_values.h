// The attributes of a model that may change during a run, and the checks of their values. LiveModel
// (live_model.h) makes the changes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tumble/model/force_laws.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model.h"

namespace tumble::model {

/// The kinds of named objects, with the names of the scene file. LiveModel::settings() lists them in this
/// order.
enum class LiveKind { world, material, contact, body, joint, spring, force, torque, attraction, drag };
const char* to_string(LiveKind kind);
std::optional<LiveKind> find_live_kind(std::string_view name);

/// One object. Depending on its kind, `index` is an index into Model::materials(), material_pairs(),
/// bodies(), joints() or forces().
struct LiveTarget {
  LiveKind kind = LiveKind::world;
  size_t index = 0;
  auto operator<=>(const LiveTarget&) const = default;
};

struct WorldValues {
  Vec3 gravity = Vec3::Zero();  // m/s^2
};
struct MaterialValues {
  double friction = 0;     // Coulomb
  double restitution = 0;  // 0..1
};
struct PairValues {
  std::optional<double> friction = {};     // Coulomb; none: computed from the two materials
  std::optional<double> restitution = {};  // 0..1; none: computed from the two materials
  double stiffness = 0;                    // N/m; 0: rigid
  double damping = 0;                      // N s/m
};
struct SpringValues {
  double stiffness = 0;  // N/m
  double length = 0;     // m
  double damping = 0;    // N s/m
  bool damped = false;   // whether the scene gave it a damper; else the damping must be 0
};
struct AppliedValues {
  Vec3 value = Vec3::Zero();  // N or N m
};
struct AttractionValues {
  double constant = 0;  // N m^2
};
struct DragValues {
  double linear = 0;         // N s/m
  double quadratic = 0;      // N s^2/m^2
  Vec3 wind = Vec3::Zero();  // m/s
};
struct BodyValues {
  bool pushed = false;  // whether it accepts external inputs
  Push push;
  bool fixed = false;  // it never moves, so an input would have no effect
};
struct JointValues {
  JointSpec spec;
  bool sprung = false, damped = false;  // whether the scene gave it a spring, a damper
  bool limited = false;                 // whether the scene gave it limits
};
using LiveValues = std::variant<WorldValues, MaterialValues, PairValues, BodyValues, JointValues,
                                SpringValues, AppliedValues, AttractionValues, DragValues>;

/// An attribute. `numbers` point into the LiveValues that were passed to fields_of().
struct LiveField {
  std::string name;                   // "drive.target"
  std::vector<double*> numbers = {};  // empty: the attribute cannot change
  std::string why_not = {};           // the reason why it cannot change
};

/// All attributes of an object, including those that cannot change.
std::vector<LiveField> fields_of(LiveKind kind, LiveValues& values);
/// The reasons why the values are not allowed, with the same messages as the scene reader.
std::vector<std::string> find_faults(const LiveValues& values);

/// Additional checks of a joint's values, beyond those of its specification. The number and the types of its
/// laws and limits must not change.
std::vector<std::string> find_joint_faults(const JointParts& parts, const JointSpec& wanted,
                                           std::span<Limit* const> limits, std::span<ForceLaw* const> laws);
/// Writes the values of a joint into its limits and laws. `limits` and `laws` are those of the whole model.
void write_joint(const JointParts& parts, const JointSpec& spec, std::span<Limit* const> limits,
                 std::span<ForceLaw* const> laws);

}  // namespace tumble::model
