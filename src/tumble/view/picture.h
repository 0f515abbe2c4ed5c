// A picture of a scene or of a whole motion: render() with everything chosen.
#pragma once

#include "tumble/view/render.h"

namespace tumble::view {

struct PictureOptions {
  int width = 1280, height = 720;  // pixels
  std::optional<Camera> camera;    // default: one that holds the whole motion
  bool paths = true;               // the ways of the centres of mass
  int ghosts = 0;                  // earlier and later positions drawn faded, evenly spread over the motion
};

/// The bodies as they stand in `shown`. `motion` may be empty; otherwise camera, light and grid are those of
/// the whole of it, so that the pictures of a motion fit together.
Image draw_picture(const model::Model& model, const model::State& shown,
                   std::span<const model::State> motion = {}, const PictureOptions& options = {});

}  // namespace tumble::view
