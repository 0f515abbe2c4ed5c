// A figure: panels under each other over one common x axis, drawn as SVG.
//
// Every curve can be read back. A panel is <g class="panel"> with its pixels (data-left, data-right,
// data-top, data-bottom), what is there (data-x-min, data-x-max, data-y-min, data-y-max) and data-x-scale,
// data-y-scale (linear or log). A curve is <g class="curve"> with data-column, data-unit, data-file and a
// path of points in pixels. With `numbers` it also has <metadata class="numbers">: the same points exactly,
// as "x,y x,y ...".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/plot/axis.h"
#include "tumble/plot/series.h"
#include "tumble/plot/spectrum.h"

namespace tumble::plot {

struct Line {
  Series series;
  size_t file = 0;   // index into Figure::files: the dashes of the line
  size_t color = 0;  // lines of the same column in several files have the same one
};

struct Panel {
  std::vector<Line> lines;
  std::vector<Peak> peaks;    // labelled
  std::string quantity = {};  // title of the y axis; empty: what all lines measure
};

struct Figure {
  std::string title;
  std::vector<std::string> files;  // names for the legend, which is drawn if there are several
  std::vector<Panel> panels;
  std::string x_title, x_unit;
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  std::optional<double> from, to;       // of the x axis; rows outside are not drawn
  bool equal_scales = false;            // a unit of x is as long as one of y: for paths
  bool numbers = false;                 // stores the drawn numbers with all digits, too
  std::optional<double> width, height;  // px
};

/// The SVG, with warnings about values that cannot be shown. An error if a panel has no value to show, or if
/// the size is too small.
core::Expected<std::string> draw_figure(const Figure& figure);

}  // namespace tumble::plot
