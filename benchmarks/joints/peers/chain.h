// Scenes for all engines, and the result of a run. All are chains of rigid links that hang from a fixed
// point; a gyroscope is a chain of one link. SI units, world axes, gravity along -Y. Compiled as C++17
// because of Simbody.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <string>
#include <vector>

namespace peers {

using Eigen::Quaterniond;
using Eigen::Vector3d;

inline constexpr double kGravity = 9.81;  // m/s^2

struct Link {
  double mass = 1;                                 // kg
  Vector3d moments = Vector3d::Ones();             // kg m^2, principal, about the centre of mass
  Vector3d above = Vector3d::Zero();               // from the centre to the joint above, body axes
  Vector3d below = Vector3d::Zero();               // from the centre to the joint below
  Quaterniond rotation = Quaterniond::Identity();  // at the start
  Vector3d angular_velocity = Vector3d::Zero();    // at the start, rad/s
};

struct Chain {
  std::string name;
  double duration = 1;  // s
  bool planar = false;  // hinges about Z give the same motion as ball joints
  /// Body axes, outer to inner, of three hinges that can replace a ball joint. They are singular if the
  /// middle hinge is at a right angle, so its axis is the one with the least rotation.
  Vector3d gimbal[3] = {Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
  std::vector<Link> links = {};
};

struct Place {
  Vector3d center = Vector3d::Zero();
  Quaterniond rotation = Quaterniond::Identity();
};

Chain gyroscope();
Chain double_pendulum();
Chain spatial_chain(int links, double duration);
/// 4 m of rods hang down, the first one at 45 degrees, and swing sideways, with 1 m/s at the end.
Chain hanging_chain(int links, double duration);

/// Positions of the links for given rotations, with closed joints.
std::vector<Place> place_links(const Chain& chain, const std::vector<Quaterniond>& rotations);
std::vector<Place> start_places(const Chain& chain);

/// The largest error of all links: angle (rad), distance of the centre (m). NaN stays NaN.
double largest_error(const std::vector<Place>& places, const std::vector<Place>& wanted);

/// Integrates the equations of the chain in extended precision, with fixed steps of order 8: see
/// reference.cpp.
std::vector<Place> integrate_reference(const Chain& chain, int steps);

struct Outcome {
  std::vector<Place> places;  // at the end; empty if the engine failed
  double cpu = 0;             // s of this thread, from the first step to the last
};

/// One setting of one engine.
struct Setting {
  std::string engine, variant;
  double value;  // accuracy, or steps per second
  std::function<Outcome()> run;
};
std::vector<Setting> tumble_settings(const Chain& chain);
std::vector<Setting> simbody_settings(const Chain& chain);
std::vector<Setting> mujoco_settings(const Chain& chain);

double thread_seconds();

}  // namespace peers
