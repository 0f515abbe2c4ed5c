// Which part of the moving bodies is behind fixed ones, in a small picture.
#pragma once

#include <span>
#include <vector>

#include "tumble/view/camera.h"
#include "tumble/view/detail/surface.h"
#include "tumble/view/raster.h"

namespace tumble::view::detail {

class Occlusion {
 public:
  /// Draws the fixed items.
  Occlusion(const Camera& camera, double aspect, std::span<const DrawItem> items);

  /// Samples of the picture.
  struct Count {
    size_t all = 0;              // of moving items
    std::vector<size_t> hidden;  // those behind each item
    size_t all_hidden() const;
  };
  /// Draws the moving items and counts.
  Count count(std::span<const DrawItem> items) const;

 private:
  SampleGrid draw_items(std::span<const DrawItem> items, bool fixed) const;

  int width_, height_;
  Lens lens_;
  SampleGrid fixed_;
};

}  // namespace tumble::view::detail
