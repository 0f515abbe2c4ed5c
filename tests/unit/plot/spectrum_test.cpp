#include "tumble/plot/spectrum.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

using namespace tumble;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr plot::Range kAll{-kInfinity, kInfinity};

template <typename F>
plot::Series sample(size_t count, double spacing, F&& f) {
  plot::Series series{.name = "a.x", .quantity = {"position", "m"}};
  std::vector<double> t;
  for (size_t i = 0; i < count; ++i) {
    t.push_back(static_cast<double>(i) * spacing);
    series.y.push_back(f(t.back()));
  }
  series.x = std::make_shared<const std::vector<double>>(t);
  return series;
}

double wave(double t, double frequency, double phase) {
  return std::sin(2 * math::kPi * frequency * t + phase);
}

}  // namespace

// Between two lines of the transform the parabola errs by less than a thousandth of 1 / T: the window is
// nearly a parabola in the logarithm, and there are 16 lines in 1 / T.
TEST_CASE("two lines have the frequency and the amplitude of their sines") {
  for (const double phase : {0.0, 0.7, 1.4, 2.1}) {
    const auto spectrum = plot::find_spectrum(
        sample(600, 1.0 / 60,
               [&](double t) { return 3 + 0.2 * wave(t, 1.234, phase) + 0.05 * wave(t, 4.321, 2 * phase); }),
        kAll);
    REQUIRE(spectrum);
    const std::vector<plot::Peak> peaks = plot::choose_peaks({*spectrum}, plot::Scale::linear);
    REQUIRE(peaks.size() == 2);
    CHECK(std::abs(peaks[0].frequency - 1.234) < 1e-3 / 10);
    CHECK(std::abs(peaks[1].frequency - 4.321) < 1e-3 / 10);
    CHECK(peaks[0].amplitude == doctest::Approx(0.2).epsilon(1e-3));
    CHECK(peaks[1].amplitude == doctest::Approx(0.05).epsilon(1e-3));
    CHECK(plot::find_reach({*spectrum}, peaks) > 4.321);
  }
}

TEST_CASE("uneven, missing and few values are refused") {
  plot::Series series = sample(100, 0.01, [](double t) { return t; });
  CHECK(plot::find_spectrum(series, kAll));
  CHECK_FALSE(plot::find_spectrum(series, {0, 0.1}));
  series.y[50] = std::nan("");
  CHECK_FALSE(plot::find_spectrum(series, kAll));
  std::vector<double> t = *series.x;
  t[50] += 1e-4;
  series = sample(100, 0.01, [](double x) { return x; });
  series.x = std::make_shared<const std::vector<double>>(t);
  CHECK_FALSE(plot::find_spectrum(series, kAll));
}

TEST_CASE("a constant has no peak, and a logarithmic axis no frequency 0") {
  const auto spectrum =
      plot::find_spectrum(sample(100, 0.01, [](double) { return 5.0; }), kAll, plot::Scale::log);
  REQUIRE(spectrum);
  CHECK(spectrum->series.x->front() > 0);
  for (const double y : spectrum->series.y) CHECK(std::abs(y) < 1e-14);
}
