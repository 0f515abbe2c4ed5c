// Draws without a GPU or a display; the same input gives the same bytes.
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
  std::optional<Subject> subject;       // default: find_subject; light and grid follow it
  math::Vec3 up = math::Vec3(0, 1, 0);  // against gravity; zero: no gravity, so no grid below the scene
  int supersampling = 3;                // samples per pixel, each way
};

Image render(std::span<const DrawItem> items, const RenderOptions& options = {},
             std::span<const Polyline> lines = {});

}  // namespace tumble::view
