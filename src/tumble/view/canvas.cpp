// The coverage of a pixel by a line of half width r at distance d from its centre is about r + 1/2 - d,
// limited to 0..1. Lines painted together take the largest coverage.
#include "tumble/view/canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"
#include "tumble/view/detail/glyphs.h"

namespace tumble::view {

namespace {

// dark grey, white
constexpr Color kInk = {0.13, 0.15, 0.18}, kPaper = {1, 1, 1};
constexpr double kStemPart = 0.13, kBorderPart = 0.4;  // widths of a label's lines and border per height
constexpr int kCircleSides = 24;
constexpr double kHuge = std::numeric_limits<double>::max();
constexpr double kHeadWidth = 0.45;  // of an arrow, per length of its head

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1]; }

// Distance of a point from a segment.
double distance(const Point& p, const Point& a, const Point& b) {
  const Point along = b - a, from = p - a;
  const double length2 = dot(along, along);
  const double s = length2 > 0 ? std::clamp(dot(from, along) / length2, 0.0, 1.0) : 0;
  const Point off = {from[0] - s * along[0], from[1] - s * along[1]};
  return math::sqrt(dot(off, off));
}

bool finite(const Point& p) { return std::isfinite(p[0]) && std::isfinite(p[1]); }

}  // namespace

void Strokes::path(const std::vector<Point>& points) {
  for (size_t i = 1; i < points.size(); ++i) line(points[i - 1], points[i]);
}

void Strokes::arrow(const Point& a, const Point& b, double head) {
  line(a, b);
  const Point along = b - a;
  const double length = math::sqrt(dot(along, along));
  if (!(length > 0)) return;
  const double x = along[0] / length * std::min(head, length), y = along[1] / length * std::min(head, length);
  line(b, {b[0] - x + kHeadWidth * y, b[1] - y - kHeadWidth * x});
  line(b, {b[0] - x - kHeadWidth * y, b[1] - y + kHeadWidth * x});
}

void Strokes::circle(const Point& center, double radius) {
  std::vector<Point> points;
  for (int k = 0; k <= kCircleSides; ++k) {
    const double angle = 2 * math::kPi * k / kCircleSides;
    points.push_back({center[0] + radius * math::cos(angle), center[1] + radius * math::sin(angle)});
  }
  path(points);
}

void Strokes::text(const std::string& text, const Point& at, double height) {
  const double unit = height / detail::kCapitalHeight;
  double left = at[0];
  for (const char c : text) {
    const std::string_view lines = detail::glyph(c);
    std::vector<Point> points;
    for (size_t i = 0; i < lines.size(); i += 2) {
      if (lines[i] == ' ') {
        path(points);
        points.clear();
        ++i;
      }
      points.push_back({left + unit * (lines[i] - '0'), at[1] - unit * (lines[i + 1] - detail::kBaseLine)});
    }
    path(points);
    left += unit * (detail::glyph_width(lines) + detail::kGlyphGap);
  }
}

void Strokes::paint(Image& image, double width, const Color& color, double opacity) const {
  const double reach = width / 2 + 1;
  const auto clamp_to = [](double x, int size) { return static_cast<int>(std::clamp(x, 0.0, double(size))); };
  // The rectangle of all lines, within the picture.
  double low[2] = {kHuge, kHuge}, high[2] = {-kHuge, -kHuge};
  for (const Segment& s : segments_) {
    if (!finite(s.a) || !finite(s.b)) continue;
    for (size_t k = 0; k < 2; ++k) {
      low[k] = std::min({low[k], s.a[k], s.b[k]});
      high[k] = std::max({high[k], s.a[k], s.b[k]});
    }
  }
  const int x0 = clamp_to(low[0] - reach, image.width), x1 = clamp_to(high[0] + reach + 1, image.width);
  const int y0 = clamp_to(low[1] - reach, image.height), y1 = clamp_to(high[1] + reach + 1, image.height);
  if (x0 >= x1 || y0 >= y1) return;
  const auto columns = static_cast<size_t>(x1 - x0);
  std::vector<double> coverage(columns * static_cast<size_t>(y1 - y0), 0.0);
  for (const Segment& s : segments_) {
    if (!finite(s.a) || !finite(s.b)) continue;
    const int left = std::max(x0, clamp_to(std::min(s.a[0], s.b[0]) - reach, image.width));
    const int right = std::min(x1, clamp_to(std::max(s.a[0], s.b[0]) + reach + 1, image.width));
    const int top = std::max(y0, clamp_to(std::min(s.a[1], s.b[1]) - reach, image.height));
    const int bottom = std::min(y1, clamp_to(std::max(s.a[1], s.b[1]) + reach + 1, image.height));
    for (int y = top; y < bottom; ++y)
      for (int x = left; x < right; ++x) {
        const double d = distance({x + 0.5, y + 0.5}, s.a, s.b);
        double& cover = coverage[static_cast<size_t>(y - y0) * columns + static_cast<size_t>(x - x0)];
        cover = std::max(cover, std::clamp(width / 2 + 0.5 - d, 0.0, 1.0));
      }
  }
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const double share =
          opacity * coverage[static_cast<size_t>(y - y0) * columns + static_cast<size_t>(x - x0)];
      if (!(share > 0)) continue;
      uint8_t* rgb =
          &image
               .rgb[3 * (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x))];
      for (size_t k = 0; k < 3; ++k)
        rgb[k] = static_cast<uint8_t>(std::lround(rgb[k] + share * (255 * color[k] - rgb[k])));
    }
}

double text_width(const std::string& text, double height) {
  int units = 0;
  for (const char c : text) units += detail::glyph_width(detail::glyph(c)) + detail::kGlyphGap;
  return height / detail::kCapitalHeight * std::max(0, units - detail::kGlyphGap);
}

void draw_label(Image& image, const std::string& text, const Point& at, double height) {
  Strokes strokes;
  strokes.text(text, at, height);
  const double stem = std::max(1.0, kStemPart * height);
  strokes.paint(image, stem + kBorderPart * height, kPaper, 0.75);
  strokes.paint(image, stem, kInk);
}

void paste(const Image& part, int left, int top, Image& onto) {
  for (int y = 0; y < part.height; ++y) {
    const int row = top + y;
    if (row < 0 || row >= onto.height) continue;
    for (int x = 0; x < part.width; ++x) {
      const int column = left + x;
      if (column < 0 || column >= onto.width) continue;
      const auto from =
          3 * (static_cast<size_t>(y) * static_cast<size_t>(part.width) + static_cast<size_t>(x));
      const auto to =
          3 * (static_cast<size_t>(row) * static_cast<size_t>(onto.width) + static_cast<size_t>(column));
      std::copy_n(&part.rgb[from], 3, &onto.rgb[to]);
    }
  }
}

}  // namespace tumble::view
