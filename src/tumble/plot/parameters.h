// Sizes of a figure in pixels, and the numbers that decide how curves are drawn.
#pragma once

#include <cstddef>

namespace tumble::plot {

struct Parameters {
  // Text
  double font_size = 12;           // px, of names and panel titles
  double tick_font_size = 11;      // px
  double title_font_size = 15;     // px
  double half_digit = 0.36;        // of the font size: from the middle of a digit to its foot
  double character_width = 0.565;  // of the font size: the mean of Helvetica and Arial, digits included

  // Layout, px
  double edge = 16;             // empty border
  double title_height = 30;     // line of the figure's title
  double files_height = 22;     // line of the legend of files
  double panel_title = 22;      // line above a panel
  double panel_gap = 16;        // between a panel and the title of the next one
  double tick_length = 4;       // of the axis
  double tick_gap = 7;          // between axis and text of a tick
  double x_axis_height = 38;    // texts of the ticks and title of the x axis
  double legend_gap = 14;       // between the panel and its legend
  double legend_swatch = 20;    // length of the line in a legend
  double legend_line = 17;      // between entries of a legend
  double most_legend = 0.3;     // of the width of the figure
  double least_panel = 30;      // height and width; smaller figures are refused
  double y_tick_distance = 34;  // wanted between two ticks
  double x_tick_distance = 95;  // wanted between two ticks

  // Lines, px
  double curve_width = 1.4;
  double thin_width = 0.8;  // axes and grid
  double marker_radius = 2.6;
  double dot_width = 3;  // of a single point, e.g. a contact
  double dash = 5, dash_gap = 3.5, dot_dash = 1.5;

  // Range of an axis
  double y_room = 0.06;             // empty part above and below the curves
  double peak_room = 0.22;          // the same above labelled peaks
  double log_room = 1.25;           // least room on a logarithmic axis, as a factor
  double constant = 1e-12;          // variation of a column, relative to its values, that is round-off
  double constant_range = 0.1;      // half the range around a constant value, relative to it
  double far_apart = 1.5;           // range of two columns together over the sum of both: then two panels
  double negligible = 1e-9;         // of the largest of its panel: a default figure leaves such a column out
  int most_digits = 6;              // of a tick; with more the axis shows differences from a value
  double large_tick = 1e5;          // numbers from here on are shown with a power of ten
  double small_tick = 1e-3;         // the same below
  double tick_round_off = 1e-6;     // of a step between ticks: a tick so far outside is inside
  double least_log_decades = 1.7;   // with fewer decades a logarithmic axis has ticks at 1, 2, 5
  double most_minor_decades = 6;    // with more it has none between decades
  double largest_value = 1e300;     // larger numbers are refused: sums of them would overflow
  double smallest_range = 1e-290;   // a smaller one counts as constant
  double fewest_points_drawn = 40;  // curves of fewer points get markers

  // Spectrum
  double uneven_times = 1e-6;      // of a spacing: larger differences are refused
  size_t padding = 16;             // zeros up to this multiple of the length: the peak is read between lines
  size_t long_padding = 2;         // the same for columns above long_column
  size_t long_column = 1u << 17u;  // values
  size_t fewest_values = 32;       // of a column that has a spectrum
  double main_lobe = 4;            // half the width of a line, in multiples of 1 / duration: of the window
  double least_peak = 0.02;        // of the largest: smaller peaks are not labelled
  double least_log_peak = 1e-3;    // the same on a logarithmic axis
  double same_peak = 0.01;         // peaks of several curves whose frequencies differ by less have one label
  double spectrum_reach = 1.6;     // the frequency axis ends at this multiple of the last labelled peak
  size_t most_peaks = 5;           // labelled in a panel
  int peak_digits = 5;             // of the frequency in a label

  // Columns
  size_t most_curves = 8;      // in a panel of a default figure
  size_t rows_at_once = 8192;  // of a log, in memory while it is read
  double moved_apart = 1e-3;   // of the size of a path: points nearer to each other are one
};

inline constexpr Parameters kParameters = {};

}  // namespace tumble::plot
