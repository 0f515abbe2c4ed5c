// Elements checked against the table of schema.h: names, attributes, literal forms, bounds.
#pragma once

#include "tumble/math/quat.h"
#include "tumble/scene/schema.h"
#include "tumble/scene/xml.h"

namespace tumble::scene::detail {

/// An attribute that passed, or the default of one that was not given.
struct Field {
  const AttributeRule* rule;
  bool given;
  std::string text;             // names, paths and choices, without blanks around them
  std::vector<double> numbers;  // SI; a colour as its three parts 0..1
  core::Place place;
};

/// An element of the scene. Attributes that did not pass are missing from `fields`.
struct Element {
  const ElementRule* rule;
  core::Place place;
  std::vector<Field> fields;
  std::vector<Element> children;
  bool good = true;  // no fault was found in it or in its children

  const Field* find(std::string_view attribute) const;
  // For attributes of good elements that are required or have a default.
  const std::string& text(std::string_view attribute) const;
  double number(std::string_view attribute) const;
  math::Vec3 vec3(std::string_view attribute) const;
  bool flag(std::string_view attribute) const { return text(attribute) == "true"; }
};

/// How far to check: what the RELAX NG schema can say too, or everything the table says.
enum class Depth { structure, values };

/// Checks an element that has a rule, and all in it. Elements that do not belong are reported and left out.
Element check_element(const XmlElement& xml, const ElementRule& rule, Depth depth,
                      core::Diagnostics& diagnostics);

/// Reads the text of an attribute; empty when something was wrong with it.
std::optional<Field> check_attribute(const AttributeRule& rule, const std::string& text,
                                     const core::Place& place, Depth depth, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
