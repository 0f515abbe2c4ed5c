// Soft shadows of a distant light. A point is dark if an occluder is nearer to the light.
//   The mean distance d to the occluders around the point gives the width of the penumbra,
//   width = kLightSize d. The light is the fraction of points within that width that are lit.             (1)
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

  /// 0 dark .. 1 lit, at a point of a surface with this normal (world).
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
