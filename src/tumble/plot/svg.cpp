#include "tumble/plot/svg.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tumble::plot {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the character of XML that text begins with; 0: it is none.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  unsigned long code = first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return 0;
    code = code << 6u | (byte(i) & 0x3Fu);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000, none = code == 0xFFFE || code == 0xFFFF;
  return too_long || surrogate || none || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string exact_text(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

std::string pixel_text(double x) {
  const long long hundredths = std::llround(x * 100);
  const long long magnitude = hundredths < 0 ? -hundredths : hundredths;
  std::string text = (hundredths < 0 ? "-" : "") + std::to_string(magnitude / 100);
  if (magnitude % 100 == 0) return text;
  text += '.';
  text += static_cast<char>('0' + magnitude / 10 % 10);
  if (magnitude % 10 != 0) text += static_cast<char>('0' + magnitude % 10);
  return text;
}

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = character_length(text);
    const char c = text[0];
    if (length == 0)
      out += kReplacement;
    else if (c == '&' || c == '<' || c == '>' || c == '"')
      out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
    else if (length == 1 && static_cast<unsigned char>(c) < 0x20)
      out += ' ';  // a line end
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(std::max<size_t>(1, character_length(text)));
  return count;
}

std::string shorten(const std::string& text, size_t characters) {
  const size_t count = count_characters(text);
  if (count <= characters) return text;
  if (characters < 3) return "…";
  const size_t head = (characters - 1) / 2, tail = characters - 1 - head;
  std::string out;
  std::string_view rest = text;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = std::max<size_t>(1, character_length(rest));
    if (i < head || i >= count - tail) out += rest.substr(0, length);
    if (i == head) out += "…";
    rest.remove_prefix(length);
  }
  return out;
}

void Svg::begin(std::string_view name, const std::string& attributes) {
  text_.append(2 * depth_, ' ');
  text_ += '<';
  text_ += name;
  text_ += attributes;
}

void Svg::open(std::string_view name, const std::string& attributes) {
  begin(name, attributes);
  text_ += ">\n";
  ++depth_;
}

void Svg::close(std::string_view name) {
  --depth_;
  text_.append(2 * depth_, ' ');
  text_ += "</" + std::string(name) + ">\n";
}

void Svg::element(std::string_view name, const std::string& attributes) {
  begin(name, attributes);
  text_ += "/>\n";
}

void Svg::element(std::string_view name, const std::string& attributes, std::string_view text) {
  begin(name, attributes);
  text_ += '>' + xml_text(text) + "</" + std::string(name) + ">\n";
}

std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + xml_text(value) + '"';
}

std::string pixel_attribute(std::string_view name, double value) {
  return attribute(name, pixel_text(value));
}

}  // namespace tumble::plot
