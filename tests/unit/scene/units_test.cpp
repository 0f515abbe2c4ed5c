#include <doctest/doctest.h>

#include <locale>

#include "tumble/math/elementary.h"
#include "tumble/scene/units.h"

using namespace tumble::scene;

namespace {

double si(std::string_view text, Dimension dimension) {
  const ParsedNumber number = parse_number(text, dimension);
  CHECK_MESSAGE(number.fault == NumberFault::none, std::string(text));
  return number.value;
}

}  // namespace

// exact: a conversion is one multiplication by the documented factor.
TEST_CASE("the units of the interface are converted by one multiplication") {
  CHECK(si("45deg", Dimension::angle) == 45 * 0.017453292519943295);
  CHECK(si("20rev/s", Dimension::angular_velocity) == 20 * 6.283185307179586);
  CHECK(si("300rpm", Dimension::angular_velocity) == 300 * 0.10471975511965978);
  CHECK(si("90deg/s", Dimension::angular_velocity) == 90 * 0.017453292519943295);
  CHECK(si("12cm", Dimension::length) == 12 * 0.01);
  CHECK(si("5mm", Dimension::length) == 5 * 0.001);
  CHECK(si("80g", Dimension::mass) == 80 * 0.001);
  CHECK(si("1ft", Dimension::length) == 0.3048);
  CHECK(si("2in", Dimension::length) == 2 * 0.0254);
  CHECK(si("3t", Dimension::mass) == 3000);
  CHECK(si("2h", Dimension::time) == 7200);
  CHECK(si("1turn", Dimension::angle) == 6.283185307179586);
  CHECK(si("36km/h", Dimension::velocity) == 36 * 0.2777777777777778);
  CHECK(si("9.81m/s^2", Dimension::acceleration) == 9.81);
  CHECK(si("7.8g/cm3", Dimension::density) == 7.8 * 1000);
  CHECK(si("2kN", Dimension::force) == 2000);
  CHECK(si("3Nm", Dimension::torque) == 3);
  CHECK(si("3N*m", Dimension::torque) == 3);
  CHECK(si("1.5N/m", Dimension::stiffness) == 1.5);
}

TEST_CASE("angles close: 360 degrees, one turn and 2 pi agree to round-off") {
  constexpr double eps = 2.220446049250313e-16;
  const double turn = 2 * tumble::math::kPi;
  CHECK(std::abs(si("360deg", Dimension::angle) - turn) <= 2 * eps * turn);
  CHECK(std::abs(si("60rpm", Dimension::angular_velocity) - turn) <= 2 * eps * turn);
  CHECK(si("1rev", Dimension::angle) == turn);
}

TEST_CASE("a number without unit is SI, and the SI unit changes nothing") {
  for (int i = 1; i < kDimensionCount; ++i) {
    const auto dimension = static_cast<Dimension>(i);
    REQUIRE(!units_of(dimension).empty());
    CHECK(units_of(dimension).front().factor == 1);
    const std::string unit(units_of(dimension).front().name);
    CHECK(si("0.1", dimension) == 0.1);
    CHECK(si("0.1" + unit, dimension) == 0.1);
  }
}

TEST_CASE("every way to write a number is read, every way not to is refused") {
  for (const char* text : {"1", "+1", "1.", "1.0", "1e0", "10e-1", ".1E+1", "01"})
    CHECK(si(text, Dimension::none) == 1);
  CHECK(std::signbit(si("-0", Dimension::none)));
  for (const char* text : {"", "+", "-", ".", "e5", "--1", "+-1", "abc", "#1", "-.", ".e1"})
    CHECK_MESSAGE(parse_number(text, Dimension::length).fault == NumberFault::not_a_number,
                  std::string(text));
  for (const char* text : {"nan", "NaN", "inf", "-inf", "+Infinity", "INF"})
    CHECK_MESSAGE(parse_number(text, Dimension::length).fault == NumberFault::not_finite, std::string(text));
  for (const char* text : {"1e999", "-1e999", "1e-999", "1e308km"})
    CHECK_MESSAGE(parse_number(text, Dimension::length).fault == NumberFault::out_of_range,
                  std::string(text));
  for (const char* text : {"1e", "1kg", "1M", "1mm2", "0x10", "1,5", "1m/s", "1µm"})
    CHECK_MESSAGE(parse_number(text, Dimension::length).fault == NumberFault::wrong_unit, std::string(text));
  CHECK(parse_number("1m", Dimension::none).fault == NumberFault::wrong_unit);
}

TEST_CASE("numbers are read the same in a locale with decimal commas") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  CHECK(si("1.5", Dimension::none) == 1.5);
  CHECK(parse_number("1,5", Dimension::none).fault == NumberFault::wrong_unit);
  std::locale::global(before);
}
