// Numbers with units. A number in a scene may have a unit of its dimension, written without a space: 45deg,
// 12cm. Its SI value is the number times the factor of the unit, with one rounding. units.cpp has the
// factors.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tumble::scene {

enum class Dimension {
  none,
  length,
  mass,
  time,
  frequency,
  angle,
  angular_velocity,
  velocity,
  acceleration,
  density,
  force,
  torque,
  stiffness,
  damping,
  quadratic_damping,
  moment_of_inertia,
  attraction,
  angular_stiffness,
  angular_damping,
  // Attributes of joints: the first dimension if the coordinate of the joint is an angle, the second if it is
  // a length.
  angle_or_length,
  angular_velocity_or_velocity,
  torque_or_force,
  angular_stiffness_or_stiffness,
  angular_damping_or_damping,
};
inline constexpr int kDimensionCount = static_cast<int>(Dimension::angular_damping_or_damping) + 1;

struct Unit {
  std::string_view name;
  double factor;  // its size in SI units
};

/// The units of a dimension. The first is the SI unit. Empty for pure numbers.
std::span<const Unit> units_of(Dimension dimension);
/// "length", "angular velocity", ...; "pure number" for Dimension::none.
std::string_view dimension_name(Dimension dimension);
/// The two parts of a dimension such as angle_or_length. For other dimensions both are the dimension itself.
struct DimensionPair {
  Dimension turning, travelling;
};
DimensionPair parts_of(Dimension dimension);
/// "m, km, cm", or "" for pure numbers.
std::string unit_list(Dimension dimension);

enum class NumberFault { none, not_a_number, not_finite, out_of_range, wrong_unit };

struct ParsedNumber {
  double value = 0;       // SI
  std::string_view unit;  // the text after the digits, also if it is unknown
  NumberFault fault = NumberFault::none;
};

/// Reads one number with its unit. The text must have no spaces. The locale has no effect.
ParsedNumber parse_number(std::string_view text, Dimension dimension);

}  // namespace tumble::scene
