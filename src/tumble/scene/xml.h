// XML as a tree in which everything has its place (line and column). Only UTF-8; no DTD, so only the five
// predefined entities.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/core/diagnostic.h"

namespace tumble::scene::detail {

/// The blanks of XML.
inline constexpr std::string_view kBlanks = " \t\r\n";

struct XmlAttribute {
  std::string name;
  std::string text;
  core::Place place;  // place of its name
};

struct XmlElement {
  std::string name;
  core::Place place;  // place of its <
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  bool complete = true;  // false: the file ends or has a fault inside it
};

struct XmlDocument {
  std::optional<XmlElement> root;
  bool complete = false;  // false: parsing stopped at a fault; root has the elements before it
};

/// Text between elements is a fault, too.
XmlDocument parse_xml(std::string_view bytes, const std::string& file, core::Diagnostics& diagnostics);

/// Text of the user for a message: in double quotes, on one line, cut to kMaxQuotedText.
std::string quote(std::string_view text);
/// The same for the name of an element: <name>.
std::string tag(std::string_view name);
/// The same without quotes.
std::string shorten(std::string_view text);

}  // namespace tumble::scene::detail
