// Finds the visible triangle at each sample of a grid.
//   Corners are rounded to 1/256 of a sample, and all decisions use these integers. So a sample on the common
//   edge of two triangles belongs to exactly one of them: no cracks, no overlaps.
//   p is inside if e(p) = dx (p.y - a.y) - dy (p.x - a.x) >= 0 for the three edges a -> a + (dx, dy).     (1)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tumble::view {

inline constexpr int64_t kSubsample = 256;
inline constexpr uint32_t kNothing = 0xffffffffu;

struct ScreenVertex {
  int64_t x = 0, y = 0;  // 1/256 sample, y downwards
  double key = 0;        // increases towards the eye and is linear in the picture
};

/// The nearest triangle and its key at each sample. A partly opaque triangle fills only a part of the samples
/// of each pixel. In the mean, triangles behind it are visible through it, in the right order.
class SampleGrid {
 public:
  /// per_pixel: samples per pixel in each direction.
  SampleGrid(int width, int height, int per_pixel = 1);

  int width() const { return width_; }
  int height() const { return height_; }
  float key(int x, int y) const { return key_[at(x, y)]; }
  uint32_t id(int x, int y) const { return id_[at(x, y)]; }
  const uint32_t* id_row(int y) const { return &id_[at(0, y)]; }

  /// Draws both sides. Corners must be within 2^27 of the origin. opacity: 0 invisible .. 1 opaque. Triangles
  /// with ids below `seen_below` that are behind it keep kSeenThrough of their samples.
  void fill(const std::array<ScreenVertex, 3>& corners, uint32_t id, double opacity = 1,
            uint32_t seen_below = 0);

 private:
  size_t at(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }
  int width_, height_, per_pixel_;
  std::vector<int> rank_;  // of each sample of a pixel in the order of filling
  std::vector<float> key_;
  std::vector<uint32_t> id_;
};

}  // namespace tumble::view
