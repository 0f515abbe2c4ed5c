// Command lines. A flag is declared once; the parser, the help text and the hints use the declaration.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tumble::app {

/// Wrong use of the program. The message is printed with a hint to --help; the exit code is 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Flag {
  std::string name;   // "--fps"
  std::string value;  // what to type, "N"; empty: the flag takes no value
  std::string help;
};

struct Verb {
  std::string name;
  std::string operands;  // "SCENE"
  std::string summary;   // one line
  std::vector<Flag> flags;
  int (*call)(const class Arguments&);
};

class Arguments {
 public:
  /// Throws UsageError.
  Arguments(const Verb& verb, const std::vector<std::string>& words);

  const std::vector<std::string>& operands() const { return operands_; }
  bool has(const std::string& flag) const { return values_.count(flag) > 0; }
  /// A flag without value: true for FLAG, false for FLAG=false, empty if it was not given.
  std::optional<bool> is_on(const std::string& flag) const;
  std::optional<std::string> text(const std::string& flag) const;
  std::vector<std::string> all(const std::string& flag) const;
  /// The value as a number, a number above 0, or a whole number. Throw UsageError for other values.
  std::optional<double> number(const std::string& flag) const;
  std::optional<double> positive(const std::string& flag) const;
  std::optional<size_t> count(const std::string& flag) const;
  /// Throws UsageError unless the value is one of `choices`.
  std::optional<std::string> choice(const std::string& flag, const std::vector<std::string>& choices) const;
  /// Throws UsageError unless there are `least` to `most` operands.
  void require_operands(size_t least, size_t most) const;

 private:
  const Verb* verb_;
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>> values_;
};

std::string help_text(const Verb& verb);

}  // namespace tumble::app
