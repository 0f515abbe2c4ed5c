// The camera of a picture.
//   A point p has the camera coordinates (x, y, z) = (right, up, forward)^T (p - eye) and is drawn at
//   (x / (w a t), y / (w t)) of a picture from -1 to 1, a = width/height                                (1)
//   perspective: w = z, t = tan(fov/2);  parallel: w = 1, t = half the height that the picture shows
#pragma once

#include <optional>
#include <span>

#include "tumble/view/draw_list.h"

namespace tumble::view {

struct Camera {
  math::Vec3 eye = math::Vec3(0, 0, 5);      // m, world
  math::Vec3 target = math::Vec3::Zero();    // m, world; in the middle of the picture
  math::Vec3 up = math::Vec3::UnitY();       // need not be a unit vector
  double vertical_fov = 0.5235987755982988;  // rad, 30 degrees
  double parallel_height = 0;                // m, of a parallel projection; 0: perspective
};

/// Where the camera stands, seen from the subject. Azimuth 0 is the front: +Z where Y is up, -Y where Z is
/// up. It grows to the right, so that 90 degrees is +X. Elevation 90 degrees is above.
struct ViewAngles {
  double azimuth = 0, elevation = 0;  // rad
};

/// The angles of a camera.
ViewAngles angles_of(const Camera& camera, const math::Vec3& up);

/// What a choice of camera leaves open is chosen automatically.
struct CameraOptions {
  std::optional<ViewAngles> angles;          // default: a three-quarter view
  std::optional<math::Vec3> look_at;         // m, world; in the middle of the picture
  double vertical_fov = 0.5235987755982988;  // rad, 30 degrees
  bool parallel = false;                     // without perspective
  double zoom = 1;                           // bodies look this much larger
};

/// A bounding sphere of the subject of the picture: of the moving bodies, and of fixed bodies of similar size
/// near them. Planes are never part of it.
struct Subject {
  math::Vec3 center = math::Vec3::Zero();  // m, world
  double radius = 1;                       // m
  double lowest = 0;                       // m, least height along `up` of any point
  bool has_floor = false;                  // a plane, or a fixed body larger than all moving ones
};
Subject find_subject(std::span<const DrawItem> items, const math::Vec3& up);

/// A view from as near as possible, so that the whole subject is in the picture with a small margin. For a
/// whole motion see Framing.
Camera automatic_camera(std::span<const DrawItem> items, const math::Vec3& up, double aspect,
                        const CameraOptions& options = {});

}  // namespace tumble::view
