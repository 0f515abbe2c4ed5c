#include "tumble/plot/curve.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace tumble;
using plot::Scale;

namespace {

plot::Series series_of(std::vector<double> x, std::vector<double> y) {
  plot::Series series{.name = "a"};
  series.x = std::make_shared<const std::vector<double>>(std::move(x));
  series.y = std::move(y);
  return series;
}

}  // namespace

TEST_CASE("a long column keeps its ends and its extremes") {
  constexpr size_t kRows = 100000;
  std::vector<double> x, y;
  for (size_t i = 0; i < kRows; ++i) {
    x.push_back(static_cast<double>(i));
    y.push_back(std::sin(0.01 * static_cast<double>(i)));
  }
  y[54321] = 7, y[54322] = -8;
  const plot::Curve curve = plot::find_curve(series_of(x, y), {{0, kRows - 1}, Scale::linear, 0, 500},
                                             {{-10, 10}, Scale::linear, 100, 0});
  REQUIRE(curve.lines.size() == 1);
  const std::vector<size_t>& rows = curve.lines[0];
  CHECK(rows.size() <= 4 * 501);
  CHECK(std::is_sorted(rows.begin(), rows.end()));
  for (const size_t row : {size_t{0}, size_t{54321}, size_t{54322}, kRows - 1})
    CHECK(std::find(rows.begin(), rows.end(), row) != rows.end());
}

TEST_CASE("a path keeps its extremes and every turn that can be seen") {
  std::vector<double> x, y;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(std::cos(1e-3 * i));
    y.push_back(std::sin(1e-3 * i));
  }
  const plot::Axis ax{{-1, 1}, Scale::linear, 0, 400}, ay{{-1, 1}, Scale::linear, 400, 0};
  const plot::Curve curve = plot::find_curve(series_of(x, y), ax, ay);
  REQUIRE(curve.lines.size() == 1);
  CHECK(curve.size() < 15000);
  for (size_t k = 1; k < curve.lines[0].size(); ++k) {
    const size_t a = curve.lines[0][k - 1], b = curve.lines[0][k];
    CHECK(std::hypot(ax.pixel(x[a]) - ax.pixel(x[b]), ay.pixel(y[a]) - ay.pixel(y[b])) < 1);
  }
}

TEST_CASE("missing values break a line, and so do those that a logarithmic axis cannot show") {
  const plot::Series series = series_of({0, 1, 2, 3, 4, 5}, {1, 2, std::nan(""), 3, 0, 5});
  const plot::Axis x{{0, 5}, Scale::linear, 0, 100};
  const plot::Curve linear = plot::find_curve(series, x, {{0, 5}, Scale::linear, 100, 0});
  CHECK(linear.lines == std::vector<std::vector<size_t>>{{0, 1}, {3, 4, 5}});
  CHECK(linear.left_out == 0);
  const plot::Curve log = plot::find_curve(series, x, {{1, 5}, Scale::log, 100, 0});
  CHECK(log.lines == std::vector<std::vector<size_t>>{{0, 1}, {3}, {5}});
  CHECK(log.left_out == 1);
}
