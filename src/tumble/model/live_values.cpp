#include "tumble/model/live_values.h"

#include <array>
#include <cmath>

#include "tumble/model/tolerances.h"

namespace tumble::model {

namespace {

constexpr std::array kKinds = {"world",  "material", "contact", "body",       "joint",
                               "spring", "force",    "torque",  "attraction", "drag"};

constexpr const char* kOfTheScene = "it is given by the scene and stays";
constexpr const char* kOfMaterials = "the pair takes it from its materials; change it there";
constexpr const char* kRigid =
    "contact of this pair is rigid; only a scene that gives it a stiffness makes it soft";
constexpr const char* kNotPushed = "the body was not among those to be pushed when the run began";
constexpr const char* kFixed = "the body is fixed and never moves, whatever pushes it";
constexpr const char* kNotDamped = "it has no damper to begin with; give it a damping above 0 in the scene";
constexpr const char* kNotSprung = "it has no spring to begin with; give it a stiffness above 0 in the scene";
constexpr const char* kNotLimited = "it has none to begin with; give them in the scene";

// Builds the list of fields.
class Fields {
 public:
  void add(std::string name, std::initializer_list<double*> numbers) {
    list_.push_back({std::move(name), numbers, {}});
  }
  void add(std::string name, Vec3& v) { add(std::move(name), {&v[0], &v[1], &v[2]}); }
  void add_if(bool there, std::string name, double& number, const char* why_not) {
    there ? add(std::move(name), {&number}) : stays({std::move(name)}, why_not);
  }
  void add_range(std::string name, std::optional<Range>& range) {
    range ? add(std::move(name), {&range->lo, &range->hi}) : stays({std::move(name)}, kNotLimited);
  }
  /// Adds a scalar coordinate, or a rotation vector.
  void add_coordinate(std::string name, bool vector, double& number, Vec3& v) {
    vector ? add(std::move(name), v) : add(std::move(name), {&number});
  }
  void stays(std::initializer_list<std::string> names, const char* why_not = kOfTheScene) {
    for (const std::string& name : names) list_.push_back({name, {}, why_not});
  }
  void add_list(std::string name, std::vector<double>& numbers) {
    if (numbers.empty()) return stays({std::move(name)}, kNotLimited);
    LiveField& field = list_.emplace_back(LiveField{std::move(name), {}, {}});
    for (double& number : numbers) field.numbers.push_back(&number);
  }
  std::vector<LiveField> take() { return std::move(list_); }

