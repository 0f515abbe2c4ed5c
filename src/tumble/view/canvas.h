// Smooth lines and text on a finished picture, in pixels from its top left corner.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tumble/view/draw_list.h"
#include "tumble/view/image.h"

namespace tumble::view {

using Point = std::array<double, 2>;  // pixels

/// Lines with round ends that are painted as one: where they cross they are no darker.
class Strokes {
 public:
  void line(const Point& a, const Point& b) { segments_.push_back({a, b}); }
  void path(const std::vector<Point>& points);
  /// A line with a head at b.
  void arrow(const Point& a, const Point& b, double head);
  void circle(const Point& center, double radius);
  /// ASCII; other characters are boxes. `at`: the left end of the base line. height: of capitals.
  void text(const std::string& text, const Point& at, double height);

  void paint(Image& image, double width, const Color& color, double opacity = 1) const;

 private:
  struct Segment {
    Point a, b;
  };
  std::vector<Segment> segments_;
};

/// The width of a text with capitals of this height.
double text_width(const std::string& text, double height);

/// Text that can be read on any background: dark, with a pale border.
void draw_label(Image& image, const std::string& text, const Point& at, double height);

/// Copies a picture into a larger one.
void paste(const Image& part, int left, int top, Image& onto);

}  // namespace tumble::view
