// Draws without a GPU or a display. Equal inputs give equal bytes.
#pragma once

#include <optional>
#include <span>

#include "tumble/view/camera.h"
#include "tumble/view/draw_list.h"
#include "tumble/view/image.h"

namespace tumble::view {

struct RenderOptions {
  int width = 1280, height = 720;       // pixels
  std::optional<Camera> camera;         // default: automatic_camera
  std::optional<Subject> subject;       // default: find_subject; determines light and grid
  math::Vec3 up = math::Vec3(0, 1, 0);  // need not be a unit vector
  bool grid = false;                    // draw a grid below the scene, unless it has a floor
  bool wireframe = false;               // draw the edges of all triangles, and surfaces faintly
  int supersampling = 3;                // samples per pixel in each direction
};

Image render(std::span<const DrawItem> items, const RenderOptions& options = {},
             std::span<const Polyline> lines = {});

}  // namespace tumble::view
