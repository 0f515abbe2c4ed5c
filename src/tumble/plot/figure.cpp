#include "tumble/plot/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tumble/plot/curve.h"
#include "tumble/plot/parameters.h"
#include "tumble/plot/svg.h"

namespace tumble::plot {

namespace {

constexpr const Parameters& kSizes = kParameters;

// Colours of Okabe and Ito, which people with any colour vision can distinguish; grey instead of their
// yellow, which is too pale for a thin line.
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};
constexpr const char *kInk = "#222222", *kGrey = "#555555", *kAxis = "#888888", *kGrid = "#e8e8e8",
                     *kZero = "#bdbdbd";

// Pixels of a default figure with 1, 2 or more panels.
constexpr double kWidth = 820, kHeights[] = {300, 190, 130};
constexpr double kPathWidth = 720, kPathLeast = 200, kPathMost = 560;

const char* color_of(const Line& line) { return kColors[line.color % std::size(kColors)]; }

double text_width(std::string_view text, double size) {
  return static_cast<double>(count_characters(text)) * size * kSizes.character_width;
}

// A number with all significant digits of a label, zeros at the end included.
std::string digits_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%#.*g", kSizes.peak_digits, value);
  return text;
}

// The dashes of lines of a file.
std::string dashes_of(size_t file) {
  const std::string dash = pixel_text(kSizes.dash), gap = pixel_text(kSizes.dash_gap),
                    dot = pixel_text(kSizes.dot_dash);
  constexpr size_t kPatterns = 4;
  switch (file % kPatterns) {
    case 1:
      return attribute("stroke-dasharray", dash + " " + gap);
    case 2:
      return attribute("stroke-dasharray", dot + " " + gap);
    case 3:
      return attribute("stroke-dasharray", dash + " " + gap + " " + dot + " " + gap);
    default:
      return "";
  }
}

// Where a panel is and what it shows.
struct Frame {
  Axis x, y;
  Ticks ticks;
  std::string title;
  std::vector<Curve> curves;
};

struct Legend {
  struct Entry {
    std::string name, text;
    const char* color;
  };
  std::vector<Entry> entries;
  size_t left_out = 0;
};

class Drawing {
 public:
  explicit Drawing(const Figure& figure) : figure_(figure) {}
  core::Expected<std::string> draw();

 private:
  core::Diagnostics find_ranges();
  core::Diagnostics find_places();
  void find_left_edge();
  void keep_shape();
  core::Diagnostics find_curves();
  Legend legend_of(const Panel& panel, double height) const;
  double legend_width() const;

  void draw_head();
  void draw_panel(size_t i);
  void draw_grid(const Frame& frame, bool with_texts);
  void draw_curve(const Line& line, const Frame& frame, const Curve& curve);
  void draw_peaks(const Panel& panel, const Frame& frame);
  void draw_legend(const Panel& panel, const Frame& frame);
  void draw_text(double x, double y, std::string_view text, const std::string& more);

  double bottom() const { return height_ - kSizes.edge - kSizes.x_axis_height; }

  const Figure& figure_;
  double width_ = 0, height_ = 0, left_ = 0, right_ = 0, top_ = 0, legend_ = 0;
  Range x_range_;
  Ticks x_ticks_;
  std::vector<Frame> frames_;
  Svg svg_;
};

// The range of the shown values. Nothing if there is none.
class Extent {
 public:
  void add(double value, Scale scale) {
    if (std::isnan(value) || (scale == Scale::log && value <= 0)) return;
    range_.lo = std::min(range_.lo, value);
    range_.hi = std::max(range_.hi, value);
  }
  bool empty() const { return range_.lo > range_.hi; }
  const Range& range() const { return range_; }

 private:
  Range range_{INFINITY, -INFINITY};
};

std::string names_of(const Panel& panel) {
  std::string names;
  for (const Line& line : panel.lines)
    if (line.file == panel.lines[0].file) names += (names.empty() ? "" : ", ") + line.series.name;
  return shorten(names, 80);
}