 private:
  std::vector<LiveField> list_;
};

void list(LiveKind, WorldValues& world, Fields& fields) {
  fields.add("gravity", world.gravity);
  fields.stays({"up"});
}

void list(LiveKind, MaterialValues& material, Fields& fields) {
  fields.add("friction", {&material.friction});
  fields.add("restitution", {&material.restitution});
  fields.stays({"density", "color"});
}

void list(LiveKind, PairValues& pair, Fields& fields) {
  double none = 0;
  fields.add_if(pair.friction.has_value(), "friction", pair.friction ? *pair.friction : none, kOfMaterials);
  fields.add_if(pair.restitution.has_value(), "restitution", pair.restitution ? *pair.restitution : none,
                kOfMaterials);
  fields.add_if(pair.stiffness > 0, "stiffness", pair.stiffness, kRigid);
  fields.add_if(pair.stiffness > 0, "damping", pair.damping, kRigid);
  fields.stays({"layer", "a", "b"});
}

void list(LiveKind, BodyValues& body, Fields& fields) {
  Push& push = body.push;
  if (body.pushed) {
    fields.add("force", push.force);
    fields.add("torque", push.torque);
    fields.add("pull.at", push.at);
    fields.add("pull.to", push.to);
    fields.add("pull.stiffness", {&push.stiffness});
    fields.add("pull.damping", {&push.damping});
  } else {
    fields.stays({"force", "torque", "pull.at", "pull.to", "pull.stiffness", "pull.damping"},
                 body.fixed ? kFixed : kNotPushed);
  }
  fields.stays(
      {"position", "rotate", "quaternion", "velocity", "angular-velocity", "fixed", "group", "inertia"});
}

void list(LiveKind, JointValues& joint, Fields& fields) {
  JointSpec& spec = joint.spec;
  const bool is_vector = kind_of(spec.type).has_rotation_vector();
  fields.add_if(joint.sprung, "stiffness", spec.stiffness, kNotSprung);
  fields.add_if(joint.damped, "damping", spec.damping, kNotDamped);
  if (joint.sprung)
    fields.add_coordinate("rest", is_vector, spec.rest, spec.rest_rotation);
  else
    fields.stays({"rest"}, kNotSprung);
  fields.add_range("limits", spec.limits);
  fields.add_range("twist", spec.twist);
  fields.add_list("swing", spec.swing);
  fields.add_range("limits-x", spec.limits_x);
  fields.add_range("limits-y", spec.limits_y);
  fields.add_range("limits-z", spec.limits_z);
  fields.add_range("range", spec.range);
  fields.add_if(joint.limited, "restitution", spec.restitution, kNotLimited);
  for (size_t i = 0; i < spec.drives.size(); ++i) {
    DriveSpec& drive = spec.drives[i];
    const std::string name = i == 0 ? "drive." : "drive[" + std::to_string(i + 1) + "].";
    const bool vector = is_vector && drive.axis.isZero(0);
    fields.add_coordinate(name + "target", vector, drive.target, drive.target_rotation);
    fields.add_coordinate(name + "velocity", vector, drive.velocity, drive.angular_velocity);
    fields.add(name + "stiffness", {&drive.stiffness});
    fields.add(name + "damping", {&drive.damping});
    fields.add(name + "max-force", {&drive.max_force});
    fields.stays({name + "axis"});
  }
  fields.stays(
      {"type", "a", "b", "at", "at-a", "at-b", "axis", "axis2", "length", "zero", "comfort", "collide"});
}

void list(LiveKind, SpringValues& spring, Fields& fields) {
  fields.add("stiffness", {&spring.stiffness});
  fields.add("length", {&spring.length});
  fields.add_if(spring.damped, "damping", spring.damping, kNotDamped);
  fields.stays({"a", "b", "at-a", "at-b"});
}

void list(LiveKind kind, AppliedValues& applied, Fields& fields) {
  fields.add("value", applied.value);
  fields.stays({"body", "frame", "from", "to"});
  if (kind == LiveKind::force) fields.stays({"at"});
}

void list(LiveKind, AttractionValues& attraction, Fields& fields) {
  fields.add("constant", {&attraction.constant});
  fields.stays({"a", "b", "law"});
}

void list(LiveKind, DragValues& drag, Fields& fields) {
  fields.add("linear", {&drag.linear});
  fields.add("quadratic", {&drag.quadratic});
  fields.add("wind", drag.wind);
  fields.stays({"body"});
}

using Faults = std::vector<std::string>;

void require(bool good, const char* otherwise, Faults& faults) {
  if (!good) faults.emplace_back(otherwise);
}

bool is_amount(double x) { return x >= 0 && std::isfinite(x); }
bool is_fraction(double x) { return x >= 0 && x <= 1; }

void check(const WorldValues& world, Faults& faults) {
  require(world.gravity.allFinite() && world.gravity.cwiseAbs().maxCoeff() <= kMaxMagnitude,
          "gravity must be finite numbers, none too large to compute with", faults);
}

void check(const MaterialValues& material, Faults& faults) {
  require(is_amount(material.friction), "friction must not be negative", faults);
  require(is_fraction(material.restitution), "restitution must lie between 0 and 1", faults);
}

void check(const PairValues& pair, Faults& faults) {
  require(is_amount(pair.friction.value_or(0)), "friction must not be negative", faults);
  require(is_fraction(pair.restitution.value_or(0)), "restitution must lie between 0 and 1", faults);
  require(is_amount(pair.stiffness) && is_amount(pair.damping), "stiffness and damping must not be negative",
          faults);
  require(pair.stiffness > 0 || pair.damping == 0, "damping needs a stiffness: without one contact is rigid",
          faults);
}

void check(const BodyValues& body, Faults& faults) {
  const Push& push = body.push;
  require(push.force.allFinite() && push.torque.allFinite(), "force and torque must be finite numbers",
          faults);
  require(push.at.allFinite() && push.to.allFinite(), "the points of a pull must be finite numbers", faults);
  require(is_amount(push.stiffness) && is_amount(push.damping),
          "stiffness and damping of a pull must not be negative", faults);
}

void check(const JointValues&, Faults&) {}  // find_joint_faults() does it

void check(const SpringValues& spring, Faults& faults) {
  require(is_amount(spring.stiffness) && is_amount(spring.damping),
          "stiffness and damping must not be negative", faults);
  require(is_amount(spring.length), "length must not be negative", faults);
  require(spring.damped || spring.damping == 0, kNotDamped, faults);
}

void check(const AppliedValues& applied, Faults& faults) {
  require(applied.value.allFinite(), "value must be finite numbers", faults);
}

void check(const AttractionValues& attraction, Faults& faults) {
  require(std::isfinite(attraction.constant), "constant must be a finite number", faults);
}

void check(const DragValues& drag, Faults& faults) {
  require(is_amount(drag.linear) && is_amount(drag.quadratic), "linear and quadratic must not be negative",
          faults);
  require(drag.wind.allFinite(), "wind must be finite numbers", faults);
}

}  // namespace

const char* to_string(LiveKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::optional<LiveKind> find_live_kind(std::string_view name) {
  for (size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == name) return static_cast<LiveKind>(i);
  return std::nullopt;
}

std::vector<LiveField> fields_of(LiveKind kind, LiveValues& values) {
  Fields fields;
  std::visit([&](auto& of_kind) { list(kind, of_kind, fields); }, values);
  return fields.take();
}

std::vector<std::string> find_faults(const LiveValues& values) {
  Faults faults;
  std::visit([&](const auto& of_kind) { check(of_kind, faults); }, values);
  return faults;
}

}  // namespace tumble::model
