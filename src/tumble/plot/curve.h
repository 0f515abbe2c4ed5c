// A series as the points of a drawn line: without what is outside of the picture, broken where values are
// missing, and thinned so that the picture looks the same.
#pragma once

#include <vector>

#include "tumble/plot/axis.h"
#include "tumble/plot/series.h"

namespace tumble::plot {

/// The rows of a series that are drawn: each inner list is one line.
struct Curve {
  std::vector<std::vector<size_t>> lines;
  size_t left_out = 0;  // values that a logarithmic axis cannot show
  size_t size() const;
};

/// Of a column over increasing x: of all points in the same pixel column the first, the lowest, the highest
/// and the last. Of a path: points that are apart. Of separate points: one in each pixel.
Curve find_curve(const Series& series, const Axis& x, const Axis& y);

}  // namespace tumble::plot
