#include "tumble/scene/joints.h"

#include "tumble/scene/typed_reader.h"

namespace tumble::scene::detail {

namespace {

using math::Vec3;
using model::JointCoordinate;
using model::JointKind;

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

}  // namespace tumble::scene::detail
