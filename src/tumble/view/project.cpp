#include <cmath>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"
#include "tumble/view/detail/project.h"
#include "tumble/view/tolerances.h"

namespace tumble::view::detail {

using math::Vec3;

Vec3 upright(const Vec3& up) {
  const double length = up.stableNorm();
  return length > 0 && std::isfinite(length) ? Vec3(up / length) : Vec3(Vec3::UnitY());
}

bool is_drawable(const DrawItem& item) {
  const math::Quat& q = item.X_WS.rotation;
  return item.mesh && !item.mesh->triangles.empty() && q.norm() > 0 && q.norm() < 2 &&
         item.X_WS.translation.cwiseAbs().maxCoeff() < kMaxDistance && item.X_WS.translation.allFinite();
}

Projection::Projection(const Camera& camera, int width_px, int height_px)
    : Projection(camera, static_cast<double>(width_px), static_cast<double>(height_px), 0) {}

Projection::Projection(const Camera& camera, double aspect) : Projection(camera, aspect, 1, 0) {}

Projection::Projection(const Camera& camera, double width_px, double height_px, int)
    : eye(camera.eye), width(width_px), height(height_px), parallel(camera.parallel_height > 0) {
  const Vec3 to_target = camera.target - camera.eye;
  const double distance = to_target.stableNorm();
  TUMBLE_REQUIRE(camera.eye.allFinite() && distance > 0 && distance < kMaxDistance,
                 "a camera needs a target away from its eye");
  TUMBLE_REQUIRE(camera.vertical_fov > 0 && camera.vertical_fov < math::kPi, "0 < vertical_fov < pi");
  TUMBLE_REQUIRE(camera.parallel_height >= 0 && camera.parallel_height < kMaxDistance,
                 "parallel_height is not negative");
  forward = to_target / distance;
  const Vec3 side = forward.cross(upright(camera.up));
  // If the camera looks along `up`, any direction can be the right one.
  right = side.norm() > kVerticalSine ? Vec3(side.normalized()) : Vec3(forward.unitOrthogonal());
  up = right.cross(forward);
  R_CW << right.transpose(), up.transpose(), forward.transpose();
  tan_y = parallel ? camera.parallel_height / 2 : std::tan(camera.vertical_fov / 2);
  tan_x = tan_y * width / height;
  near = kNearFraction * distance;
}

}  // namespace tumble::view::detail