// What the names of all columns of a table begin with, in whole words and without units: "time per frame" of
// "time per frame (ms)" and "time per frame, 2011 (ms)".
std::string common_name(const Panel& panel) {
  constexpr std::string_view kPunctuation = " ,;:(-_./";
  const std::string& first = panel.lines[0].series.name;
  size_t length = first.rfind(" (") == std::string::npos ? first.size() : first.rfind(" (");
  for (const Line& line : panel.lines) {
    const std::string& name = line.series.name;
    size_t same = 0;
    while (same < std::min(length, name.size()) && name[same] == first[same]) ++same;
    const auto ends = [&](const std::string& text) {
      return same == text.size() || kPunctuation.find(text[same]) != std::string_view::npos;
    };
    while (same > 0 && !(ends(first) && ends(name))) --same;
    length = same;
  }
  while (length > 0 && kPunctuation.find(first[length - 1]) != std::string_view::npos) --length;
  return first.substr(0, length);
}

core::Diagnostics Drawing::find_ranges() {
  Extent across;
  for (const Panel& panel : figure_.panels)
    for (const Line& line : panel.lines)
      for (const double x : *line.series.x) across.add(x, figure_.x_scale);
  x_range_ = across.range();
  if (figure_.from) x_range_.lo = *figure_.from;
  if (figure_.to) x_range_.hi = *figure_.to;
  const bool none = across.empty() || x_range_.lo > across.range().hi || x_range_.hi < across.range().lo;
  if (none && !across.empty())
    return {core::error_at({}, "nothing is in the range that is asked for; the data go from " +
                                   core::brief_number(across.range().lo) + " to " +
                                   core::brief_number(across.range().hi))};
  if (none)
    return {core::error_at(
        {}, "there is no " + figure_.x_title + (figure_.x_scale == Scale::log ? " above 0" : ""))};
  if (figure_.x_scale == Scale::log && x_range_.lo <= 0)
    return {core::error_at({}, "a logarithmic axis begins above 0")};
  if (!(x_range_.hi - x_range_.lo > kSizes.constant * std::max(std::abs(x_range_.lo), std::abs(x_range_.hi))))
    x_range_ = with_room(x_range_, figure_.x_scale, 0);

  for (const Panel& panel : figure_.panels) {
    Extent up;
    for (const Line& line : panel.lines)
      for (size_t i = 0; i < line.series.y.size(); ++i)
        if (const double x = (*line.series.x)[i]; x >= x_range_.lo && x <= x_range_.hi)
          up.add(line.series.y[i], figure_.y_scale);
    if (up.empty())
      return {
          core::error_at({}, names_of(panel) + ": there is no value" +
                                 (figure_.y_scale == Scale::log ? " above 0 that --log-y could show" : ""))};
    Frame& frame = frames_.emplace_back();
    frame.x = {x_range_, figure_.x_scale};
    frame.y = {with_room(up.range(), figure_.y_scale, panel.peaks.empty() ? kSizes.y_room : kSizes.peak_room),
               figure_.y_scale};
  }
  if (figure_.equal_scales) {
    frames_[0].x.range = with_room(x_range_, figure_.x_scale, kSizes.y_room);
    frames_[0].y.range = with_room(frames_[0].y.range, figure_.y_scale, 0);
  }
  return {};
}

// Whether the title of the panel is the name of its only column, as of a table: a legend would repeat it.
bool is_named_by_title(const Panel& panel) {
  const Series& first = panel.lines[0].series;
  return panel.quantity.empty() && first.quantity.name.empty() &&
         std::all_of(panel.lines.begin(), panel.lines.end(),
                     [&](const Line& line) { return line.series.name == first.name; });
}

