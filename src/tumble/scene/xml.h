// XML as a tree that knows where everything stood. UTF-8 only; no DTD, hence no entities beyond the five.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/core/diagnostic.h"

namespace tumble::scene::detail {

/// What XML takes for blank.
inline constexpr std::string_view kBlanks = " \t\r\n";

struct XmlAttribute {
  std::string name;
  std::string text;
  core::Place place;  // of its name
};

struct XmlElement {
  std::string name;
  core::Place place;  // of its <
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  bool complete = true;  // false: the file breaks off inside it
};

struct XmlDocument {
  std::optional<XmlElement> root;
  bool complete = false;  // false: the file breaks off at a fault, and root holds what stood before it
};

/// Text between elements is a fault too: no element of a scene holds any.
XmlDocument parse_xml(std::string_view bytes, const std::string& file, core::Diagnostics& diagnostics);

/// Text of a user made fit for a message: in double quotes, on one line, cut when long.
std::string quote(std::string_view text);
/// The same for the name of an element: <name>.
std::string tag(std::string_view name);
/// The same without anything around it.
std::string shorten(std::string_view text);

}  // namespace tumble::scene::detail
