// Draws many pictures on several threads and hands them out in order.
#pragma once

#include <functional>
#include <vector>

#include "tumble/view/render.h"

namespace tumble::app {

/// Everything that is in one picture.
struct Shot {
  std::vector<view::DrawItem> items;
  std::vector<view::Polyline> lines;
  view::RenderOptions options;
  std::function<void(view::Image&)> finish = {};  // draws on the picture; may be empty
};

/// Calls make(k) for k = 0..count-1 on this thread, draws on up to `threads` others, and calls take(k, image)
/// on this thread, in order. Ends early if take returns false. The pictures do not depend on `threads`.
void draw_pictures(size_t count, size_t threads, const std::function<Shot(size_t)>& make,
                   const std::function<bool(size_t, view::Image)>& take);

}  // namespace tumble::app
