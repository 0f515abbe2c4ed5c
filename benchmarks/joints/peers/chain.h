// Scenes that every engine runs, and what a run gives. All are chains of rigid links that hang on a fixed point: a gyroscope is
// a chain of one. SI units, world axes, gravity along -Y. Compiled as C++17 for Simbody's sake.
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
  Vector3d below = Vector3d::Zero();               // and to the one below
  Quaterniond rotation = Quaterniond::Identity();  // at the start
  Vector3d angular_velocity = Vector3d::Zero();    // at the start, rad/s
};

struct Chain {
  std::string name;
  double duration = 1;  // s
  bool planar = false;  // hinges about Z do the same as ball joints
  /// Body axes, outer to inner, of three hinges that may stand for a ball joint: singular where the middle one is at a right
  /// angle, so the one that turns least.
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
/// 4 m of rods hang down, the first one bent out by 45 degrees, and swing sideways, 1 m/s at the end.
Chain hanging_chain(int links, double duration);

/// Where the links are when they are turned like this: the joints are closed.
std::vector<Place> place_links(const Chain& chain, const std::vector<Quaterniond>& rotations);
std::vector<Place> start_places(const Chain& chain);

/// The largest of all links' errors: angle (rad), distance of the centre (m). NaN stays NaN.
double largest_error(const std::vector<Place>& places, const std::vector<Place>& wanted);

/// The chain's own equations in extended precision, by fixed steps of order 8: see reference.cpp.
std::vector<Place> integrate_reference(const Chain& chain, int steps);

struct Outcome {
  std::vector<Place> places;  // at the end; empty: the engine gave up
  double cpu = 0;             // s of this thread, from the first step to the last
};

/// One way to run one engine.
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
