#include "tumble/plot/curve.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tumble/plot/parameters.h"

namespace tumble::plot {

namespace {

constexpr double kPixelsPerDot = 2;  // separate points nearer than half a pixel are one

// Rows of one line over increasing x.
std::vector<size_t> thin_graph(const std::vector<size_t>& rows, const Series& series, const Axis& x) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < rows.size();) {
    const double column = std::floor(x.pixel((*series.x)[rows[i]]));
    size_t end = i, low = i, high = i;
    for (; end < rows.size() && std::floor(x.pixel((*series.x)[rows[end]])) == column; ++end) {
      if (series.y[rows[end]] < series.y[rows[low]]) low = end;
      if (series.y[rows[end]] > series.y[rows[high]]) high = end;
    }
    const std::set<size_t> chosen = {i, low, high, end - 1};
    for (const size_t k : chosen) kept.push_back(rows[k]);
    i = end;
  }
  return kept;
}

// Rows of one line in the plane. Its ends and extremes stay.
std::vector<size_t> thin_path(const std::vector<size_t>& rows, const Series& series, const Axis& x,
                              const Axis& y) {
  const auto by_x = [&](size_t a, size_t b) { return (*series.x)[a] < (*series.x)[b]; };
  const auto by_y = [&](size_t a, size_t b) { return series.y[a] < series.y[b]; };
  const auto [left, right] = std::minmax_element(rows.begin(), rows.end(), by_x);
  const auto [low, high] = std::minmax_element(rows.begin(), rows.end(), by_y);
  const std::set<size_t> extremes = {*left, *right, *low, *high, rows.back()};
  const double apart = kParameters.moved_apart * std::abs(x.to - x.from);
  std::vector<size_t> kept;
  double at_x = -INFINITY, at_y = -INFINITY;
  for (const size_t row : rows) {
    const double px = x.pixel((*series.x)[row]), py = y.pixel(series.y[row]);
    if (std::hypot(px - at_x, py - at_y) < apart && extremes.count(row) == 0) continue;
    kept.push_back(row);
    at_x = px, at_y = py;
  }
  return kept;
}

std::vector<size_t> thin_points(const std::vector<size_t>& rows, const Series& series, const Axis& x,
                                const Axis& y) {
  std::set<std::pair<long, long>> seen;
  std::vector<size_t> kept;
  for (const size_t row : rows)
    if (seen.emplace(std::lround(x.pixel((*series.x)[row]) * kPixelsPerDot),
                     std::lround(y.pixel(series.y[row]) * kPixelsPerDot))
            .second)
      kept.push_back(row);
  return kept;
}

}  // namespace

size_t Curve::size() const {
  size_t count = 0;
  for (const std::vector<size_t>& line : lines) count += line.size();
  return count;
}

Curve find_curve(const Series& series, const Axis& x, const Axis& y) {
  Curve curve;
  std::vector<size_t> line;
  const auto end_line = [&] {
    if (!line.empty()) curve.lines.push_back(std::move(line));
    line.clear();
  };
  bool increasing = true;
  for (size_t i = 0; i < series.y.size(); ++i) {
    const double at = (*series.x)[i], value = series.y[i];
    if (i > 0 && !(at >= (*series.x)[i - 1])) increasing = false;
    const bool in_range = at >= x.range.lo && at <= x.range.hi;  // not NaN
    const bool below =
        (x.scale == Scale::log && at <= 0) || (y.scale == Scale::log && value <= 0 && in_range);
    if (below) ++curve.left_out;
    const bool inside = in_range && value >= y.range.lo && value <= y.range.hi;
    if (inside && !below)
      line.push_back(i);
    else
      end_line();
  }
  end_line();
  const double width = std::abs(x.to - x.from);
  const bool is_long = curve.size() > static_cast<size_t>(4 * std::max(1.0, width));
  if (!is_long) return curve;
  if (series.separate) {  // one list: nothing joins the points
    std::vector<size_t> rows;
    for (const std::vector<size_t>& part : curve.lines) rows.insert(rows.end(), part.begin(), part.end());
    curve.lines = {thin_points(rows, series, x, y)};
    return curve;
  }
  for (std::vector<size_t>& part : curve.lines)
    part = increasing ? thin_graph(part, series, x) : thin_path(part, series, x, y);
  return curve;
}

}  // namespace tumble::plot
