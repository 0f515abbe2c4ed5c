#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"
#include "tumble/view/detail/shadow_map.h"
#include "tumble/view/tolerances.h"

namespace tumble::view::detail {

namespace {

using math::Vec3;

constexpr int kMapSize = 2048;
constexpr int kTile = 64;  // texels; the nearest depth of each tile finds most lit points quickly
constexpr int kTiles = kMapSize / kTile;
constexpr double kLightSize = 0.22;  // width of the penumbra per distance: a large soft lamp
constexpr double kReach =
    50;  // texels, less than a tile: largest penumbra and radius of the search for occluders
constexpr double kNormalOffset =
    2.5;  // texels that a point is lifted off its surface, to avoid self-shadowing
constexpr double kLeastFlatness = 0.1;  // smallest cosine between normal and light that is used
constexpr size_t kSearchPoints = 16, kFilterPoints = 64;
constexpr size_t kRimPoints = 14, kMiddlePoints = 4;  // of the filter: looked at first

// Evenly spread points of the unit disc, in a sunflower pattern.
template <size_t n>
std::array<std::array<double, 2>, n> disc_points() {
  std::array<std::array<double, 2>, n> points;
  for (size_t i = 0; i < n; ++i) {
    const double r = math::sqrt((static_cast<double>(i) + 0.5) / n);
    const double angle = static_cast<double>(i) * (math::kPi * (3 - math::sqrt(5.0)));
    points[i] = {r * math::cos(angle), r * math::sin(angle)};
  }
  return points;
}

size_t tile_at(int x, int y) { return static_cast<size_t>(y) * kTiles + static_cast<size_t>(x); }

Lens light_lens(const Subject& subject, const Vec3& to_light) {
  const Vec3 right = to_light.unitOrthogonal(), up = to_light.cross(right);
  Lens lens;
  lens.R_CW << right.transpose(), up.transpose(), -to_light.transpose();
  lens.origin = subject.center;
  lens.scale_x = lens.scale_y = kShadowReach * subject.radius;
  lens.perspective = false;
  lens.near = 0;
  return lens;
}

}  // namespace

ShadowMap::ShadowMap(std::span<const Surface> surfaces, const Subject& subject, const Vec3& to_light)
    : lens_(light_lens(subject, to_light)), texel_(2 * lens_.scale_x / kMapSize), grid_(kMapSize, kMapSize) {
  for (const Surface& surface : surfaces)
    if (surface.casts_shadow()) draw(surface, lens_, grid_);
  build_tiles();
}

// The nearest depth in each tile and its eight neighbours. The search radius does not reach beyond them.
void ShadowMap::build_tiles() {
  std::vector<double> own(size_t{kTiles} * kTiles, std::numeric_limits<double>::infinity());
  for (int y = 0; y < kMapSize; ++y)
    for (int x = 0; x < kMapSize; ++x) {
      double& nearest = own[tile_at(x / kTile, y / kTile)];
      nearest = std::min(nearest, depth(x, y));
    }
  nearest_ = own;
  for (int y = 0; y < kTiles; ++y)
    for (int x = 0; x < kTiles; ++x)
      for (int j = std::max(0, y - 1); j <= std::min(kTiles - 1, y + 1); ++j)
        for (int i = std::max(0, x - 1); i <= std::min(kTiles - 1, x + 1); ++i)
          nearest_[tile_at(x, y)] = std::min(nearest_[tile_at(x, y)], own[tile_at(i, j)]);
}

// Bilinear between the four nearest texels. All points outside of the map are lit.
double ShadowMap::share_lit(double x, double y, double z) const {
  const double fx = x - 0.5, fy = y - 0.5;
  if (!(fx >= 0 && fy >= 0 && fx < kMapSize - 1 && fy < kMapSize - 1)) return 1;
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  const double ax = fx - ix, ay = fy - iy;
  const auto lit = [&](int dx, int dy) { return depth(ix + dx, iy + dy) >= z ? 1.0 : 0.0; };
  return (1 - ay) * ((1 - ax) * lit(0, 0) + ax * lit(1, 0)) + ay * ((1 - ax) * lit(0, 1) + ax * lit(1, 1));
}

double ShadowMap::light_at(const Vec3& point, const Vec3& normal) const {
  static const auto search = disc_points<kSearchPoints>();
  static const auto filter = disc_points<kFilterPoints>();
  const Vec3 p = lens_.R_CW * (point + normal * (kNormalOffset * texel_) - lens_.origin);
  const double x = (1 + p.x() / lens_.scale_x) * kMapSize / 2, y = (1 - p.y() / lens_.scale_y) * kMapSize / 2;
  if (!(x >= 0 && y >= 0 && x < kMapSize && y < kMapSize)) return 1;
  if (nearest_[tile_at(static_cast<int>(x) / kTile, static_cast<int>(y) / kTile)] >= p.z()) return 1;

  // How much deeper the surface is dx and dy texels away. Without this it would shadow itself.
  const Vec3 n = lens_.R_CW * normal;
  const double flatness = std::max(-n.z(), kLeastFlatness);
  const auto rise = [&](double dx, double dy) { return (n.x() * dx - n.y() * dy) * texel_ / flatness; };

  double sum = 0;
  int count = 0;
  for (const auto& [sx, sy] : search) {
    const double tx = x + kReach * sx, ty = y + kReach * sy;
    if (!(tx >= 0 && ty >= 0 && tx < kMapSize && ty < kMapSize)) continue;
    const double d =
        p.z() + rise(kReach * sx, kReach * sy) - depth(static_cast<int>(tx), static_cast<int>(ty));
    if (d > 0 && std::isfinite(d)) sum += d, ++count;
  }
  if (count == 0) return 1;
  const double width = std::clamp(kLightSize * (sum / count) / texel_, 1.5, kReach);
  const auto lit_at = [&](size_t i) {
    const auto& [sx, sy] = filter[i];
    return share_lit(x + width * sx, y + width * sy, p.z() + rise(width * sx, width * sy));
  };
  // Most points are outside of penumbras: the rim of the disc and its middle say so.
  double lit = 0;
  for (size_t i = kFilterPoints - kRimPoints; i < kFilterPoints; ++i) lit += lit_at(i);
  for (size_t i = 0; i < kMiddlePoints; ++i) lit += lit_at(i);
  if (lit == 0) return 0;
  if (lit == kRimPoints + kMiddlePoints) return 1;
  for (size_t i = kMiddlePoints; i < kFilterPoints - kRimPoints; ++i) lit += lit_at(i);
  return lit / kFilterPoints;
}

}  // namespace tumble::view::detail
