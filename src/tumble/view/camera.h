// Where the picture is taken from.
//   A point p stands at (x, y, z) = (right, up, forward)^T (p - eye) before the camera and at
//   (x / (z a t), y / (z t)) on a picture that reaches from -1 to 1, t = tan(fov/2), a = width/height    (1)
#pragma once

#include <span>

#include "tumble/view/draw_list.h"

namespace tumble::view {

struct Camera {
  math::Vec3 eye = math::Vec3(0, 0, 5);      // m, world
  math::Vec3 target = math::Vec3::Zero();    // m, in the middle of the picture
  math::Vec3 up = math::Vec3::UnitY();       // need not be a unit vector
  double vertical_fov = 0.5235987755982988;  // rad, 30 degrees
};

/// A ball round what the picture is about: the moving bodies, and fixed ones of like size near them; planes
/// never.
struct Subject {
  math::Vec3 center = math::Vec3::Zero();  // m, world
  double radius = 1;                       // m
  double lowest = 0;                       // m, least height along `up` of any point
  bool has_floor = false;                  // a plane, or a fixed body larger than all that moves
};
Subject find_subject(std::span<const DrawItem> items, const math::Vec3& up);

/// A three-quarter view that holds the whole subject with a small margin, as near as it can be. Give the
/// items of several states to hold a whole motion.
Camera automatic_camera(std::span<const DrawItem> items, const math::Vec3& up, double aspect);

}  // namespace tumble::view
