// The camera of a picture.
//   A point p has the camera coordinates (x, y, z) = (right, up, forward)^T (p - eye) and is drawn at
//   (x / (z a t), y / (z t)) of a picture from -1 to 1, with t = tan(fov/2), a = width/height           (1)
#pragma once

#include <span>

#include "tumble/view/draw_list.h"

namespace tumble::view {

struct Camera {
  math::Vec3 eye = math::Vec3(0, 0, 5);      // m, world
  math::Vec3 target = math::Vec3::Zero();    // m, world; in the middle of the picture
  math::Vec3 up = math::Vec3::UnitY();       // need not be a unit vector
  double vertical_fov = 0.5235987755982988;  // rad, 30 degrees
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

/// A three-quarter view from as near as possible, so that the whole subject is in the picture with a small
/// margin. To show a whole motion, pass the items of several states.
Camera automatic_camera(std::span<const DrawItem> items, const math::Vec3& up, double aspect);

}  // namespace tumble::view
