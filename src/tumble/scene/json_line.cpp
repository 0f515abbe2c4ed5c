#include "tumble/scene/json_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tumble/scene/xml.h"

namespace tumble::scene::detail {

namespace {

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& text, unsigned code) {
  const auto byte = [&](unsigned value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace

bool JsonLine::fail(size_t at, std::string what) {
  fault_ = std::move(what);
  fault_at_ = at;
  return false;
}

// The next word or character, for messages.
std::string JsonLine::seen() const {
  if (at_ >= line_.size()) return "the line ends";
  size_t end = at_;
  while (end < line_.size() && std::isalnum(static_cast<unsigned char>(line_[end]))) ++end;
  if (end == at_) {
    ++end;
    while (end < line_.size() && (static_cast<unsigned char>(line_[end]) & 0xc0) == 0x80) ++end;
  }
  return "unexpected " + quote(line_.substr(at_, end - at_));
}

bool JsonLine::fail_here(const char* expected) {
  return fail(at_, "this is not JSON: " + seen() + "; expected " + expected);
}

void JsonLine::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
}

bool JsonLine::take(char c) {
  if (at_ >= line_.size() || line_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonLine::read(std::vector<JsonMember>& members) {
  members.clear();
  skip_blanks();
  if (!take('{'))
    return fail_here("an event in braces, {\"t\": 1.5, \"set\": \"ice.friction\", \"value\": \"0.02\"}");
  skip_blanks();
  if (!take('}')) {
    do
      if (!read_member(members)) return false;
    while (take(','));
    if (!take('}')) return fail_here("a comma or }");
  }
  skip_blanks();
  return at_ == line_.size() || fail_here("the end of the line: one event per line");
}

bool JsonLine::read_member(std::vector<JsonMember>& members) {
  skip_blanks();
  JsonMember member;
  member.at = at_;
  if (at_ >= line_.size() || line_[at_] != '"') return fail_here("a name in double quotes");
  if (!read_text(member.name)) return false;
  skip_blanks();
  if (!take(':')) return fail_here("a colon");
  skip_blanks();
  if (!read_value(member.value)) return false;
  skip_blanks();
  for (const JsonMember& other : members)
    if (other.name == member.name) return fail(member.at, quote(member.name) + " is given twice; keep one");
  members.push_back(std::move(member));
  return true;
}

bool JsonLine::read_value(JsonValue& value) {
  value.at = at_;
  const char c = at_ < line_.size() ? line_[at_] : ' ';
  if (c == '"') {
    value.type = JsonValue::Type::text;
    return read_text(value.text);
  }
  if (c == '[') return read_list(value);
  if (c == '-' || is_json_digit(c)) {
    value.type = JsonValue::Type::number;
    return read_number(value.numbers.emplace_back());
  }
  for (const std::string_view other : {"{", "true", "false", "null"})
    if (line_.substr(at_).starts_with(other))
      return fail(at_,
                  quote(other) + " is no value here; expected a number, a list of numbers in [], or a text");
  return fail_here("a number, a list of numbers in [], or a text in double quotes");
}

bool JsonLine::read_list(JsonValue& value) {
  value.type = JsonValue::Type::numbers;
  ++at_;
  skip_blanks();
  if (take(']')) return true;
  do {
    skip_blanks();
    if (at_ >= line_.size() || (line_[at_] != '-' && !is_json_digit(line_[at_])))
      return fail_here("a number: lists contain only numbers");
    if (!read_number(value.numbers.emplace_back())) return false;
    skip_blanks();
  } while (take(','));
  return take(']') || fail_here("a comma or ]");
}

bool JsonLine::read_number(double& number) {
  const size_t first = at_;
  const auto digits = [&] {
    const size_t begin = at_;
    while (at_ < line_.size() && is_json_digit(line_[at_])) ++at_;
    return at_ > begin;
  };
  take('-');
  const bool zero = at_ < line_.size() && line_[at_] == '0';
  if (!digits()) return fail_here("a digit");
  if (zero && line_.substr(first, at_ - first).find_first_not_of("-0") != std::string_view::npos)
    return fail(first, "this is not JSON: a number cannot begin with 0");
  if (zero && at_ - first > (line_[first] == '-' ? 2u : 1u))
    return fail(first, "this is not JSON: a number cannot begin with 00");
  if (take('.') && !digits()) return fail_here("a digit");
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digits()) return fail_here("a digit");
  }
  const auto [end, error] = std::from_chars(line_.data() + first, line_.data() + at_, number);
  if (error == std::errc::result_out_of_range || !std::isfinite(number))
    return fail(first, quote(line_.substr(first, at_ - first)) +
                           " is too large or too small; expected a magnitude from 1e-308 to 1e308");
  return end == line_.data() + at_ || fail(first, "this is not a number");
}

bool JsonLine::read_text(std::string& text) {
  const size_t first = at_++;
  for (;;) {
    const size_t end = std::min(line_.find_first_of("\"\\", at_), line_.size());
    for (size_t i = at_; i < end; ++i)
      if (static_cast<unsigned char>(line_[i]) < 0x20)
        return fail(i, "the text contains a control character; write it as \\u00NN");
    text.append(line_.substr(at_, end - at_));
    at_ = end;
    if (at_ == line_.size()) return fail(first, "the line ends inside this text; close it with \"");
    if (take('"')) return true;
    if (!read_escape(text)) return false;
  }
}

bool JsonLine::read_escape(std::string& text) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const size_t first = at_++;
  if (at_ < line_.size() && kLetters.find(line_[at_]) != std::string_view::npos) {
    text += kMeanings[kLetters.find(line_[at_++])];
    return true;
  }
  if (!take('u'))
    return fail(first, "unknown escape; known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uNNNN");
  unsigned code = 0, low = 0;
  if (!read_code(code)) return false;
  if (code >= 0xd800 && code < 0xdc00) {  // the first half of a surrogate pair
    if (!take('\\') || !take('u') || !read_code(low) || low < 0xdc00 || low > 0xdfff)
      return fail(first, "half a character: \\uD8NN needs \\uDCNN after it");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return fail(first, "half a character: \\uDCNN needs \\uD8NN before it");
  }
  append_utf8(text, code);
  return true;
}

bool JsonLine::read_code(unsigned& code) {
  const std::string_view digits = line_.substr(std::min(at_, line_.size()), 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4)
    return fail(at_, "expected four hexadecimal digits after \\u");
  at_ += 4;
  return true;
}

}  // namespace tumble::scene::detail
