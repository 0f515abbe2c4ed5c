// One line of a file of events: a JSON object whose values are texts, numbers or lists of numbers. Every
// value has its column, which general JSON readers do not provide.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tumble::scene::detail {

struct JsonValue {
  enum class Type { text, number, numbers };
  Type type = Type::number;
  std::string text = {};             // if it is a text
  std::vector<double> numbers = {};  // one number, or the numbers of the list
  size_t at = 0;                     // byte in the line
};

struct JsonMember {
  std::string name;
  size_t at = 0;  // byte in the line
  JsonValue value = {};
};

/// Reads the object strictly (RFC 8259). A name must not occur twice.
class JsonLine {
 public:
  explicit JsonLine(std::string_view line) : line_(line) {}

  /// Returns false on a fault; fault() is its message, fault_at() its byte in the line.
  bool read(std::vector<JsonMember>& members);
  const std::string& fault() const { return fault_; }
  size_t fault_at() const { return fault_at_; }

 private:
  bool fail(size_t at, std::string what);
  bool fail_here(const char* expected);
  void skip_blanks();
  bool take(char c);
  bool read_member(std::vector<JsonMember>& members);
  bool read_value(JsonValue& value);
  bool read_list(JsonValue& value);
  bool read_number(double& number);
  bool read_text(std::string& text);
  bool read_escape(std::string& text);
  bool read_code(unsigned& code);
  std::string seen() const;

  std::string_view line_;
  size_t at_ = 0;
  std::string fault_;
  size_t fault_at_ = 0;
};

}  // namespace tumble::scene::detail
