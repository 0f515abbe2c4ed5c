// What a scene, or a program, says about a joint. Everything is optional but `b` and, where the type has one, `axis`:
//   builder.add_joint({.name = "knee", .type = JointType::hinge, .a = thigh, .b = shin, .at = {0, 0.5, 0},
//                      .axis = {1, 0, 0}, .limits = Range{0, 2.6}});
// Points and directions are in world coordinates at the start. The coordinate of a joint is the angle (rad) or travel
// (m) of b relative to a, right-handed about `axis`; of a ball joint the rotation vector along (axis, axis2, axis x axis2).
#pragma once

#include <limits>

#include "tumble/core/diagnostic.h"
#include "tumble/model/joints.h"

namespace tumble::model {

struct Range {
  double lo = 0, hi = 0;
};

/// A motor or servo: its effort is stiffness (target - x) + damping (velocity - x'), at most max_force.
struct DriveSpec {
  double target = 0;                                           // rad or m
  double velocity = 0;                                         // rad/s or m/s
  math::Vec3 target_rotation = math::Vec3::Zero();             // ball: rotation vector
  math::Vec3 angular_velocity = math::Vec3::Zero();            // ball, rad/s, joint axes of a
  double stiffness = 0;                                        // N m/rad or N/m
  double damping = 0;                                          // N m s/rad or N s/m
  double max_force = std::numeric_limits<double>::infinity();  // N m or N
  math::Vec3 axis = math::Vec3::Zero();  // ball: drives only the turn about this, by target and velocity
};

struct JointSpec {
  std::string name = {};
  JointType type = JointType::ball;
  core::BodyId a = {};  // none: the world
  core::BodyId b = {};
  math::Vec3 at = math::Vec3::Zero();              // m
  std::optional<math::Vec3> at_a = {}, at_b = {};  // m, where the point of a or b is another than `at`
  math::Vec3 axis = math::Vec3::Zero(), axis2 = math::Vec3::Zero();  // of any length; zero: not given
  /// The coordinate is zero where it has gone this far from the start pose; rad or m.
  double zero = 0;
  math::Vec3 zero_rotation = math::Vec3::Zero();  // the same of a ball joint: rotation vector

  std::optional<double> length = {};  // m, distance; default: as it stands
  std::optional<Range> range = {};    // m, distance: a rope or strut instead of a rod

  std::optional<Range> limits = {};  // hinge, slider, travel of cylindrical
  std::optional<Range> twist = {};   // rad; ball, cylindrical: the turn about the axis
  std::vector<double> swing =
      {};  // rad; ball, constant-velocity: cone | about axis2, axis x axis2 | lo hi lo hi
  std::optional<Range> limits_x = {}, limits_y = {},
                       limits_z = {};  // rad; ball: parts of the rotation vector
  std::optional<Range> comfort =
      {};  // inside limits, or inside twist of a ball joint: soft resistance beyond
  std::optional<double> comfort_swing = {};  // rad, inside swing
  double restitution = 0;                    // at a limit

  double stiffness = 0;                           // N m/rad or N/m
  double damping = 0;                             // N m s/rad or N s/m
  double rest = 0;                                // rad or m: where the spring is slack
  math::Vec3 rest_rotation = math::Vec3::Zero();  // the same of a ball joint
  std::vector<DriveSpec> drives = {};
  std::vector<CurveKey> script =
      {};  // the coordinate follows a curve through these; hinge, slider, cylindrical
  std::vector<CurveKey> script_rotation[3] = {{}, {}, {}};  // the same of a ball joint, by axes of the joint

  bool collide = false;  // whether the two bodies may touch
  core::Place place = {};
};

}  // namespace tumble::model
