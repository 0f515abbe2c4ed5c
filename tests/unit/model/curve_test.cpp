#include <doctest/doctest.h>

#include <cmath>

#include "support/tolerance.h"
#include "tumble/core/require.h"
#include "tumble/model/curve.h"

using namespace tumble;
using namespace tumble::model;

namespace {

// Rounding error of a few dozen operations on numbers near 1.
const double kCurveRounding = support::round_off(64);

const std::vector<CurveKey> kWaveKeys = {{0, 1}, {0.5, -1}, {2, 0.3}, {2.25, 0.4}, {4, 0}};

}  // namespace

TEST_CASE("a curve goes through its keys and is continuous to the second derivative") {
  const Curve curve(kWaveKeys);
  for (size_t i = 0; i + 1 < kWaveKeys.size(); ++i) {
    CHECK(curve.at(kWaveKeys[i].t).value == doctest::Approx(kWaveKeys[i].value).epsilon(kCurveRounding));
    if (i == 0) continue;
    // The third derivative is below 200 everywhere here. Over d the second derivative changes by less than
    // 200 d.
    const double d = 1e-9;
    const math::Taylor left = curve.at(kWaveKeys[i].t - d), right = curve.at(kWaveKeys[i].t);
    CHECK(std::abs(left.first - right.first) < 200 * d);
    CHECK(std::abs(left.second - right.second) < 200 * d);
  }
}

TEST_CASE("a curve's derivatives are those of its value") {
  const Curve curve(kWaveKeys);
  // For a cubic, the central difference of the second derivative is exact. The error of the first derivative
  // is h^2/6 times the third derivative.
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

TEST_CASE("a curve is constant before its first and after its last key") {
  const Curve curve(kWaveKeys);
  for (const double t : {-1.0, -1e-9}) CHECK((curve.at(t).value == 1 && curve.at(t).first == 0));
  for (const double t : {4.0, 9.0}) CHECK((curve.at(t).value == 0 && curve.at(t).first == 0));
  CHECK(curve.switch_times() == std::vector<double>{0, 0.5, 2, 2.25, 4});
  CHECK(Curve({{1, 5}}).at(1).value == 5);
}

TEST_CASE("each kind of invalid keys has its own error message") {
  CHECK(find_key_fault(kWaveKeys).empty());
  CHECK(find_key_fault({}).find("at least one key") != std::string::npos);
  CHECK(find_key_fault({{0, 1}, {0, 2}}).find("must increase") != std::string::npos);
  CHECK(find_key_fault({{0, std::nan("")}}).find("finite") != std::string::npos);
  CHECK_THROWS_AS(Curve({{1, 0}, {0, 0}}), core::LogicError);
}

TEST_CASE(
    "between equal keys a curve is constant, and it is continuous to the second derivative everywhere") {
  const std::vector<CurveKey> keys = {{0, 0}, {0.85, 0}, {1.05, 1}, {1.3, 0.5}, {2, 0.5}, {3, 2}};
  const Curve curve(keys);
  for (double t = 0; t < 0.85; t += 0.01) CHECK(curve.at(t).value == 0);
  for (double t = 1.3; t < 2; t += 0.01) CHECK(curve.at(t).value == 0.5);
  // The third derivative of a quintic that rises by 1 in 0.2 s is below 60/0.2^3 = 7500.
  const double d = 1e-9;
  for (size_t i = 1; i + 1 < keys.size(); ++i) {
    const math::Taylor left = curve.at(keys[i].t - d), right = curve.at(keys[i].t);
    CHECK(std::abs(left.value - keys[i].value) < 10 * d);
    CHECK(right.value == doctest::Approx(keys[i].value).epsilon(kCurveRounding));
    CHECK(std::abs(left.first - right.first) < 7500 * d);
    CHECK(std::abs(left.second - right.second) < 1e5 * d);
  }
}

TEST_CASE("from rest to rest a curve is the quintic 10 x^3 - 15 x^4 + 6 x^5") {
  const Curve curve({{0, 1}, {1, 1}, {3, 5}, {4, 5}});
  for (double x = 0; x < 1; x += 0.06)
    CHECK(curve.at(1 + 2 * x).value ==
          doctest::Approx(1 + 4 * x * x * x * (10 + x * (6 * x - 15))).epsilon(kCurveRounding));
}

TEST_CASE("a linear piece is straight, and a smooth piece next to it has its slope at their key") {
  const Curve curve({{0, 0, {}, Interpolation::linear}, {1, 2}, {2, 3}, {4, 3}});
  for (double t = 0; t < 1; t += 0.1) {
    CHECK(curve.at(t).value == doctest::Approx(2 * t).epsilon(kCurveRounding));
    CHECK(curve.at(t).second == 0);
  }
  CHECK(curve.at(1).first == doctest::Approx(2).epsilon(kCurveRounding));
  CHECK(std::abs(curve.at(1).second) < 100 * kCurveRounding);
  CHECK(std::abs(curve.at(2 - 1e-9).first) < 1e-6);  // comes to rest
}

TEST_CASE("a curve with hold interpolation is constant until the next key") {
  const Curve curve({{0, 3, {}, Interpolation::hold}, {1, 5}, {2, 7}});
  CHECK(curve.at(0.999).value == 3);
  CHECK(curve.at(0.999).first == 0);
  CHECK(curve.at(1).value == 5);
  CHECK(find_jump({{0, 3, {}, Interpolation::hold}, {1, 5}}) == 1);
  CHECK_FALSE(find_jump({{0, 3, {}, Interpolation::hold}, {1, 3}}));
}

TEST_CASE("coordinates are constant between equal keys only if all of them have equal keys") {
  const std::vector<Curve> curves = make_curves({{{0, 0}, {1, 1}, {2, 1}}, {{0, 0}, {1, 0}, {2, 1}}});
  CHECK(curves[0].at(1.5).value != 1);  // x is not constant, because y moves
  const std::vector<Curve> still = make_curves({{{0, 0}, {1, 1}, {2, 1}}, {{0, 0}, {1, 1}, {2, 1}}});
  CHECK(still[0].at(1.5).value == 1);
}
