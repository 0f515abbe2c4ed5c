#include "tumble/scene/units.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tumble::scene {

namespace {

// Factors are exact by definition, or the double nearest to the exact value.
constexpr double kDegree = 0.017453292519943295;          // pi / 180
constexpr double kTurn = 6.283185307179586;               // 2 pi
constexpr double kTurnPerMinute = 0.10471975511965978;    // 2 pi / 60
constexpr double kKilometrePerHour = 0.2777777777777778;  // 1 / 3.6

constexpr Unit kLength[] = {{"m", 1},     {"km", 1000},   {"cm", 0.01},  {"mm", 0.001},
                            {"um", 1e-6}, {"in", 0.0254}, {"ft", 0.3048}};
constexpr Unit kMass[] = {{"kg", 1}, {"g", 0.001}, {"t", 1000}};
constexpr Unit kTime[] = {{"s", 1}, {"ms", 0.001}, {"min", 60}, {"h", 3600}};
constexpr Unit kFrequency[] = {{"Hz", 1}};
constexpr Unit kAngle[] = {{"rad", 1}, {"deg", kDegree}, {"rev", kTurn}, {"turn", kTurn}};
constexpr Unit kAngularVelocity[] = {
    {"rad/s", 1}, {"deg/s", kDegree}, {"rev/s", kTurn}, {"rpm", kTurnPerMinute}};
constexpr Unit kVelocity[] = {{"m/s", 1}, {"km/h", kKilometrePerHour}, {"cm/s", 0.01}, {"mm/s", 0.001}};
constexpr Unit kAcceleration[] = {{"m/s2", 1}, {"m/s^2", 1}};
constexpr Unit kDensity[] = {{"kg/m3", 1}, {"kg/m^3", 1}, {"g/cm3", 1000}, {"g/cm^3", 1000}};
constexpr Unit kForce[] = {{"N", 1}, {"kN", 1000}, {"mN", 0.001}};
constexpr Unit kTorque[] = {{"N*m", 1}, {"Nm", 1}, {"kN*m", 1000}, {"kNm", 1000}};
constexpr Unit kStiffness[] = {{"N/m", 1}, {"kN/m", 1000}, {"N/cm", 100}, {"N/mm", 1000}};
constexpr Unit kDamping[] = {{"N*s/m", 1}, {"Ns/m", 1}, {"kg/s", 1}};
constexpr Unit kQuadraticDamping[] = {{"N*s2/m2", 1}, {"N*s^2/m^2", 1}, {"kg/m", 1}};
constexpr Unit kMomentOfInertia[] = {{"kg*m2", 1}, {"kg*m^2", 1}, {"g*cm2", 1e-7}, {"g*cm^2", 1e-7}};
constexpr Unit kAttraction[] = {{"N*m2", 1}, {"N*m^2", 1}};
constexpr Unit kAngularStiffness[] = {
    {"N*m/rad", 1}, {"Nm/rad", 1}, {"N*m/deg", 1 / kDegree}, {"Nm/deg", 1 / kDegree}};
constexpr Unit kAngularDamping[] = {{"N*m*s/rad", 1}, {"Nms/rad", 1}};

template <size_t M, size_t N>
constexpr std::array<Unit, M + N> joined(const Unit (&first)[M], const Unit (&second)[N]) {
  std::array<Unit, M + N> units{};
  for (size_t i = 0; i < M; ++i) units[i] = first[i];
  for (size_t i = 0; i < N; ++i) units[M + i] = second[i];
  return units;
}
constexpr auto kAngleOrLength = joined(kAngle, kLength);
constexpr auto kAnyVelocity = joined(kAngularVelocity, kVelocity);
constexpr auto kTorqueOrForce = joined(kTorque, kForce);
constexpr auto kAnyStiffness = joined(kAngularStiffness, kStiffness);
constexpr auto kAnyDamping = joined(kAngularDamping, kDamping);

struct DimensionRow {
  std::string_view name;
  std::span<const Unit> units;
};

// Same order as the enumeration.
const std::array<DimensionRow, kDimensionCount> kDimensions = {{
    {"pure number", {}},
    {"length", kLength},
    {"mass", kMass},
    {"time", kTime},
    {"frequency", kFrequency},
    {"angle", kAngle},
    {"angular velocity", kAngularVelocity},
    {"velocity", kVelocity},
    {"acceleration", kAcceleration},
    {"density", kDensity},
    {"force", kForce},
    {"torque", kTorque},
    {"stiffness", kStiffness},
    {"damping", kDamping},
    {"quadratic damping", kQuadraticDamping},
    {"moment of inertia", kMomentOfInertia},
    {"attraction constant", kAttraction},
    {"angular stiffness", kAngularStiffness},
    {"angular damping", kAngularDamping},
    {"angle or length", kAngleOrLength},
    {"angular velocity or velocity", kAnyVelocity},
    {"torque or force", kTorqueOrForce},
    {"angular stiffness or stiffness", kAnyStiffness},
    {"angular damping or damping", kAnyDamping},
}};

const DimensionRow& row_of(Dimension dimension) { return kDimensions[static_cast<size_t>(dimension)]; }

bool starts_like_a_number(std::string_view digits) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty()) return false;
  if (digits[0] == '.') return digits.size() > 1 && is_digit(digits[1]);
  return is_digit(digits[0]);
}

bool names_no_finite_number(std::string_view word) {
  std::string lower;
  for (const char c : word.substr(0, 8)) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

}  // namespace

std::span<const Unit> units_of(Dimension dimension) { return row_of(dimension).units; }

std::string_view dimension_name(Dimension dimension) { return row_of(dimension).name; }

DimensionPair parts_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::angle_or_length:
      return {Dimension::angle, Dimension::length};
    case Dimension::angular_velocity_or_velocity:
      return {Dimension::angular_velocity, Dimension::velocity};
    case Dimension::torque_or_force:
      return {Dimension::torque, Dimension::force};
    case Dimension::angular_stiffness_or_stiffness:
      return {Dimension::angular_stiffness, Dimension::stiffness};
    case Dimension::angular_damping_or_damping:
      return {Dimension::angular_damping, Dimension::damping};
    default:
      return {dimension, dimension};
  }
}

std::string unit_list(Dimension dimension) {
  std::string list;
  for (const Unit& unit : units_of(dimension)) list.append(list.empty() ? "" : ", ").append(unit.name);
  return list;
}

ParsedNumber parse_number(std::string_view text, Dimension dimension) {
  ParsedNumber number;
  const bool has_sign = !text.empty() && (text[0] == '+' || text[0] == '-');
  const std::string_view digits = text.substr(has_sign ? 1 : 0);
  if (!starts_like_a_number(digits)) {
    number.fault = names_no_finite_number(digits) ? NumberFault::not_finite : NumberFault::not_a_number;
    return number;
  }
  const char* const end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, number.value);
  number.unit = std::string_view(result.ptr, static_cast<size_t>(end - result.ptr));
  if (has_sign && text[0] == '-') number.value = -number.value;

  double factor = 1;
  if (!number.unit.empty()) {
    const Unit* known = nullptr;
    for (const Unit& unit : units_of(dimension))
      if (unit.name == number.unit) known = &unit;
    if (known == nullptr) {
      number.fault = NumberFault::wrong_unit;
      return number;
    }
    factor = known->factor;
  }
  number.value *= factor;
  if (result.ec == std::errc::result_out_of_range || !std::isfinite(number.value))
    number.fault = NumberFault::out_of_range;
  return number;
}

}  // namespace tumble::scene