double Drawing::legend_width() const {
  double widest = 0;
  for (const Panel& panel : figure_.panels)
    for (const Line& line : panel.lines)
      if (!is_named_by_title(panel))
        widest = std::max(widest, text_width(line.series.name, kSizes.font_size));
  if (widest == 0) return kSizes.edge;  // room for the text of the last tick
  return kSizes.legend_gap + kSizes.legend_swatch + kSizes.tick_gap + widest;
}

// The texts of ticks need room on the left; their number follows from the height of a panel.
void Drawing::find_left_edge() {
  double widest = 0;
  for (size_t i = 0; i < frames_.size(); ++i) {
    Frame& frame = frames_[i];
    const Panel& panel = figure_.panels[i];
    const double distance = figure_.equal_scales ? kSizes.x_tick_distance : kSizes.y_tick_distance;
    const int count = static_cast<int>(std::abs(frame.y.to - frame.y.from) / distance);
    frame.ticks = find_ticks(frame.y.range, frame.y.scale, std::max(2, count));
    const Quantity& quantity = panel.lines[0].series.quantity;
    std::string name = panel.quantity.empty() ? quantity.name : panel.quantity;
    if (name.empty()) name = common_name(panel);
    frame.title = axis_title(name, quantity.unit, frame.ticks);
    for (const Tick& tick : frame.ticks.ticks)
      widest = std::max(widest, text_width(tick.text, kSizes.tick_font_size));
  }
  left_ = kSizes.edge + widest + kSizes.tick_gap + kSizes.tick_length;
}

// A unit of x gets as many pixels as one of y: the height follows, as far as it is free, then the ranges.
void Drawing::keep_shape() {
  Frame& frame = frames_[0];
  const double wide = frame.x.range.hi - frame.x.range.lo, high = frame.y.range.hi - frame.y.range.lo;
  if (!figure_.height) {
    const double panel = std::clamp((right_ - left_) * high / wide, kPathLeast, kPathMost);
    height_ = top_ + kSizes.panel_title + panel + kSizes.x_axis_height + kSizes.edge;
    frame.y.from = bottom();
  }
  const double per_pixel = std::max(wide / (right_ - left_), high / (frame.y.from - frame.y.to));
  const auto widen = [](Range& range, double width) {
    const double middle = 0.5 * (range.lo + range.hi);
    range = {middle - 0.5 * width, middle + 0.5 * width};
  };
  widen(frame.x.range, per_pixel * (right_ - left_));
  widen(frame.y.range, per_pixel * (frame.y.from - frame.y.to));
}

core::Diagnostics Drawing::find_places() {
  const auto count = static_cast<double>(frames_.size());
  width_ = figure_.width.value_or(figure_.equal_scales ? kPathWidth : kWidth);
  top_ = kSizes.edge + (figure_.title.empty() ? 0 : kSizes.title_height) +
         (figure_.files.size() > 1 ? kSizes.files_height : 0);
  const double panel = kHeights[std::min(frames_.size(), std::size(kHeights)) - 1];
  const double between = kSizes.panel_title + kSizes.panel_gap;
  height_ = figure_.height.value_or(top_ + count * (panel + between) - kSizes.panel_gap +
                                    kSizes.x_axis_height + kSizes.edge);
  const double each = (bottom() - top_ + kSizes.panel_gap) / count - between;
  legend_ = std::min(legend_width(), kSizes.most_legend * width_);
  right_ = width_ - kSizes.edge - legend_;
  for (size_t i = 0; i < frames_.size(); ++i) {
    frames_[i].y.to = top_ + static_cast<double>(i) * (each + between) + kSizes.panel_title;
    frames_[i].y.from = frames_[i].y.to + each;
  }
  find_left_edge();
  if (right_ - left_ < kSizes.least_panel || each < kSizes.least_panel)
    return {core::error_at({}, "a figure of " + pixel_text(width_) + "x" + pixel_text(height_) +
                                   " pixels has no room for " + std::to_string(frames_.size()) +
                                   (frames_.size() == 1 ? " panel" : " panels"))};
  if (figure_.equal_scales) {
    keep_shape();
    find_left_edge();  // with the ticks of the new range
    keep_shape();
  }
  for (Frame& frame : frames_) frame.x.from = left_, frame.x.to = right_;
  x_range_ = frames_[0].x.range;
  x_ticks_ = find_ticks(x_range_, figure_.x_scale,
                        std::max(2, static_cast<int>((right_ - left_) / kSizes.x_tick_distance)));
  return {};
}

