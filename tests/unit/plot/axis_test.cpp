#include "tumble/plot/axis.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace tumble;
using plot::Scale;

namespace {

std::string texts(const plot::Ticks& ticks) {
  std::string all;
  for (const plot::Tick& tick : ticks.ticks)
    if (!tick.text.empty()) all += (all.empty() ? "" : " ") + tick.text;
  return all;
}

std::string ticks_of(double lo, double hi, int count, Scale scale = Scale::linear) {
  return texts(plot::find_ticks({lo, hi}, scale, count));
}

}  // namespace

TEST_CASE("ticks are multiples of 1, 2 or 5") {
  CHECK(ticks_of(0, 3, 6) == "0 0.5 1.0 1.5 2.0 2.5 3.0");
  CHECK(ticks_of(-0.38, 0.39, 3) == "−0.2 0 0.2");
  CHECK(ticks_of(0, 100, 10) == "0 10 20 30 40 50 60 70 80 90 100");
  CHECK(ticks_of(12345, 12355, 5) == "12346 12348 12350 12352 12354");
}

TEST_CASE("very large and small numbers have a common power of ten") {
  const plot::Ticks small = plot::find_ticks({0, 4.2e-9}, Scale::linear, 4);
  CHECK(texts(small) == "0 2 4");
  CHECK(plot::axis_title("joint error", "m", small) == "joint error (10⁻⁹ m)");
  const plot::Ticks large = plot::find_ticks({0, 3e7}, Scale::linear, 3);
  CHECK(texts(large) == "0 10 20 30");
  CHECK(plot::axis_title("force", "", large) == "force (10⁶)");
}

TEST_CASE("numbers with too many digits are differences from one of them") {
  const plot::Ticks ticks = plot::find_ticks({-7.1600000042, -7.1599999958}, Scale::linear, 4);
  CHECK(ticks.offset == "−7.160000000");
  CHECK(texts(ticks) == "−4 −2 0 2 4");
  CHECK(plot::axis_title("energy", "J", ticks) == "energy + 7.160000000 J (10⁻⁹ J)");
}

TEST_CASE("a logarithmic axis has decades, and 1 2 5 where it has few") {
  CHECK(ticks_of(0.5, 2e5, 10, Scale::log) == "1 10 100 1000 10000 100000");
  CHECK(ticks_of(1e-12, 1, 4, Scale::log) == "10⁻¹² 10⁻⁸ 10⁻⁴ 10⁰");
  CHECK(ticks_of(1.5, 30, 4, Scale::log) == "2 5 10 20");
}

TEST_CASE("no range makes too many ticks, none, or some outside") {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> exponent(-280, 280), mantissa(-1, 1), width(-11, 1);
  for (int i = 0; i < 20000; ++i) {
    const double middle = mantissa(generator) * std::pow(10, exponent(generator));
    const double half = std::abs(middle) * std::pow(10, width(generator));
    const plot::Range range{middle - half, middle + half};
    const plot::Ticks ticks = plot::find_ticks(range, Scale::linear, 5);
    CHECK(ticks.ticks.size() >= 3);
    CHECK(ticks.ticks.size() <= 13);
    const double slack = 1e-5 * half;
    CHECK(ticks.ticks.front().value >= range.lo - slack);
    CHECK(ticks.ticks.back().value <= range.hi + slack);
  }
}

TEST_CASE("a constant gets room around it") {
  for (const double value : {0.0, 5.0, -1e-20, 1e200}) {
    const plot::Range range = plot::with_room({value, value}, Scale::linear, 0.1);
    CHECK(range.lo < value);
    CHECK(range.hi > value);
  }
}

TEST_CASE("an axis maps its range to its pixels") {
  const plot::Axis linear{{-1, 3}, Scale::linear, 100, 500}, log{{0.1, 1000}, Scale::log, 400, 0};
  CHECK(linear.pixel(0) == doctest::Approx(200));
  CHECK(log.pixel(10) == doctest::Approx(200));
}
