#include "tumble/view/overlay.h"

#include <algorithm>
#include <optional>

#include "tumble/view/canvas.h"
#include "tumble/view/detail/project.h"

namespace tumble::view {

namespace {

// Parts of the height of the picture, and the least sizes in pixels.
constexpr double kLinePart = 0.0035, kLeastLine = 1.4;  // width of a line
constexpr double kDotPart = 0.009, kLeastDot = 2.5;     // radius of a dot
constexpr double kHeadPart = 0.022, kLeastHead = 6;     // head of an arrow
constexpr double kLetterPart = 0.02, kLeastLetter = 7;  // capitals of a name
constexpr double kShade = 0.45;  // of the dark border of lines, so that they are seen on any colour

std::optional<Point> project(const detail::Projection& view, const math::Vec3& p_W) {
  const math::Vec3 p = view.to_camera(p_W);
  if (!p.allFinite() || (!view.parallel && p.z() < view.near)) return std::nullopt;
  const double w = view.depth_scale(p.z());
  return Point{(1 + p.x() / (w * view.tan_x)) * view.width / 2,
               (1 - p.y() / (w * view.tan_y)) * view.height / 2};
}

}  // namespace

void draw_overlay(Image& image, const Camera& camera, const Overlay& overlay) {
  const detail::Projection view(camera, image.width, image.height);
  const auto size = [&](double part, double least) { return std::max(least, part * image.height); };
  const double width = size(kLinePart, kLeastLine);
  const auto paint = [&](const Strokes& strokes, const Color& color) {
    strokes.paint(image, width + 2, {0, 0, 0}, kShade);
    strokes.paint(image, width, color);
  };
  for (const Overlay::Line& line : overlay.lines) {
    const std::optional<Point> a = project(view, line.from), b = project(view, line.to);
    if (!a || !b) continue;
    Strokes strokes;
    if (line.arrow)
      strokes.arrow(*a, *b, size(kHeadPart, kLeastHead));
    else
      strokes.line(*a, *b);
    paint(strokes, line.color);
  }
  for (const Overlay::Dot& dot : overlay.dots) {
    const std::optional<Point> at = project(view, dot.at);
    if (!at) continue;
    Strokes strokes;  // a line without length is a disc
    strokes.line(*at, *at);
    const double wide = size(kDotPart, kLeastDot) * 2;
    strokes.paint(image, wide + 2, {0, 0, 0}, kShade);
    strokes.paint(image, wide, dot.color);
  }
  const double letters = size(kLetterPart, kLeastLetter);
  for (const Overlay::Label& label : overlay.labels)
    if (const std::optional<Point> at = project(view, label.at))
      draw_label(image, label.text, {(*at)[0] - text_width(label.text, letters) / 2, (*at)[1] + letters / 2},
                 letters);
}

}  // namespace tumble::view