core::Diagnostics Drawing::find_curves() {
  core::Diagnostics warnings;
  for (size_t i = 0; i < frames_.size(); ++i)
    for (const Line& line : figure_.panels[i].lines) {
      Curve& curve = frames_[i].curves.emplace_back(find_curve(line.series, frames_[i].x, frames_[i].y));
      if (curve.left_out > 0)
        warnings.push_back(core::warning_at({}, line.series.name + ": " + std::to_string(curve.left_out) +
                                                    (curve.left_out == 1 ? " point is" : " points are") +
                                                    " not above 0, and a logarithmic axis does not show " +
                                                    (curve.left_out == 1 ? "it" : "them")));
    }
  return warnings;
}

void Drawing::draw_text(double x, double y, std::string_view text, const std::string& more) {
  svg_.element("text", pixel_attribute("x", x) + pixel_attribute("y", y) + more, text);
}

void Drawing::draw_head() {
  const double size = kSizes.title_font_size;
  double y = kSizes.edge;
  if (!figure_.title.empty()) {
    const double room = (width_ - kSizes.edge - left_) / (size * kSizes.character_width);
    draw_text(
        left_, y + size, shorten(figure_.title, static_cast<size_t>(std::max(1.0, room))),
        attribute("class", "title") + pixel_attribute("font-size", size) + attribute("font-weight", "bold"));
    y += kSizes.title_height;
  }
  if (figure_.files.size() < 2) return;
  svg_.open("g", attribute("class", "files"));
  double x = left_;
  const double each = (width_ - kSizes.edge - left_) / static_cast<double>(figure_.files.size());
  const double swatch = 2 * kSizes.legend_swatch;  // so that dashes are seen
  for (size_t i = 0; i < figure_.files.size(); ++i) {
    const double room = (each - swatch - 2 * kSizes.tick_gap) / (kSizes.font_size * kSizes.character_width);
    const std::string text = shorten(figure_.files[i], static_cast<size_t>(std::max(1.0, room)));
    const double middle = y + 0.5 * kSizes.font_size;
    svg_.element("path",
                 attribute("d", "M" + pixel_text(x) + "," + pixel_text(middle) + "h" + pixel_text(swatch)) +
                     attribute("stroke", kInk) + pixel_attribute("stroke-width", kSizes.curve_width) +
                     dashes_of(i));
    draw_text(x + swatch + kSizes.tick_gap, y + kSizes.font_size - 2, text, attribute("fill", kInk));
    x += swatch + 3 * kSizes.tick_gap + text_width(text, kSizes.font_size) + kSizes.edge;
  }
  svg_.close("g");
}

