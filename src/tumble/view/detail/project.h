// Projection from the world to the picture: equation (1) of camera.h.
#pragma once

#include "tumble/view/camera.h"

namespace tumble::view::detail {

/// A unit vector: `up` itself, or +Y where it is zero or not finite.
math::Vec3 upright(const math::Vec3& up);

/// Whether an item has a mesh and a pose that can be drawn.
bool is_drawable(const DrawItem& item);

/// Maps world points to a SampleGrid: a perspective view or a parallel one.
struct Lens {
  math::Mat3 R_CW;          // axes of the view: right, up, forward
  math::Vec3 origin;        // m, world
  double scale_x, scale_y;  // the picture is -1 to 1 in x/(w scale_x) and y/(w scale_y)
  bool perspective;         // w = z, else w = 1
  double near;              // m, least z of a perspective view
};

/// A line of sight. The forward component of `direction` is 1; it is not a unit vector.
struct Ray {
  math::Vec3 origin, direction;
};

/// A camera with its axes and the size of its picture.
struct Projection {
  Projection(const Camera& camera, int width, int height);
  /// A picture of height 1.
  Projection(const Camera& camera, double aspect);

  math::Vec3 to_camera(const math::Vec3& p_W) const { return R_CW * (p_W - eye); }
  /// w of equation (1) at depth z.
  double depth_scale(double z) const { return parallel ? 1 : z; }
  /// The ray through the point (x, y), in pixels from the top left corner.
  Ray ray(double x, double y) const {
    const math::Vec3 aside = right * (tan_x * (2 * x / width - 1)) + up * (tan_y * (1 - 2 * y / height));
    return parallel ? Ray{eye + aside, forward} : Ray{eye, forward + aside};
  }
  /// Direction from the eye to a point; not a unit vector.
  math::Vec3 sight(const math::Vec3& p_W) const { return parallel ? forward : math::Vec3(p_W - eye); }
  /// Size of one pixel in the world, at depth z.
  double pixel_at(double z) const { return 2 * tan_y * depth_scale(z) / height; }
  Lens lens() const { return {R_CW, eye, tan_x, tan_y, !parallel, near}; }

  math::Vec3 eye, right, up, forward;
  math::Mat3 R_CW;       // rows right, up, forward
  double width, height;  // pixels
  double tan_x, tan_y;   // of half the angle of view; in a parallel projection m, half the size of the view
  double near;           // m
  bool parallel;

 private:
  Projection(const Camera& camera, double width_px, double height_px, int);
};

}  // namespace tumble::view::detail
