#include "tumble/record/number_format.h"

#include <charconv>
#include <cmath>

namespace tumble::record {

namespace {
constexpr int kDigits = 17;            // enough to distinguish all doubles
constexpr double kSmallInteger = 1e9;  // largest magnitude for the fast path
}  // namespace

void append_number(std::string& text, double x) {
  char digits[32];
  // Integers are common (fixed bodies, unit quaternions, zero velocities) and much faster to convert.
  if (std::abs(x) < kSmallInteger && x == std::trunc(x) && !(x == 0 && std::signbit(x))) {
    const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<long>(x)).ptr;
    text.append(digits, end);
    return;
  }
  const auto end = std::to_chars(digits, digits + sizeof digits, x, std::chars_format::general, kDigits).ptr;
  text.append(digits, end);
}

std::string format_number(double x) {
  std::string text;
  append_number(text, x);
  return text;
}

}  // namespace tumble::record