void Drawing::draw_grid(const Frame& frame, bool with_texts) {
  const double top = frame.y.to, bottom = frame.y.from;
  const auto line = [&](double x1, double y1, double x2, double y2, const char* color) {
    svg_.element("path", attribute("d", "M" + pixel_text(x1) + "," + pixel_text(y1) + "L" + pixel_text(x2) +
                                            "," + pixel_text(y2)) +
                             attribute("stroke", color));
  };
  svg_.open("g", attribute("class", "grid") + attribute("fill", "none") +
                     pixel_attribute("stroke-width", kSizes.thin_width));
  for (const Tick& tick : x_ticks_.ticks)
    if (!tick.text.empty()) line(frame.x.pixel(tick.value), top, frame.x.pixel(tick.value), bottom, kGrid);
  for (const Tick& tick : frame.ticks.ticks) {
    const double y = frame.y.pixel(tick.value);
    const bool zero = tick.value == 0 && frame.y.scale == Scale::linear;
    if (!tick.text.empty()) line(left_, y, right_, y, zero ? kZero : kGrid);
  }
  line(left_, top, left_, bottom, kAxis);
  line(left_, bottom, right_, bottom, kAxis);
  for (const Tick& tick : x_ticks_.ticks) {
    const double x = frame.x.pixel(tick.value), length = kSizes.tick_length * (tick.text.empty() ? 0.5 : 1);
    line(x, bottom, x, bottom + length, kAxis);
  }
  for (const Tick& tick : frame.ticks.ticks) {
    const double y = frame.y.pixel(tick.value), length = kSizes.tick_length * (tick.text.empty() ? 0.5 : 1);
    line(left_ - length, y, left_, y, kAxis);
  }
  svg_.close("g");

  svg_.open("g", attribute("class", "ticks") + attribute("fill", kGrey) +
                     pixel_attribute("font-size", kSizes.tick_font_size));
  const double half = kSizes.half_digit * kSizes.tick_font_size;
  for (const Tick& tick : frame.ticks.ticks)
    if (!tick.text.empty())
      draw_text(left_ - kSizes.tick_gap, frame.y.pixel(tick.value) + half, tick.text,
                attribute("text-anchor", "end"));
  if (with_texts)
    for (const Tick& tick : x_ticks_.ticks)
      if (!tick.text.empty())
        draw_text(frame.x.pixel(tick.value), bottom + kSizes.tick_gap + kSizes.tick_font_size, tick.text,
                  attribute("text-anchor", "middle"));
  svg_.close("g");
}

void Drawing::draw_curve(const Line& line, const Frame& frame, const Curve& curve) {
  const Series& series = line.series;
  std::string path, dots, numbers;
  for (const std::vector<size_t>& rows : curve.lines) {
    for (size_t k = 0; k < rows.size(); ++k) {
      const double x = (*series.x)[rows[k]], y = series.y[rows[k]];
      const std::string point = pixel_text(frame.x.pixel(x)) + "," + pixel_text(frame.y.pixel(y));
      path += (k == 0 ? "M" : " ") + point;
      if (series.separate || rows.size() == 1) path += "h0", path += k + 1 < rows.size() ? "M" : "";
      dots += "M" + point + "h0";
      if (figure_.numbers) numbers += (numbers.empty() ? "" : " ") + exact_text(x) + "," + exact_text(y);
    }
  }
  const char* color = color_of(line);
  svg_.open("g", attribute("class", "curve") + attribute("data-column", series.name) +
                     attribute("data-unit", series.quantity.unit) +
                     attribute("data-file", figure_.files.empty() ? "" : figure_.files[line.file]));
  svg_.element("title", "", series.name);
  const bool few = static_cast<double>(curve.size()) <= kSizes.fewest_points_drawn && !figure_.equal_scales;
  const std::string round = attribute("fill", "none") + attribute("stroke", color) +
                            attribute("stroke-linecap", "round") + attribute("stroke-linejoin", "round");
  if (series.separate) {
    svg_.element("path", attribute("class", "points") + attribute("d", dots) + round +
                             pixel_attribute("stroke-width", kSizes.dot_width));
  } else {
    svg_.element("path", attribute("class", "points") + attribute("d", path) + attribute("fill", "none") +
                             attribute("stroke", color) + attribute("stroke-linejoin", "round") +
                             pixel_attribute("stroke-width", kSizes.curve_width) + dashes_of(line.file));
    if (few)
      svg_.element("path", attribute("class", "markers") + attribute("d", dots) + round +
                               pixel_attribute("stroke-width", 2 * kSizes.marker_radius));
  }
  if (figure_.equal_scales && !curve.lines.empty()) {
    const size_t first = curve.lines[0][0];
    svg_.element("circle", attribute("class", "start") +
                               pixel_attribute("cx", frame.x.pixel((*series.x)[first])) +
                               pixel_attribute("cy", frame.y.pixel(series.y[first])) +
                               pixel_attribute("r", kSizes.marker_radius) + attribute("fill", "#ffffff") +
                               attribute("stroke", color));
  }
  if (figure_.numbers) svg_.element("metadata", attribute("class", "numbers"), numbers);
  svg_.close("g");
}

