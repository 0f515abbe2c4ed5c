// Scenes with contact for all engines, and the common interface of the engines. SI units, gravity along -Y.
// Shapes are boxes and capsules, centred at the centre of mass. A capsule is along Y of the body. A fixed
// body has mass 0. Body a of a joint comes before b in the list of bodies, so that trees can be built in
// order; a < 0 is the world.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contact_peers {

// Not aligned: alignment would depend on the instruction set, and the module for DART is compiled for another
// one.
using Quaterniond = Eigen::Quaternion<double, Eigen::DontAlign>;
using Eigen::Vector3d;

inline constexpr double kGravity = 9.81;  // m/s^2
inline constexpr int kFramesPerSecond = 60;

struct Motion {
  Vector3d center = Vector3d::Zero();
  Quaterniond rotation = Quaterniond::Identity();
  Vector3d velocity = Vector3d::Zero(), angular_velocity = Vector3d::Zero();  // world axes
};

struct Thing {
  double mass = 0;                      // kg
  Vector3d moments = Vector3d::Ones();  // kg m^2
  Vector3d half = Vector3d::Zero();     // m, of a box
  double radius = 0, length = 0;        // m, of a capsule: between the centres of its ends
  int above = 0;  // number of touching bodies below it at the start, one on top of the other
  Motion start = {};
  bool fixed() const { return mass == 0; }
  bool capsule() const { return radius > 0; }
};

struct Link {
  int a = -1, b = 0;
  bool hinge = false;
  Vector3d at, axis = Vector3d::UnitX();  // world, at the start
  double lo = 0, hi = 0;                  // rad, of a hinge; no limits if equal
  /// rad, of a ball joint: cone about the axis, and rotation about it in both directions; 0: no limits.
  double swing = 0, twist = 0;
  double damping = 0;  // N m s/rad
};

struct World {
  std::string name;
  double duration = 1;  // s
  bool collide = true;
  double friction = 0.5, restitution = 0;
  std::vector<Thing> things = {};
  std::vector<Link> links = {};
  std::vector<std::pair<int, int>> ignored = {};  // a < b; includes pairs with a joint

  /// Too many bodies for settings whose time is quadratic or cubic in their number.
  bool many() const { return things.size() > 100; }
  /// The start for engines that keep a distance between touching bodies.
  World spread(double apart) const {
    World world = *this;
    for (Thing& thing : world.things) thing.start.center.y() += thing.above * apart;
    return world;
  }
  Vector3d local(int body, const Vector3d& point) const {
    if (body < 0) return point;
    const Motion& m = things[static_cast<size_t>(body)].start;
    return m.rotation.conjugate() * (point - m.center);
  }
  Vector3d local_axis(int body, const Vector3d& axis) const {
    return body < 0 ? axis : things[static_cast<size_t>(body)].start.rotation.conjugate() * axis;
  }
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool advance() = 0;  // one frame; false if the engine failed
  virtual std::vector<Motion> read() = 0;
};

struct Setting {
  std::string engine, name;
  int rate = 0;  // steps per second; 0: chosen by the engine
  std::function<std::unique_ptr<Engine>(const World&)> make;
  double apart = 0;  // m, intended distance between touching bodies
};
std::vector<Setting> tumble_settings(const World& world);
std::vector<Setting> bullet_settings(const World& world);
std::vector<Setting> ode_settings(const World& world);
std::vector<Setting> mujoco_settings(const World& world);
std::vector<Setting> dart_settings(const World& world);
std::vector<Setting> simbody_settings(const World& world);

}  // namespace contact_peers
