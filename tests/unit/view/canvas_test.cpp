#include "tumble/view/canvas.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tumble/view/overlay.h"

using namespace tumble;
using math::Vec3;
using view::Image;

namespace {

Image blank(int width, int height, uint8_t grey = 255) {
  return {width, height,
          std::vector<uint8_t>(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height), grey)};
}

// The mean darkness of black on white, in pixels.
double ink(const Image& image) {
  double sum = 0;
  for (size_t i = 0; i < image.rgb.size(); i += 3) sum += 1 - image.rgb[i] / 255.0;
  return sum;
}

}  // namespace

TEST_CASE("a line covers its length times its width, at any angle and place") {
  for (const double x : {0.0, 0.25, 0.5})
    for (const double y : {0.0, 30.0, 17.0}) {
      Image image = blank(100, 100);
      view::Strokes strokes;
      strokes.line({20 + x, 40 + x}, {70 + x, 40 + x + y});
      strokes.paint(image, 3, {0, 0, 0});
      const double length = std::hypot(50.0, y), ends = 3.14159 * 1.5 * 1.5;
      CHECK(ink(image) == doctest::Approx(3 * length + ends).epsilon(0.03));
    }
}

TEST_CASE("lines that cross are no darker, and opacity scales") {
  Image once = blank(40, 40), twice = blank(40, 40), pale = blank(40, 40);
  view::Strokes strokes;
  strokes.line({10, 20}, {30, 20});
  strokes.paint(once, 4, {0, 0, 0});
  strokes.paint(pale, 4, {0, 0, 0}, 0.5);
  strokes.line({10, 20}, {30, 20});
  strokes.paint(twice, 4, {0, 0, 0});
  CHECK(once.rgb == twice.rgb);
  CHECK(ink(pale) == doctest::Approx(ink(once) / 2).epsilon(0.01));
}

TEST_CASE("nothing is drawn outside the picture or at places that are not finite") {
  Image image = blank(20, 10);
  view::Strokes strokes;
  strokes.line({-1e9, 5}, {-1e8, 5});
  strokes.line({std::numeric_limits<double>::quiet_NaN(), 1}, {3, 3});
  strokes.line({5, std::numeric_limits<double>::infinity()}, {5, 1});
  strokes.text("outside", {500, 500}, 10);
  strokes.paint(image, 2, {0, 0, 0});
  CHECK(ink(image) == 0);
  view::paste(blank(30, 30, 0), -10, -25, image);
  CHECK(ink(image) == 20 * 5);
}

TEST_CASE("all characters are drawn and look different, and unknown ones are boxes") {
  std::set<std::vector<uint8_t>> looks;
  for (char c = '!'; c <= '~'; ++c) {
    Image image = blank(40, 40);
    view::draw_label(image, std::string(1, c), {10, 28}, 18);
    CHECK(ink(image) > 1);
    looks.insert(image.rgb);
  }
  CHECK(looks.size() == 93);  // 0 and O are the same
  Image box = blank(40, 40), other = blank(40, 40);
  view::draw_label(box, "\x80", {10, 28}, 18);
  view::draw_label(other, "\xff", {10, 28}, 18);
  CHECK(box.rgb == other.rgb);
  CHECK(ink(box) > 1);
  CHECK(view::text_width("12 s", 12) > view::text_width("1 s", 12));
}

TEST_CASE("marks are drawn where the camera sees their places, none behind it") {
  view::Camera camera{
      .eye = Vec3(0, 0, 10), .target = Vec3::Zero(), .up = Vec3::UnitY(), .vertical_fov = 0.5};
  Image middle = blank(101, 101);
  view::draw_overlay(middle, camera, {.lines = {}, .dots = {{Vec3(0, 0, 0), {0, 0, 0}}}, .labels = {}});
  CHECK(middle.rgb[3 * (50 * 101 + 50)] < 10);
  CHECK(middle.rgb[0] == 255);
  Image behind = blank(101, 101);
  view::draw_overlay(behind, camera,
                     {.lines = {{Vec3(0, 0, 20), Vec3(0, 1, 30), {0, 0, 0}, true}},
                      .dots = {{Vec3(0, 0, 11), {0, 0, 0}}},
                      .labels = {{Vec3(0, 0, 12), "name"}}});
  CHECK(ink(behind) == 0);
}
