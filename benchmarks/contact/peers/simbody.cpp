// Simbody, for scenes without contact: reduced coordinates, Runge-Kutta-Merson with error control.
#include <Simbody.h>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

SimTK::Vec3 vec3(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Vector3d from(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }

class Simbody final : public Engine {
 public:
  Simbody(const World& world, double accuracy) {
    SimTK::Force::Gravity(forces_, matter_, SimTK::Vec3(0, -kGravity, 0));
    for (const Link& link : world.links) {  // all bodies start with the axes of the world
      const Thing& thing = world.things[static_cast<size_t>(link.b)];
      const SimTK::Body::Rigid body(
          SimTK::MassProperties(thing.mass, SimTK::Vec3(0), SimTK::Inertia(vec3(thing.moments))));
      SimTK::MobilizedBody& above = link.a < 0 ? static_cast<SimTK::MobilizedBody&>(matter_.updGround())
                                               : bodies_[static_cast<size_t>(link.a)];
      bodies_.push_back(SimTK::MobilizedBody::Ball(above, vec3(world.local(link.a, link.at)), body,
                                                   vec3(world.local(link.b, link.at))));
    }
    integrator_.setAccuracy(accuracy);
    integrator_.initialize(system_.realizeTopology());
  }
  bool advance() override {
    const double time = static_cast<double>(++frame_) / kFramesPerSecond;
    while (integrator_.getTime() < time) integrator_.stepTo(time);
    return true;
  }
  std::vector<Motion> read() override {
    const SimTK::State& state = integrator_.getState();
    system_.realize(state, SimTK::Stage::Velocity);
    std::vector<Motion> motions;
    for (const SimTK::MobilizedBody& body : bodies_) {
      const SimTK::Transform& X = body.getBodyTransform(state);
      const SimTK::Quaternion q = X.R().convertRotationToQuaternion();
      motions.push_back({from(X.p()), Quaterniond(q[0], q[1], q[2], q[3]),
                         from(body.getBodyOriginVelocity(state)), from(body.getBodyAngularVelocity(state))});
    }
    return motions;
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  std::vector<SimTK::MobilizedBody> bodies_;
  SimTK::RungeKuttaMersonIntegrator integrator_{system_};
  long frame_ = 0;
};

}  // namespace

std::vector<Setting> simbody_settings(const World& world) {
  std::vector<Setting> settings;
  if (world.collide) return settings;
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4}) {
    char name[20];
    std::snprintf(name, sizeof name, "merson-%.0e", accuracy);
    settings.push_back(
        {"simbody", name, 0, [=](const World& w) { return std::make_unique<Simbody>(w, accuracy); }});
  }
  return settings;
}

}  // namespace contact_peers
