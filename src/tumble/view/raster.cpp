#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tumble/view/raster.h"
#include "tumble/view/tolerances.h"

namespace tumble::view {

namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0

// The samples i of one row with e >= 0: equation (1) solved for the column.
struct Edge {
  int64_t dx, dy, x, y, bias;

  Edge(const ScreenVertex& a, const ScreenVertex& b)
      : dx(b.x - a.x), dy(b.y - a.y), x(a.x), y(a.y), bias(dy > 0 || (dy == 0 && dx > 0) ? 0 : -1) {}

  void narrow(int64_t row_y, int64_t& first, int64_t& last) const {
    const int64_t e = dx * (row_y - y) - dy * (kSubsample / 2 - x) + bias;  // at column 0
    if (dy > 0)
      last = std::min(last, floor_div(e, kSubsample * dy));
    else if (dy < 0)
      first = std::max(first, -floor_div(e, kSubsample * -dy));
    else if (e < 0)
      last = first - 1;
  }
};

}  // namespace

SampleGrid::SampleGrid(int width, int height, int per_pixel)
    : width_(width),
      height_(height),
      per_pixel_(per_pixel),
      key_(static_cast<size_t>(width) * static_cast<size_t>(height), -std::numeric_limits<float>::infinity()),
      id_(key_.size(), kNothing) {
  // A step of about p^2/2 - 1 scatters neighbours. If it is coprime to p^2, it visits every sample once.
  const int count = per_pixel * per_pixel;
  int step = std::max(1, count / 2 - 1);
  while (std::gcd(step, count) != 1) ++step;
  for (int k = 0; k < count; ++k) rank_.push_back(k * step % count);
}

void SampleGrid::fill(const std::array<ScreenVertex, 3>& corners, uint32_t id, double opacity,
                      uint32_t seen_below) {
  ScreenVertex a = corners[0], b = corners[1], c = corners[2];
  int64_t area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (area == 0) return;
  if (area < 0) std::swap(b, c), area = -area;

  // The rows and columns whose samples can be inside.
  const auto [low_y, high_y] = std::minmax({a.y, b.y, c.y});
  const auto [low_x, high_x] = std::minmax({a.x, b.x, c.x});
  constexpr int64_t kHalf = kSubsample / 2;
  const int64_t top = std::max<int64_t>(0, floor_div(low_y + kHalf - 1, kSubsample));
  const int64_t bottom = std::min<int64_t>(height_ - 1, floor_div(high_y - kHalf, kSubsample));
  const int64_t left = std::max<int64_t>(0, floor_div(low_x + kHalf - 1, kSubsample));
  const int64_t right = std::min<int64_t>(width_ - 1, floor_div(high_x - kHalf, kSubsample));
  if (top > bottom || left > right) return;

  // The key is a linear function of the position in the picture.
  const double scale = 1 / static_cast<double>(area);
  const double ab = b.key - a.key, ac = c.key - a.key;
  const double key_x = (ab * static_cast<double>(c.y - a.y) - ac * static_cast<double>(b.y - a.y)) * scale;
  const double key_y = (ac * static_cast<double>(b.x - a.x) - ab * static_cast<double>(c.x - a.x)) * scale;

  const int filled = static_cast<int>(std::lround(opacity * static_cast<double>(rank_.size())));
  const int veil = static_cast<int>(std::lround((1 - kSeenThrough) * static_cast<double>(rank_.size())));
  const bool solid = filled >= static_cast<int>(rank_.size());

  const Edge edges[] = {{a, b}, {b, c}, {c, a}};
  for (int64_t row = top; row <= bottom; ++row) {
    const int64_t y = row * kSubsample + kHalf;
    int64_t first = left, last = right;
    for (const Edge& edge : edges) edge.narrow(y, first, last);
    if (first > last) continue;
    const double start = a.key + key_y * static_cast<double>(y - a.y) +
                         key_x * static_cast<double>(first * kSubsample + kHalf - a.x);
    const double step = key_x * static_cast<double>(kSubsample);
    const size_t base = at(static_cast<int>(first), static_cast<int>(row));
    const int* ranks = &rank_[static_cast<size_t>((row % per_pixel_) * per_pixel_)];
    for (size_t i = 0; i <= static_cast<size_t>(last - first); ++i) {
      const auto rank = [&] {
        return ranks[(static_cast<size_t>(first) + i) % static_cast<size_t>(per_pixel_)];
      };
      if (!solid && rank() >= filled) continue;
      const auto key = static_cast<float>(start + step * static_cast<double>(i));
      if (!(key > key_[base + i]) || (id_[base + i] < seen_below && rank() >= veil)) continue;
      key_[base + i] = key, id_[base + i] = id;
    }
  }
}

}  // namespace tumble::view
