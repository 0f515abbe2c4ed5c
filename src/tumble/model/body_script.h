// A kinematic body: its pose is a prescribed function of time, and contact forces do not change it. Six
// constraint rows tie the body to the world. Their multipliers are the force and torque that the prescribed
// motion needs. p(t), E(t) is the prescribed pose of the body's frame, c the centre of mass in this frame,
// w the angular velocity of E, and x, R the pose of the body:
//   C = [ x - p - E c ;  2 d_v ],   [d_w, d_v] the quaternion of E^T R                               6 rows
//   rate = [ -p' - w x E c ; ... ],   bias = [ -p'' - w' x E c - w x (w x E c) ; joint_rows.h (8) ]       (1)
// rate is the partial derivative of C in time.
// The keys of a path give positions, orientations or both. A part without keys keeps its start value.
// Orientations are rotation vectors (axis times angle) or quaternions. A rotation vector may be longer than
// 2 pi. Successive quaternions must differ by a rotation of less than pi.
#pragma once

#include <limits>
#include <span>

#include "tumble/math/quat.h"
#include "tumble/model/curve.h"
#include "tumble/model/joint_rows.h"
#include "tumble/model/tolerances.h"

namespace tumble::model {

/// One key of a path. It gives a position, an orientation or both. The orientation is either a rotation
/// vector or a quaternion.
struct PathKey {
  double t = 0;                                    // s
  std::optional<math::Vec3> position = {};         // m
  std::optional<math::Vec3> velocity = {};         // m/s
  std::optional<math::Vec3> rotation_vector = {};  // rad
  std::optional<math::Quat> quaternion = {};
  std::optional<math::Vec3> angular_velocity = {};      // rad/s, world axes
  Interpolation interpolation = Interpolation::smooth;  // of the piece that begins here
};

/// The prescribed motion of a kinematic body.
struct PathSpec {
  std::vector<PathKey> keys;
  bool of_center = false;       // positions are of the centre of mass, not of the origin of the body's frame
  bool velocity_given = false;  // the body also has an explicit velocity; another one gives a warning
  bool pose_given =
      false;  // the body also has an explicit pose; a path that starts elsewhere gives a warning
  double release = std::numeric_limits<double>::infinity();  // s: the body is dynamic from this time on
};

/// Returns "" if the spec is valid, else an error message.
std::string find_path_fault(const PathSpec& spec);

/// The path of a body's frame.
class BodyPath {
 public:
  /// `start`: the start pose of the body, used for a part without keys. `center_B`: the centre of mass in the
  /// body's frame. The spec must be valid (find_path_fault).
  BodyPath(const PathSpec& spec, const math::Pose& start, const math::Vec3& center_B);

  /// The motion of the centre of mass.
  struct Point {
    math::Vec3 center, velocity, acceleration;  // m, m/s, m/s^2
    rows::RotationOverTime rotation;
  };
  Point at(double t) const;
  /// Times at which a derivative of the path is discontinuous.
  std::vector<double> switch_times() const;
  /// The time (s) from which on the body is dynamic; infinity: never.
  double release_time() const { return release_; }

  /// The largest speed and acceleration of any point within `radius` of the centre of mass. They are sampled
  /// between the keys.
  struct Extent {
    double speed = 0, acceleration = 0;  // m/s, m/s^2
  };
  Extent compute_extent(double radius) const;

 private:
  math::Pose start_;
  math::Vec3 offset_B_;                 // m: from the point that the positions describe to the centre of mass
  std::vector<Curve> position_;         // three, or none
  std::vector<Curve> rotation_vector_;  // three, or none
  std::vector<Curve> quaternion_;       // four, or none
  double release_;
};

/// The constraint that keeps a kinematic body on its path.
class BodyScript final : public Constraint {
 public:
  /// The constraint has the name of the body.
  BodyScript(std::string body_name, core::BodyId body, BodyPath path);

  const BodyPath& path() const { return path_; }
  bool is_angle(int row) const override { return row >= 3; }
  int first_script_row() const override { return 0; }
  std::vector<double> switch_times() const override;
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override;

 private:
  BodyPath path_;
};

/// Replaces a BodyScript after the release. It has no rows, so it does not constrain the body.
class ReleasedScript final : public Constraint {
 public:
  explicit ReleasedScript(const BodyScript& script)
      : Constraint(script.name(), script.type(), script.a(), script.b(), 0) {}
  bool is_angle(int) const override { return false; }
  void evaluate(double, const BodyMotion&, const BodyMotion&, ConstraintRows&) const override {}
};

/// Whether the release time has been reached at time t, up to the rounding error of t.
inline bool is_release_due(double release, double t) { return t >= release - kTimeRounding * release; }

}  // namespace tumble::model
