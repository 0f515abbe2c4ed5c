// What of a model may change while it runs: which attributes there are and what they may be. LiveModel (live_model.h) is how.
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

/// Kinds of things with names, as a scene file calls them, in the order in which settings are listed.
enum class LiveKind { world, material, contact, body, joint, spring, force, torque, attraction, drag };
const char* to_string(LiveKind kind);
std::optional<LiveKind> find_live_kind(std::string_view name);

/// One of them: index into Model::materials(), material_pairs(), bodies(), joints() or forces(), by its kind.
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
  std::optional<double> friction = {};     // Coulomb; none: that of the two materials
  std::optional<double> restitution = {};  // 0..1; none: that of the two materials
  double stiffness = 0;                    // N/m; 0: rigid
  double damping = 0;                      // N s/m
};
struct SpringValues {
  double stiffness = 0;  // N/m
  double length = 0;     // m
  double damping = 0;    // N s/m
  bool damped = false;   // whether it has a damper to begin with; else damping stays 0
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
  bool pushed = false;  // whether it may be
  Push push;
  bool fixed = false;  // it never moves, and a push would do nothing
};
struct JointValues {
  JointSpec spec;
  bool sprung = false, damped = false;  // whether it has a spring and a damper to begin with
  bool limited = false;                 // whether it has limits
};
using LiveValues = std::variant<WorldValues, MaterialValues, PairValues, BodyValues, JointValues,
                                SpringValues, AppliedValues, AttractionValues, DragValues>;

/// An attribute: where its numbers are among the values it was asked of.
struct LiveField {
  std::string name;                   // "drive.target"
  std::vector<double*> numbers = {};  // empty: cannot change
  std::string why_not = {};           // and why
};

/// Every attribute of the thing, those that cannot change too.
std::vector<LiveField> fields_of(LiveKind kind, LiveValues& values);
/// Why the values cannot be; as the scene reader would say it.
std::vector<std::string> find_faults(const LiveValues& values);

/// Faults of a joint's values beside those of its spec alone: laws and limits must stay what they are.
std::vector<std::string> find_joint_faults(const JointParts& parts, const JointSpec& wanted,
                                           std::span<Limit* const> limits, std::span<ForceLaw* const> laws);
/// Puts a joint's values into its limits and laws; both are those of the whole model.
void write_joint(const JointParts& parts, const JointSpec& spec, std::span<Limit* const> limits,
                 std::span<ForceLaw* const> laws);

}  // namespace tumble::model