// Labels stand above their peaks; where two would overlap, one moves up.
void Drawing::draw_peaks(const Panel& panel, const Frame& frame) {
  struct Box {
    double left, right, bottom;
  };
  std::vector<Box> boxes;
  const double size = kSizes.tick_font_size;
  std::vector<Peak> peaks = panel.peaks;
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const Peak& a, const Peak& b) { return a.frequency < b.frequency; });
  svg_.open("g", attribute("class", "peaks") + pixel_attribute("font-size", size) +
                     attribute("text-anchor", "middle") + attribute("stroke", "#ffffff") +
                     pixel_attribute("stroke-width", 3) + attribute("paint-order", "stroke"));
  for (const Peak& peak : peaks) {
    if (peak.frequency < frame.x.range.lo || peak.frequency > frame.x.range.hi) continue;
    const std::string text = digits_of(peak.frequency) + (figure_.x_unit.empty() ? "" : " " + figure_.x_unit);
    const double half = 0.5 * text_width(text, size);
    const double x = std::clamp(frame.x.pixel(peak.frequency), left_ + half, right_ - half);
    double y =
        frame.y.pixel(std::clamp(peak.amplitude, frame.y.range.lo, frame.y.range.hi)) - kSizes.tick_gap;
    const auto overlaps = [&](const Box& box) {
      return x + half > box.left - 2 && x - half < box.right + 2 && std::abs(y - box.bottom) < size;
    };
    while (std::any_of(boxes.begin(), boxes.end(), overlaps)) y -= 1;
    boxes.push_back({x - half, x + half, y});
    const Line& line = panel.lines[peak.line];
    draw_text(x, y, text,
              attribute("fill", color_of(line)) + attribute("data-column", line.series.name) +
                  attribute("data-frequency", exact_text(peak.frequency)) +
                  attribute("data-amplitude", exact_text(peak.amplitude)));
  }
  svg_.close("g");
}

Legend Drawing::legend_of(const Panel& panel, double height) const {
  Legend legend;
  const double room = (legend_ - kSizes.legend_gap - kSizes.legend_swatch - kSizes.tick_gap) /
                      (kSizes.font_size * kSizes.character_width);
  for (const Line& line : panel.lines) {
    const std::string& name = line.series.name;
    const bool known = std::any_of(legend.entries.begin(), legend.entries.end(),
                                   [&](const Legend::Entry& entry) { return entry.name == name; });
    if (!known)
      legend.entries.push_back(
          {name, shorten(name, static_cast<size_t>(std::max(1.0, std::ceil(room)))), color_of(line)});
  }
  const auto most = static_cast<size_t>(std::max(1.0, (height + kSizes.panel_gap) / kSizes.legend_line));
  if (legend.entries.size() > most) {
    legend.left_out = legend.entries.size() - (most - 1);
    legend.entries.resize(most - 1);
  }
  return legend;
}

void Drawing::draw_legend(const Panel& panel, const Frame& frame) {
  if (is_named_by_title(panel)) return;
  const Legend legend = legend_of(panel, frame.y.from - frame.y.to);
  svg_.open("g", attribute("class", "legend"));
  const double x = right_ + kSizes.legend_gap;
  double y = frame.y.to + 0.5 * kSizes.font_size;
  for (const Legend::Entry& entry : legend.entries) {
    const bool dots = panel.lines[0].series.separate;
    svg_.element("path",
                 attribute("d", "M" + pixel_text(x + (dots ? 0.5 * kSizes.legend_swatch : 0)) + "," +
                                    pixel_text(y) + "h" + (dots ? "0" : pixel_text(kSizes.legend_swatch))) +
                     attribute("stroke", entry.color) +
                     pixel_attribute("stroke-width", dots ? 2 * kSizes.dot_width : 2) +
                     attribute("stroke-linecap", dots ? "round" : "butt"));
    draw_text(x + kSizes.legend_swatch + kSizes.tick_gap, y + kSizes.half_digit * kSizes.font_size,
              entry.text, attribute("fill", kInk));
    y += kSizes.legend_line;
  }
  if (legend.left_out > 0)
    draw_text(x, y + kSizes.half_digit * kSizes.font_size, "and " + std::to_string(legend.left_out) + " more",
              attribute("fill", kGrey));
  svg_.close("g");
}

