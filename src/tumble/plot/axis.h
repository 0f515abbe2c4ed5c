// Axes of a diagram: the range that is shown, and ticks at round numbers (1, 2, 5 and powers of ten).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tumble::plot {

enum class Scale { linear, log };

struct Range {
  double lo = 0, hi = 1;
};

struct Tick {
  double value = 0;
  std::string text;  // empty: a mark without text, between decades
};

struct Ticks {
  std::vector<Tick> ticks;
  int exponent = 0;    // texts are to be multiplied by this power of ten
  std::string offset;  // and this number is to be added; empty: none
};

/// The range with some room on both sides, `room_above` of its length above. A single value gets a range
/// around it.
Range with_room(Range range, Scale scale, double room_above);

/// Ticks inside the range, about `count` of them.
Ticks find_ticks(Range range, Scale scale, int count);

/// The title of an axis: "energy (J)", "joint error (10⁻⁹ m)", "energy − 12.5 J (10⁻⁶ J)".
std::string axis_title(const std::string& quantity, const std::string& unit, const Ticks& ticks);

/// Digits of an exponent as superscript.
std::string superscript(int exponent);

/// An axis with the pixels it goes through.
struct Axis {
  Range range;
  Scale scale = Scale::linear;
  double from = 0, to = 1;  // px of range.lo and range.hi
  /// The pixel of a value. On a logarithmic axis the value must be above 0.
  double pixel(double value) const;
};

}  // namespace tumble::plot
