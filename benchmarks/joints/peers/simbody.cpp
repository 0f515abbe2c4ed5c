// Simbody: reduced coordinates; Runge-Kutta-Merson, and its Adams methods of order up to 12. It integrates to
// the end without reports in between.
#include <Simbody.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <memory>

#include "joints/peers/chain.h"

namespace peers {

namespace {

enum class Joint { pin, ball, gimbal };

SimTK::Vec3 vec3(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

SimTK::Rotation rotation(const Eigen::Matrix3d& m) {
  SimTK::Mat33 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = m(i, j);
  return SimTK::Rotation(r);
}

struct Machine {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  std::vector<SimTK::MobilizedBody> bodies;
  SimTK::State start;

  Machine(const Chain& chain, Joint joint) {
    SimTK::Force::Gravity(forces, matter, SimTK::Vec3(0, -kGravity, 0));
    // Joint axes in body axes. A gimbal rotates about x, y, z, outer to inner.
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    if (joint == Joint::gimbal)
      for (int k = 0; k < 3; ++k) axes.col(k) = chain.gimbal[k];
    Quaterniond parent = Quaterniond::Identity();
    Vector3d at = Vector3d::Zero();
    SimTK::MobilizedBody last = matter.updGround();
    for (const Link& link : chain.links) {
      const SimTK::Body::Rigid body(
          SimTK::MassProperties(link.mass, SimTK::Vec3(0), SimTK::Inertia(vec3(link.moments))));
      const Eigen::Matrix3d relative = (parent.conjugate() * link.rotation).toRotationMatrix() * axes;
      const SimTK::Transform in_parent(rotation(relative), vec3(at)),
          in_body(rotation(axes), vec3(link.above));
      if (joint == Joint::pin)
        last = SimTK::MobilizedBody::Pin(last, in_parent, body, in_body);
      else if (joint == Joint::ball)
        last = SimTK::MobilizedBody::Ball(last, in_parent, body, in_body);
      else
        last = SimTK::MobilizedBody::Gimbal(last, in_parent, body, in_body);
      bodies.push_back(last);
      parent = link.rotation;
      at = link.below;
    }
    start = system.realizeTopology();
    system.realizeModel(start);
    Vector3d above = Vector3d::Zero();
    for (size_t i = 0; i < bodies.size(); ++i) {
      const Link& link = chain.links[i];
      const Vector3d w = axes.transpose() * (link.rotation.conjugate() * (link.angular_velocity - above));
      above = link.angular_velocity;
      if (joint == Joint::pin)
        bodies[i].setOneU(start, 0, w.z());
      else
        for (int k = 0; k < 3; ++k) bodies[i].setOneU(start, k, w[k]);
    }
  }
};

// CPodes prints to standard error after every 500 steps.
class Silence {
 public:
  Silence() : kept_(dup(2)) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 2);
    close(nothing);
  }
  ~Silence() {
    dup2(kept_, 2);
    close(kept_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int kept_;
};

Outcome run(const Chain& chain, Joint joint, bool adams, double accuracy) {
  const Silence silence;
  Machine machine(chain, joint);
  std::unique_ptr<SimTK::Integrator> integrator;
  if (adams)
    integrator = std::make_unique<SimTK::CPodesIntegrator>(machine.system, SimTK::CPodes::Adams);
  else
    integrator = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(machine.system);
  integrator->setAccuracy(accuracy);
  integrator->setFinalTime(chain.duration);
  if (!adams) integrator->setAllowInterpolation(false);  // the last step ends exactly at the end
  Outcome outcome;
  try {
    integrator->initialize(machine.start);
    const double begin = thread_seconds();
    while (integrator->getTime() < chain.duration) integrator->stepTo(chain.duration);
    outcome.cpu = thread_seconds() - begin;
  } catch (const std::exception&) {
    return {};  // it could not reach the accuracy
  }
  const SimTK::State& state = integrator->getState();
  machine.system.realize(state, SimTK::Stage::Position);
  for (const SimTK::MobilizedBody& body : machine.bodies) {
    const SimTK::Transform& X = body.getBodyTransform(state);
    const SimTK::Quaternion q = X.R().convertRotationToQuaternion();
    outcome.places.push_back({Vector3d(X.p()[0], X.p()[1], X.p()[2]), Quaterniond(q[0], q[1], q[2], q[3])});
  }
  return outcome;
}

}  // namespace

std::vector<Setting> simbody_settings(const Chain& chain) {
  std::vector<Setting> settings;
  std::vector<std::pair<Joint, std::string>> joints = {{Joint::ball, " ball"}, {Joint::gimbal, " gimbal"}};
  if (chain.planar) joints = {{Joint::pin, " pin"}};
  for (const bool adams : {false, true})
    for (const auto& [joint, name] : joints) {
      if (adams && joint == Joint::ball) continue;  // these fail for the chain
      for (double exponent = -1; exponent > -13.1; exponent -= 0.25) {
        const double accuracy = std::pow(10, exponent);
        settings.push_back(
            {"simbody", (adams ? "Adams" : "Merson") + name, accuracy,
             [&chain, joint = joint, adams, accuracy] { return run(chain, joint, adams, accuracy); }});
      }
    }
  return settings;
}

}  // namespace peers
