#include "tumble/view/detail/occlusion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tumble::view::detail {

namespace {
constexpr int kHeight = 90;  // samples: a body of a tenth of the height still has some dozen
}

Occlusion::Occlusion(const Camera& camera, double aspect, std::span<const DrawItem> items)
    : width_(std::clamp(static_cast<int>(std::lround(kHeight * aspect)), 1, 16 * kHeight)),
      height_(kHeight),
      lens_(Projection(camera, aspect).lens()),
      fixed_(draw_items(items, true)) {}

SampleGrid Occlusion::draw_items(std::span<const DrawItem> items, bool fixed) const {
  SampleGrid all(width_, height_);
  for (size_t i = 0; i < items.size(); ++i) {
    const DrawItem& item = items[i];
    if (item.fixed != fixed || !is_drawable(item)) continue;
    draw({.mesh = item.mesh,
          .normals = nullptr,
          .R_WS = item.X_WS.rotation.normalized().to_matrix(),
          .p_WS = item.X_WS.translation,
          .color = Rgb::Zero(),
          .kind = SurfaceKind::body,
          .fade = 0,
          .first_id = static_cast<uint32_t>(i),
          .one_id = true},
         lens_, all);
  }
  return all;
}

size_t Occlusion::Count::all_hidden() const {
  return std::accumulate(hidden.begin(), hidden.end(), size_t{0});
}

Occlusion::Count Occlusion::count(std::span<const DrawItem> items) const {
  const SampleGrid moving = draw_items(items, false);
  Count count{0, std::vector<size_t>(items.size(), 0)};
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      if (moving.id(x, y) == kNothing) continue;
      ++count.all;
      if (fixed_.id(x, y) != kNothing && fixed_.key(x, y) > moving.key(x, y)) ++count.hidden[fixed_.id(x, y)];
    }
  return count;
}

}  // namespace tumble::view::detail
