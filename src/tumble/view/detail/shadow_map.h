// Soft shadows of a light that is far away. Seen from the light, a point is dark when something is nearer:
//   the mean distance d of what is nearer, among points round it, gives the width of the half shadow,
//   width = kLightSize d, and the share of points of that width that are lit gives the light.            (1)
#pragma once

#include <span>

#include "tumble/view/camera.h"
#include "tumble/view/detail/surface.h"
#include "tumble/view/raster.h"

namespace tumble::view::detail {

class ShadowMap {
 public:
  /// to_light is a unit vector.
  ShadowMap(std::span<const Surface> surfaces, const Subject& subject, const math::Vec3& to_light);

  /// 0 dark .. 1 lit, at a point of a surface with that normal (world).
  double light_at(const math::Vec3& point, const math::Vec3& normal) const;

 private:
  double depth(int x, int y) const { return -static_cast<double>(grid_.key(x, y)); }  // m
  void build_tiles();
  double share_lit(double x, double y, double z) const;

  Lens lens_;
  double texel_;  // m
  SampleGrid grid_;
  std::vector<double> nearest_;  // m, of each tile
};

}  // namespace tumble::view::detail
