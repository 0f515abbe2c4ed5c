// A body that follows a path, whatever touches it: its pose is a given function of time. Six rows tie it to the
// world, so that the multipliers are the force and torque that the path takes. With p(t), E(t) the path of the
// body's frame, c the centre of mass in it, w the angular velocity of E and x, R the pose of the body,
//   C = [ x - p - E c ;  2 d_v ],   [d_w, d_v] the quaternion of E^T R                                  6 rows
//   dC/dt = [ -p' - w x E c ; ... ],   bias = [ -p'' - w' x E c - w x (w x E c) ; joint_rows.h (8) ]         (1)
// The path has a position, an orientation or both; the part without keys stays as it is at the start.
// Orientations are rotation vectors, axis times angle, which may go beyond a turn, or quaternions, of which each
// differs from the next by less than half a turn.
#pragma once

#include <limits>
#include <span>

#include "tumble/math/quat.h"
#include "tumble/model/curve.h"
#include "tumble/model/joint_rows.h"
#include "tumble/model/tolerances.h"

namespace tumble::model {

/// One key of a path. At least one part is given; an orientation in one form only.
struct PathKey {
  double t = 0;                                    // s
  std::optional<math::Vec3> position = {};         // m
  std::optional<math::Vec3> velocity = {};         // m/s
  std::optional<math::Vec3> rotation_vector = {};  // rad
  std::optional<math::Quat> quaternion = {};
  std::optional<math::Vec3> angular_velocity = {};      // rad/s, world axes
  Interpolation interpolation = Interpolation::smooth;  // of the piece that begins here
};

/// What a body follows.
struct PathSpec {
  std::vector<PathKey> keys;
  bool of_center = false;   // positions are of the centre of mass, not of the origin of the body's frame
  bool pose_given = false;  // the body has a pose of its own: a path that begins elsewhere is a warning
  double release = std::numeric_limits<double>::infinity();  // s: free from then on
};

/// "" if a path can be made of it, else what is wrong.
std::string find_path_fault(const PathSpec& spec);

/// The path of a body's frame.
class BodyPath {
 public:
  /// `start`: where a part without keys stays. `center_B`: the centre of mass. The spec must be without fault.
  BodyPath(const PathSpec& spec, const math::Pose& start, const math::Vec3& center_B);

  /// The motion of the centre of mass.
  struct Point {
    math::Vec3 center, velocity, acceleration;  // m, m/s, m/s^2
    rows::RotationOverTime rotation;
  };
  Point at(double t) const;
  /// Times at which some derivative jumps.
  std::vector<double> switch_times() const;
  /// s: the body is free from then on; infinity: never.
  double release() const { return release_; }

  /// The largest speed and acceleration of any point within `radius` of the centre of mass, sampled between keys.
  struct Extent {
    double speed = 0, acceleration = 0;  // m/s, m/s^2
  };
  Extent compute_extent(double radius) const;

 private:
  math::Pose start_;
  math::Vec3 offset_B_;                 // m: from the point that positions are of to the centre of mass
  std::vector<Curve> position_;         // three, or none
  std::vector<Curve> rotation_vector_;  // three, or none
  std::vector<Curve> quaternion_;       // four, or none
  double release_;
};

/// The constraint that makes a body follow its path.
class BodyScript final : public Constraint {
 public:
  /// Its name is that of the body.
  BodyScript(std::string body_name, core::BodyId body, BodyPath path);

  const BodyPath& path() const { return path_; }
  bool is_angle(int row) const override { return row >= 3; }
  int first_script_row() const override { return 0; }
  std::vector<double> switch_times() const override;
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override;

 private:
  BodyPath path_;
};

/// What is left of it after the release: nothing holds the body.
class ReleasedScript final : public Constraint {
 public:
  explicit ReleasedScript(const BodyScript& script)
      : Constraint(script.name(), script.type(), script.a(), script.b(), 0) {}
  bool is_angle(int) const override { return false; }
  void evaluate(double, const BodyMotion&, const BodyMotion&, ConstraintRows&) const override {}
};

/// Whether a release is due at time t, but for the rounding of t.
inline bool is_release_due(double release, double t) { return t >= release - kTimeRounding * release; }

}  // namespace tumble::model
