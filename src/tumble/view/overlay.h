// Marks on a picture: arrows, points, lines and names at places of the scene. They are drawn over the bodies.
#pragma once

#include <string>
#include <vector>

#include "tumble/view/camera.h"
#include "tumble/view/image.h"

namespace tumble::view {

struct Overlay {
  struct Line {
    math::Vec3 from, to;  // m, world
    Color color;
    bool arrow = false;  // with a head at `to`
  };
  struct Dot {
    math::Vec3 at;  // m, world
    Color color;
  };
  struct Label {
    math::Vec3 at;  // m, world
    std::string text;
  };
  std::vector<Line> lines;
  std::vector<Dot> dots;
  std::vector<Label> labels;
};

/// Sizes of lines, dots and letters are parts of the height of the picture. What is behind the camera is not
/// drawn.
void draw_overlay(Image& image, const Camera& camera, const Overlay& overlay);

}  // namespace tumble::view
