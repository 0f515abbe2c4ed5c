// Writes SVG: text stays text, coordinates have two decimals, and the same drawing has the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace tumble::plot {

/// The shortest text that reads back as the same double.
std::string exact_text(double x);
/// A coordinate: two decimals at most.
std::string pixel_text(double x);
/// Text inside an element or an attribute. Bytes that are not UTF-8, and characters that XML does not allow,
/// become U+FFFD.
std::string xml_text(std::string_view text);
/// The number of characters of UTF-8 text.
size_t count_characters(std::string_view text);
/// The text, or its two ends with "…" between them.
std::string shorten(const std::string& text, size_t characters);

class Svg {
 public:
  /// <name attributes>. `attributes` are written as they are.
  void open(std::string_view name, const std::string& attributes = "");
  void close(std::string_view name);
  /// <name attributes/>
  void element(std::string_view name, const std::string& attributes);
  /// <name attributes>text</name>
  void element(std::string_view name, const std::string& attributes, std::string_view text);
  const std::string& text() const { return text_; }

 private:
  void begin(std::string_view name, const std::string& attributes);
  std::string text_;
  size_t depth_ = 0;
};

/// ` name="value"`, escaped.
std::string attribute(std::string_view name, std::string_view value);
/// ` name="value"` with pixel_text.
std::string pixel_attribute(std::string_view name, double value);

}  // namespace tumble::plot