void Drawing::draw_panel(size_t i) {
  const Panel& panel = figure_.panels[i];
  const Frame& frame = frames_[i];
  const auto number = [](const char* name, double value) { return attribute(name, exact_text(value)); };
  const auto scale = [](Scale s) { return s == Scale::log ? "log" : "linear"; };
  svg_.open("g", attribute("class", "panel") + attribute("data-title", frame.title) +
                     number("data-left", left_) + number("data-right", right_) +
                     number("data-top", frame.y.to) + number("data-bottom", frame.y.from) +
                     number("data-x-min", frame.x.range.lo) + number("data-x-max", frame.x.range.hi) +
                     number("data-y-min", frame.y.range.lo) + number("data-y-max", frame.y.range.hi) +
                     attribute("data-x-scale", scale(frame.x.scale)) +
                     attribute("data-y-scale", scale(frame.y.scale)));
  draw_text(left_, frame.y.to - 8, frame.title, attribute("font-weight", "bold") + attribute("fill", kInk));
  draw_grid(frame, i + 1 == frames_.size());
  for (size_t k = panel.lines.size(); k-- > 0;)
    draw_curve(panel.lines[k], frame, frame.curves[k]);  // first on top
  if (!panel.peaks.empty()) draw_peaks(panel, frame);
  draw_legend(panel, frame);
  svg_.close("g");
}

core::Expected<std::string> Drawing::draw() {
  if (core::Diagnostics faults = find_ranges(); !faults.empty()) return faults;
  if (core::Diagnostics faults = find_places(); !faults.empty()) return faults;
  core::Diagnostics warnings = find_curves();
  const std::string width = pixel_text(width_), height = pixel_text(height_);
  svg_.open("svg", attribute("xmlns", "http://www.w3.org/2000/svg") + attribute("width", width) +
                       attribute("height", height) + attribute("viewBox", "0 0 " + width + " " + height) +
                       attribute("font-family", "Helvetica, Arial, 'Liberation Sans', sans-serif") +
                       pixel_attribute("font-size", kSizes.font_size) + attribute("fill", kInk));
  svg_.element("title", "", figure_.title.empty() ? "tumble plot" : figure_.title);
  svg_.element("rect",
               attribute("width", width) + attribute("height", height) + attribute("fill", "#ffffff"));
  draw_head();
  for (size_t i = 0; i < frames_.size(); ++i) draw_panel(i);
  const double foot = height_ - kSizes.edge;
  draw_text(0.5 * (left_ + right_), foot, axis_title(figure_.x_title, figure_.x_unit, x_ticks_),
            attribute("class", "x-title") + attribute("text-anchor", "middle"));
  if (figure_.equal_scales)
    draw_text(right_, foot, "○ start", attribute("text-anchor", "end") + attribute("fill", kGrey));
  svg_.close("svg");
  return {svg_.text(), std::move(warnings)};
}

}  // namespace

core::Expected<std::string> draw_figure(const Figure& figure) {
  TUMBLE_REQUIRE(!figure.panels.empty(), "a figure needs a panel");
  for (const Panel& panel : figure.panels) TUMBLE_REQUIRE(!panel.lines.empty(), "a panel needs a line");
  return Drawing(figure).draw();
}

}  // namespace tumble::plot
