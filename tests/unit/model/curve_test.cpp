#include <doctest/doctest.h>

#include <cmath>

#include "support/tolerance.h"
#include "tumble/core/require.h"
#include "tumble/model/curve.h"

using namespace tumble;
using namespace tumble::model;

namespace {

// Of a few dozen operations on numbers near one.
const double kCurveRounding = support::round_off(64);

const std::vector<CurveKey> kWaveKeys = {{0, 1}, {0.5, -1}, {2, 0.3}, {2.25, 0.4}, {4, 0}};

}  // namespace

TEST_CASE("a curve goes through its keys and is continuous to the second derivative") {
  const Curve curve(kWaveKeys);
  for (size_t i = 0; i + 1 < kWaveKeys.size(); ++i) {
    CHECK(curve.at(kWaveKeys[i].t).value == doctest::Approx(kWaveKeys[i].value).epsilon(kCurveRounding));
    if (i == 0) continue;
    // The third derivative is below 200 everywhere here, so that d leaves at most 200 d.
    const double d = 1e-9;
    const math::Taylor left = curve.at(kWaveKeys[i].t - d), right = curve.at(kWaveKeys[i].t);
    CHECK(std::abs(left.first - right.first) < 200 * d);
    CHECK(std::abs(left.second - right.second) < 200 * d);
  }
}

TEST_CASE("a curve's derivatives are those of its value") {
  const Curve curve(kWaveKeys);
  // Central differences are exact for the second derivative of a cubic, and off by h^2/6 times the third for the first.
  const double h = 1e-3;
  for (const double t : {0.2, 0.7, 1.9, 2.1, 3.3}) {
    const double p = curve.at(t - h).value, q = curve.at(t).value, r = curve.at(t + h).value;
    CHECK(std::abs((r - p) / (2 * h) - curve.at(t).first) < 200 * h * h / 6);
    CHECK(std::abs((r - 2 * q + p) / (h * h) - curve.at(t).second) < 8 * 2.3e-16 / (h * h));
  }
}

TEST_CASE("a curve without slopes at its ends has no acceleration there; with them it has those slopes") {
  const double just = 1e-12;
  CHECK(std::abs(Curve(kWaveKeys).at(0).second) < 1e3 * kCurveRounding);
  CHECK(std::abs(Curve(kWaveKeys).at(4 - just).second) < 200 * just + 1e3 * kCurveRounding);
  const Curve clamped({{0, 0, 2.0}, {1, 1}, {3, 0, -1.0}});
  CHECK(clamped.at(0).first == doctest::Approx(2).epsilon(kCurveRounding));
  CHECK(clamped.at(3 - just).first == doctest::Approx(-1).epsilon(100 * just));
}

TEST_CASE("a cubic is reproduced from its keys and end slopes") {
  const auto y = [](double t) { return 2 - t + 3 * t * t - 0.5 * t * t * t; };
  const auto slope = [](double t) { return -1 + 6 * t - 1.5 * t * t; };
  const Curve curve({{-1, y(-1), slope(-1)}, {0.5, y(0.5)}, {1, y(1)}, {3, y(3), slope(3)}});
  for (double t = -1; t < 3; t += 0.17) {
    CHECK(curve.at(t).value == doctest::Approx(y(t)).epsilon(10 * kCurveRounding));
    CHECK(curve.at(t).second == doctest::Approx(6 - 3 * t).epsilon(100 * kCurveRounding));
  }
}

TEST_CASE("a curve stands still before its first and after its last key") {
  const Curve curve(kWaveKeys);
  for (const double t : {-1.0, -1e-9}) CHECK((curve.at(t).value == 1 && curve.at(t).first == 0));
  for (const double t : {4.0, 9.0}) CHECK((curve.at(t).value == 0 && curve.at(t).first == 0));
  CHECK(curve.switch_times() == std::vector<double>{0, 0.5, 2, 2.25, 4});
  CHECK(Curve({{1, 5}}).at(1).value == 5);
}

TEST_CASE("keys that make no curve are told apart") {
  CHECK(find_key_fault(kWaveKeys).empty());
  CHECK(find_key_fault({}).find("at least one key") != std::string::npos);
  CHECK(find_key_fault({{0, 1}, {0, 2}}).find("must increase") != std::string::npos);
  CHECK(find_key_fault({{0, std::nan("")}}).find("finite") != std::string::npos);
  CHECK_THROWS_AS(Curve({{1, 0}, {0, 0}}), core::LogicError);
}
