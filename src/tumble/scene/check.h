// Checks elements against the table of schema.h: names, attributes, literal forms, bounds.
#pragma once

#include "tumble/math/quat.h"
#include "tumble/scene/schema.h"
#include "tumble/scene/xml.h"

namespace tumble::scene::detail {

/// A valid attribute, or the default of an attribute that was not given.
struct Field {
  const AttributeRule* rule;
  bool given;
  std::string text;             // names, paths and choices, without spaces around them
  std::vector<double> numbers;  // SI; a colour as its three parts 0..1
  core::Place place;
};

/// An element of the scene. `fields` has only valid attributes.
struct Element {
  const ElementRule* rule;
  core::Place place;
  std::vector<Field> fields;
  std::vector<Element> children;
  bool good = true;  // it and its children have no fault

  const Field* find(std::string_view attribute) const;
  // For attributes of good elements that are required or have a default.
  const std::string& text(std::string_view attribute) const;
  double number(std::string_view attribute) const;
  math::Vec3 vec3(std::string_view attribute) const;
  bool flag(std::string_view attribute) const { return text(attribute) == "true"; }
};

/// How much to check. structure: the same rules as the RELAX NG schema; values: all rules of the table.
enum class Depth { structure, values };

/// Checks an element and its children. Reports misplaced children and leaves them out.
Element check_element(const XmlElement& xml, const ElementRule& rule, Depth depth,
                      core::Diagnostics& diagnostics);

/// Reads the text of an attribute. Empty if the text has a fault.
std::optional<Field> check_attribute(const AttributeRule& rule, const std::string& text,
                                     const core::Place& place, Depth depth, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
