// Projection from the world to the picture: equation (1) of camera.h.
#pragma once

#include "tumble/view/camera.h"

namespace tumble::view::detail {

/// A unit vector: `up` itself, or +Y where it is zero or not finite.
math::Vec3 upright(const math::Vec3& up);

/// Whether an item has a mesh and a pose that can be drawn.
bool is_drawable(const DrawItem& item);

/// A camera with its axes and the size of its picture.
struct Projection {
  Projection(const Camera& camera, int width, int height);

  math::Vec3 to_camera(const math::Vec3& p_W) const { return R_CW * (p_W - eye); }
  /// Direction of the ray through the point (x, y), in pixels from the top left corner. Its forward component
  /// is 1; it is not a unit vector.
  math::Vec3 ray(double x, double y) const {
    return forward + right * (tan_x * (2 * x / width - 1)) + up * (tan_y * (1 - 2 * y / height));
  }
  /// Size of one pixel in the world, at depth z.
  double pixel_at(double z) const { return 2 * tan_y * z / height; }

  math::Vec3 eye, right, up, forward;
  math::Mat3 R_CW;       // rows right, up, forward
  double width, height;  // pixels
  double tan_x, tan_y;   // of half the angle of view
  double near;           // m
};

}  // namespace tumble::view::detail
