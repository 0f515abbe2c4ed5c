// Diagnostics about input: file, line, column, what is wrong, what to do.
#pragma once

#include <string>
#include <vector>

namespace tumble::core {

/// A location in an input file. `line` and `column` count from 1; 0 means unknown. Binary files use `byte`.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  long long byte = -1;
};

enum class Severity { warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Place place;
  std::string message;  // one or two sentences: what is wrong, and what was expected or what to do
};

using Diagnostics = std::vector<Diagnostic>;

/// "FILE:LINE:COLUMN: message", "FILE: byte N: message", or "FILE: message". Warnings have "warning: " before
/// the message.
std::string to_string(const Diagnostic& diagnostic);

inline Diagnostic error_at(Place place, std::string message) {
  return {Severity::error, std::move(place), std::move(message)};
}
inline Diagnostic warning_at(Place place, std::string message) {
  return {Severity::warning, std::move(place), std::move(message)};
}

/// Formats a number for a message, with `digits` significant digits.
std::string brief_number(double value, int digits = 6);

bool has_errors(const Diagnostics& diagnostics);

/// What value() of an Expected without a value does: throws LogicError with the first error in its text.
[[noreturn]] void throw_no_value(const Diagnostics& diagnostics);

/// The known name nearest to `name` by edit distance, or "" if none is near enough to be a typing error.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace tumble::core
