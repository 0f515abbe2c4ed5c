// The specification of a joint, from a scene file or a program. Only `b`, and `axis` for the types that need
// one, are mandatory:
//   builder.add_joint({.name = "knee", .type = JointType::hinge, .a = thigh, .b = shin, .at = {0, 0.5, 0},
//                      .axis = {1, 0, 0}, .limits = Range{0, 2.6}});
// Points and directions are in world coordinates, in the start pose. The joint coordinate is the angle (rad,
// right-handed about `axis`) or the travel (m, along `axis`) of b relative to a. The coordinate of a ball
// joint is the rotation vector, with components along axis, axis2 and axis x axis2.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "tumble/core/diagnostic.h"
#include "tumble/model/joints.h"

namespace tumble::model {

struct Range {
  double lo = 0, hi = 0;
};

/// As a bound of a limit: the value that the coordinate has in the start pose. It is a NaN of its own; any
/// other NaN is refused.
inline constexpr double kAtStart = std::bit_cast<double>(uint64_t{0x7ff8000073746172});
inline bool is_at_start(double bound) {
  return std::bit_cast<uint64_t>(bound) == std::bit_cast<uint64_t>(kAtStart);
}

/// A motor or servo. Its effort is stiffness (target - x) + damping (velocity - x'), with an absolute value
/// of at most max_force.
struct DriveSpec {
  double target = 0;                                           // rad or m
  double velocity = 0;                                         // rad/s or m/s
  math::Vec3 target_rotation = math::Vec3::Zero();             // rad, ball joint: rotation vector
  math::Vec3 angular_velocity = math::Vec3::Zero();            // rad/s, ball joint: in the joint axes of a
  double stiffness = 0;                                        // N m/rad or N/m
  double damping = 0;                                          // N m s/rad or N s/m
  double max_force = std::numeric_limits<double>::infinity();  // N m or N
  /// Ball joint: if not zero, the drive acts on the rotation about this axis only, with `target` and
  /// `velocity`.
  math::Vec3 axis = math::Vec3::Zero();
};

struct JointSpec {
  std::string name = {};
  JointType type = JointType::ball;
  core::BodyId a = {};  // not valid: the world
  core::BodyId b = {};
  math::Vec3 at = math::Vec3::Zero();              // m
  std::optional<math::Vec3> at_a = {}, at_b = {};  // m, the point of a or b if it differs from `at`
  math::Vec3 axis = math::Vec3::Zero(), axis2 = math::Vec3::Zero();  // of any length; zero: not given
  /// The displacement from the start pose (rad or m) at which the joint coordinate is zero.
  double zero = 0;
  math::Vec3 zero_rotation = math::Vec3::Zero();  // rad, the same for a ball joint: rotation vector

  std::optional<double> length = {};  // m, of a distance joint; default: the distance in the start pose
  std::optional<Range> range = {};    // m, of a distance joint: a rope or strut instead of a rod

  // Bounds may be kAtStart. A start pose that passes a limit by a ten-thousandth of a radian, or of the size
  // of the bodies, is accepted with a warning, and the limit is widened to it.
  std::optional<Range> limits = {};  // rad or m: hinge, slider, travel of cylindrical
  std::optional<Range> twist = {};   // rad; ball, cylindrical: the rotation about the axis
  /// rad; ball, constant-velocity: the angle of a cone | largest angles about axis2 and axis x axis2 | lo hi
  /// lo hi about these two axes.
  std::vector<double> swing = {};
  /// rad; ball: limits of the components of the rotation vector.
  std::optional<Range> limits_x = {}, limits_y = {}, limits_z = {};
  /// A range inside `limits`, or inside `twist` of a ball joint. Outside of this range a soft spring acts.
  std::optional<Range> comfort = {};
  std::optional<double> comfort_swing = {};  // rad, the same for `swing`
  double restitution = 0;                    // of impacts at the limits

  double stiffness = 0;                           // N m/rad or N/m
  double damping = 0;                             // N m s/rad or N s/m
  double rest = 0;                                // rad or m: rest position of the spring
  math::Vec3 rest_rotation = math::Vec3::Zero();  // rad, the same for a ball joint
  std::vector<DriveSpec> drives = {};
  /// The joint coordinate follows the curve through these keys; hinge, slider, cylindrical.
  std::vector<CurveKey> script = {};
  std::vector<CurveKey> script_rotation[3] = {{}, {}, {}};  // the same for a ball joint, for each joint axis

  bool collide = false;  // whether the two bodies collide with each other
  core::Place place = {};
};

}  // namespace tumble::model
