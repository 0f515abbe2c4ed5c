#include "tumble/scene/joints.h"

#include <algorithm>
#include <sstream>

#include "tumble/scene/joint_types.h"

namespace tumble::scene::detail {

namespace {

using math::Vec3;
using model::JointCoordinate;
using model::JointKind;

/// Reads the attributes of a joint, or of a drive in it, in the light of its type.
class TypedReader {
 public:
  TypedReader(const Element& element, const JointKind& kind, bool is_vector, core::Diagnostics& diagnostics)
      : element_(element), kind_(kind), is_vector_(is_vector), diagnostics_(diagnostics) {
    for (const Field& field : element.fields)
      if (field.given) check_units(field);
  }

  bool good() const { return good_; }

  /// The single number of a coordinate, or a rotation vector.
  void read(const char* attribute, double& number, Vec3& vector) {
    const Field* field = element_.find(attribute);
    if (field == nullptr) return;
    if (field->numbers.size() != (is_vector_ ? 3 : 1))
      return fail(*field, is_vector_
                              ? std::string("a ") + kind_.noun + " takes a rotation vector here, 3 numbers"
                              : "expected a single number: only a " +
                                    model::list_joint_types(&JointKind::has_rotation_vector) +
                                    " joint as a whole has a rotation vector");
    if (is_vector_)
      vector = element_.vec3(attribute);
    else
      number = field->numbers[0];
  }

  std::optional<model::Range> range(const char* attribute) const {
    const Field* field = element_.find(attribute);
    return field ? std::optional(model::Range{field->numbers[0], field->numbers[1]}) : std::nullopt;
  }

  std::optional<Vec3> vector(const char* attribute) const {
    return element_.find(attribute) ? std::optional(element_.vec3(attribute)) : std::nullopt;
  }

  void fail(const Field& field, const std::string& message) {
    good_ = false;
    diagnostics_.push_back(core::error_at(
        field.place, std::string(field.rule->name) + "=" + quote(field.text) + ": " + message));
  }

 private:
  // Units were read as those of an angle or of a length; the type says which of the two it is.
  void check_units(const Field& field) {
    const DimensionPair parts = parts_of(field.rule->dimension);
    if (parts.turning == parts.travelling || !kind_.has_coordinate()) return;
    const Dimension wanted = kind_.coordinate == JointCoordinate::travel ? parts.travelling : parts.turning;
    std::istringstream words(field.text);
    for (std::string word; words >> word;) {
      const ParsedNumber number = parse_number(word, wanted);
      if (number.fault != NumberFault::wrong_unit) continue;
      return fail(field, quote(number.unit) + " is no unit of " + std::string(dimension_name(wanted)) +
                             ", which a " + kind_.noun + " has here; expected one of " + unit_list(wanted));
    }
  }

  const Element& element_;
  const JointKind& kind_;
  bool is_vector_;
  core::Diagnostics& diagnostics_;
  bool good_ = true;
};

bool read_drive(const Element& element, const JointKind& kind, model::DriveSpec& drive,
                core::Diagnostics& diagnostics) {
  const bool is_vector = kind.has_rotation_vector() && !element.find("axis");
  TypedReader reader(element, kind, is_vector, diagnostics);
  reader.read("target", drive.target, drive.target_rotation);
  reader.read("velocity", drive.velocity, drive.angular_velocity);
  drive.stiffness = element.number("stiffness");
  drive.damping = element.number("damping");
  if (element.find("max-force")) drive.max_force = element.number("max-force");
  drive.axis = reader.vector("axis").value_or(Vec3::Zero());
  return reader.good();
}

void read_comfort(const Element& element, TypedReader& reader, model::JointSpec& spec) {
  const Field* comfort = element.find("comfort");
  if (comfort == nullptr) return;
  const std::vector<double>& n = comfort->numbers;
  if (n.size() > 1) spec.comfort = model::Range{n[0], n[1]};
  if (n.size() != 2) spec.comfort_swing = n.back();
  if (n.size() != 2 && spec.swing.empty())
    reader.fail(*comfort, "has " + std::to_string(n.size()) + " numbers; expected two, inside the limits");
}

}  // namespace

std::optional<model::JointSpec> read_joint(const Element& element, core::Diagnostics& diagnostics) {
  model::JointSpec spec;
  spec.name = element.text("name");
  spec.place = element.place;
  spec.type = model::find_joint_type(element.text("type")).value();
  const JointKind& kind = model::kind_of(spec.type);
  TypedReader reader(element, kind, kind.has_rotation_vector(), diagnostics);
  spec.at = reader.vector("at").value_or(Vec3::Zero());
  spec.at_a = reader.vector("at-a");
  spec.at_b = reader.vector("at-b");
  spec.axis = reader.vector("axis").value_or(Vec3::Zero());
  spec.axis2 = reader.vector("axis2").value_or(Vec3::Zero());
  reader.read("zero", spec.zero, spec.zero_rotation);
  reader.read("rest", spec.rest, spec.rest_rotation);
  if (element.find("length")) spec.length = element.number("length");
  spec.range = reader.range("range");
  spec.limits = reader.range("limits");
  spec.twist = reader.range("twist");
  if (const Field* swing = element.find("swing")) spec.swing = swing->numbers;
  spec.limits_x = reader.range("limits-x");
  spec.limits_y = reader.range("limits-y");
  spec.limits_z = reader.range("limits-z");
  read_comfort(element, reader, spec);
  spec.restitution = element.number("restitution");
  spec.stiffness = element.number("stiffness");
  spec.damping = element.number("damping");
  spec.collide = element.flag("collide");
  bool good = reader.good();
  for (const Element& child : element.children)
    good = read_drive(child, kind, spec.drives.emplace_back(), diagnostics) && good;
  return good ? std::optional(std::move(spec)) : std::nullopt;
}

bool read_script(const Element& element, model::JointSpec& spec, core::Diagnostics& diagnostics) {
  const JointKind& kind = model::kind_of(spec.type);
  const bool is_vector = kind.has_rotation_vector();
  bool good = true;
  if (!kind.has_coordinate()) {
    diagnostics.push_back(core::error_at(
        element.place,
        "a script moves a " + list_scripted_types() + " joint; " + quote(spec.name) + " is a " + kind.name));
    return false;
  }
  for (size_t i = 1; i < element.children.size(); ++i)
    if (!(element.children[i].number("t") > element.children[i - 1].number("t"))) {
      diagnostics.push_back(core::error_at(element.children[i].find("t")->place,
                                           "the times of keys must increase; the key before is at t = " +
                                               core::brief_number(element.children[i - 1].number("t")) +
                                               " s"));
      good = false;
    }
  for (const Element& child : element.children) {
    TypedReader reader(child, kind, is_vector, diagnostics);
    model::CurveKey key{.t = child.number("t")};
    double slope = 0;
    Vec3 vector = Vec3::Zero(), slopes = Vec3::Zero();
    reader.read("value", key.value, vector);
    reader.read("velocity", slope, slopes);
    const bool has_slope = child.find("velocity") != nullptr;
    if (has_slope) key.slope = slope;
    if (!is_vector) spec.script.push_back(key);
    for (int k = 0; is_vector && k < 3; ++k) {
      key.value = vector[k];
      if (has_slope) key.slope = slopes[k];
      spec.script_rotation[k].push_back(key);
    }
    good = reader.good() && good;
  }
  return good;
}

}  // namespace tumble::scene::detail
