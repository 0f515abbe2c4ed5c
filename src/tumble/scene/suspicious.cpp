#include "tumble/scene/suspicious.h"

#include <algorithm>
#include <cmath>

#include "tumble/math/elementary.h"
#include "tumble/model/joints/joint_kind.h"
#include "tumble/scene/words.h"

namespace tumble::scene::detail {

namespace {

/// Lighter than any solid that is simulated by mistake: air at sea level has 1.2 kg/m3. Sane: 0.1 to 10.
constexpr double kLightest = 1;  // kg/m3
/// Bodies larger than this are rare; read as millimetres, parts of machines are. Sane: 20 to 1000.
constexpr double kLargest = 80;  // m across
/// A body is too large for its scene if another is smaller than this part of it. Sane: 1e-3 to 0.1.
constexpr double kSmallBeside = 0.01;

void warn(const Field& field, const std::string& message, core::Diagnostics& diagnostics) {
  diagnostics.push_back(core::warning_at(
      field.place, std::string(field.rule->name) + "=" + quote(field.text) + ": " + message));
}

// Warns of the first number, from word `first` on, that has no unit and is beyond a whole turn.
void warn_of_angle(const Field& field, size_t first, core::Diagnostics& diagnostics) {
  const std::vector<std::string_view> words = words_of(field.text);
  for (size_t i = first; i < words.size(); ++i) {
    const ParsedNumber number = parse_number(words[i], Dimension::angle);
    if (number.fault != NumberFault::none || !number.unit.empty() ||
        !(std::abs(number.value) > 2 * math::kPi))
      continue;
    return warn(field,
                std::string(words[i]) +
                    " has no unit: in radians it is more than a whole turn; did you mean " +
                    std::string(words[i]) + "deg? If not, write " + std::string(words[i]) + "rad",
                diagnostics);
  }
}

bool has_angle(const Element& joint, const Field& field) {
  if (field.rule->dimension == Dimension::angle) return true;
  if (field.rule->name != "limits" && field.rule->name != "comfort") return false;
  const Field* type = joint.find("type");
  if (type == nullptr) return false;
  const std::optional<model::JointType> known = model::find_joint_type(type->text);
  if (!known) return false;
  const model::JointKind& kind = model::kind_of(*known);
  return kind.coordinate == model::JointCoordinate::angle || kind.has_rotation_vector();
}

void warn_of_element(const Element& element, core::Diagnostics& diagnostics) {
  if (element.rule->name == "key") return;  // the angle of a key may exceed a turn
  for (const Field& field : element.fields) {
    if (!field.given) continue;
    if (field.rule->form == Form::axis_angle) warn_of_angle(field, 3, diagnostics);
    if (element.rule->name == "joint" && has_angle(element, field)) warn_of_angle(field, 0, diagnostics);
    if (field.rule->dimension == Dimension::density && field.numbers[0] < kLightest &&
        parse_number(field.text, Dimension::density).unit.empty())
      warn(field,
           "in kg/m3 this is lighter than air; did you mean " + field.text + "g/cm3? If not, write " +
               field.text + "kg/m3",
           diagnostics);
  }
  for (const Element& child : element.children) warn_of_element(child, diagnostics);
}

// Whether a body has a mesh at the scale of its file.
bool has_unscaled_mesh(const Reading& reading, const Element& body) {
  for (const Element& shape : body.children) {
    const Field* mesh = shape.find("mesh");
    for (const TopElement& top : reading.elements)
      if (mesh && top.element.rule->name == "mesh" && top.element.text("name") == mesh->text &&
          !top.element.find("scale")->given)
        return true;
  }
  return false;
}

}  // namespace

void warn_of_numbers(const Reading& reading, core::Diagnostics& diagnostics) {
  for (const TopElement& top : reading.elements) warn_of_element(top.element, diagnostics);
}

void warn_of_bodies(const Reading& reading, const model::Model& model, core::Diagnostics& diagnostics) {
  if (model.bodies().empty())
    diagnostics.push_back(
        core::warning_at({reading.file}, "the scene has no <body>: there is nothing to move"));
  // Grounds and floors are large on purpose, and they are fixed.
  const model::Body *largest = nullptr, *smallest = nullptr;
  for (const model::Body& body : model.bodies()) {
    if (body.is_fixed()) continue;
    if (!largest || body.radius > largest->radius) largest = &body;
    if (!smallest || body.radius < smallest->radius) smallest = &body;
  }
  if (!largest || !(2 * largest->radius > kLargest)) return;
  const Element* element = nullptr;
  for (const TopElement& top : reading.elements)
    if (top.element.rule->name == "body" && top.element.text("name") == largest->name) element = &top.element;
  const bool beside_small = smallest->radius < kSmallBeside * largest->radius,
             unscaled = element && has_unscaled_mesh(reading, *element);
  if (!beside_small && !unscaled) return;
  diagnostics.push_back(core::warning_at(
      largest->place,
      "body " + quote(largest->name) + " is " + core::brief_number(2 * largest->radius, 3) + " m across" +
          (beside_small ? ", and body " + quote(smallest->name) + " " +
                              core::brief_number(2 * smallest->radius, 3) + " m"
                        : "") +
          "; are these millimetres? " +
          (unscaled ? "A <mesh> in millimetres has scale=\"0.001\"" : "Then write the unit: 12mm")));
}

}  // namespace tumble::scene::detail
