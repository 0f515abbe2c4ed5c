// A picture of a scene or of a whole motion: render() with a choice of camera, paths and ghosts.
#pragma once

#include "tumble/view/render.h"

namespace tumble::view {

struct PictureOptions {
  int width = 1280, height = 720;  // pixels
  std::optional<Camera> camera;    // default: shows the whole motion
  bool grid = false;               // draw a grid below a scene without a floor
  bool paths = true;               // draw the paths of the centres of mass
  int ghosts = 0;                  // earlier and later positions drawn faded, evenly spread over the motion
};

/// Draws the bodies at their poses in `shown`. If `motion` is not empty, camera, light and grid are chosen
/// for the whole motion, so that they are the same in all pictures of it.
Image draw_picture(const model::Model& model, const model::State& shown,
                   std::span<const model::State> motion = {}, const PictureOptions& options = {});

}  // namespace tumble::view
