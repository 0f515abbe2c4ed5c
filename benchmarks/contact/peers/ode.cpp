// ODE: dWorldStep (direct) and dWorldQuickStep (iterative). Ball joints with limits also have an angular
// motor of Euler angles. Damping is a soft motor with target speed 0. By design, ODE does not correct
// penetration within the surface layer. "firm" corrects most of an error in one step instead of a fifth.
#include <ode/ode.h>

#include <algorithm>
#include <cstdarg>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

constexpr double kFirm = 0.8;
constexpr int kGroups[3] = {0, dParamGroup2 - dParamGroup1, dParamGroup3 - dParamGroup1};

class Ode final : public Engine {
 public:
  Ode(const World& world, int rate, int iterations, double layer, bool firm)
      : steps_(rate / kFramesPerSecond),
        iterations_(iterations),
        dt_(1.0 / rate),
        friction_(world.friction),
        restitution_(world.restitution),
        collide_(world.collide),
        ignored_(world.ignored) {
    dInitODE2(0);
    dSetMessageHandler([](int, const char*, va_list) {});
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed(1);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, -kGravity, 0);
    dWorldSetQuickStepNumIterations(world_, std::max(iterations, 1));
    dWorldSetContactSurfaceLayer(world_, layer);
    if (firm) dWorldSetERP(world_, kFirm);
    for (const Thing& thing : world.things) add(thing);
    for (const Link& link : world.links) add(link);
  }
  ~Ode() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  bool advance() override {
    for (int i = 0; i < steps_; ++i) {
      if (collide_) dSpaceCollide(space_, this, &meet);
      if (iterations_ > 0)
        dWorldQuickStep(world_, dt_);
      else
        dWorldStep(world_, dt_);
      dJointGroupEmpty(contacts_);
    }
    return true;
  }
  std::vector<Motion> read() override {
    std::vector<Motion> motions = starts_;
    for (size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_[i]) continue;
      const dReal* q = dBodyGetQuaternion(bodies_[i]);
      motions[i] = {vector(dBodyGetPosition(bodies_[i])), Quaterniond(q[0], q[1], q[2], q[3]).normalized(),
                    vector(dBodyGetLinearVel(bodies_[i])), vector(dBodyGetAngularVel(bodies_[i]))};
    }
    return motions;
  }

 private:
  static Vector3d vector(const dReal* p) { return {p[0], p[1], p[2]}; }
  static void meet(void* self, dGeomID a, dGeomID b) {
    Ode& ode = *static_cast<Ode*>(self);
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    const int i = static_cast<int>(reinterpret_cast<intptr_t>(dGeomGetData(a))),
              j = static_cast<int>(reinterpret_cast<intptr_t>(dGeomGetData(b)));
    if (std::find(ode.ignored_.begin(), ode.ignored_.end(), std::pair(std::min(i, j), std::max(i, j))) !=
        ode.ignored_.end())
      return;
    dContact points[8];
    const int n = dCollide(a, b, 8, &points[0].geom, sizeof(dContact));
    for (int k = 0; k < n; ++k) {
      dSurfaceParameters& surface = points[k].surface;
      surface.mode = dContactApprox1 | (ode.restitution_ > 0 ? dContactBounce : 0);
      surface.mu = ode.friction_;
      surface.bounce = ode.restitution_;
      surface.bounce_vel = 0.1;
      dJointAttach(dJointCreateContact(ode.world_, ode.contacts_, &points[k]), body_a, body_b);
    }
  }
  void add(const Thing& thing) {
    const Motion& s = thing.start;
    const dQuaternion q = {s.rotation.w(), s.rotation.x(), s.rotation.y(), s.rotation.z()};
    dGeomID geom = nullptr;
    if (collide_) {
      geom = thing.capsule() ? dCreateCapsule(space_, thing.radius, thing.length)
                             : dCreateBox(space_, 2 * thing.half.x(), 2 * thing.half.y(), 2 * thing.half.z());
      dGeomSetData(geom, reinterpret_cast<void*>(static_cast<intptr_t>(bodies_.size())));
    }
    starts_.push_back(s);
    bodies_.push_back(nullptr);
    if (thing.fixed()) {
      dGeomSetPosition(geom, s.center.x(), s.center.y(), s.center.z());
      dGeomSetQuaternion(geom, q);
      return;
    }
    const dBodyID body = bodies_.back() = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, thing.mass, 0, 0, 0, thing.moments.x(), thing.moments.y(), thing.moments.z(), 0,
                       0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, s.center.x(), s.center.y(), s.center.z());
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, s.velocity.x(), s.velocity.y(), s.velocity.z());
    dBodySetAngularVel(body, s.angular_velocity.x(), s.angular_velocity.y(), s.angular_velocity.z());
    if (!geom) return;
    dGeomSetBody(geom, body);
    if (thing.capsule()) {  // a capsule of ODE is along Z
      const dQuaternion turn = {std::sqrt(0.5), -std::sqrt(0.5), 0, 0};
      dGeomSetOffsetQuaternion(geom, turn);
    }
  }
  void add(const Link& link) {
    const dBodyID a = link.a < 0 ? nullptr : bodies_[static_cast<size_t>(link.a)],
                  b = bodies_[static_cast<size_t>(link.b)];
    const Vector3d &at = link.at, &x = link.axis;
    if (link.hinge) {
      const dJointID hinge = dJointCreateHinge(world_, nullptr);
      dJointAttach(hinge, b, a);  // the angle is that of the first relative to the second
      dJointSetHingeAnchor(hinge, at.x(), at.y(), at.z());
      dJointSetHingeAxis(hinge, x.x(), x.y(), x.z());
      if (link.lo != link.hi) {
        dJointSetHingeParam(hinge, dParamLoStop, link.lo);
        dJointSetHingeParam(hinge, dParamHiStop, link.hi);
      }
      damp(a, b, link.damping, {x});
      return;
    }
    const dJointID ball = dJointCreateBall(world_, nullptr);
    dJointAttach(ball, b, a);
    dJointSetBallAnchor(ball, at.x(), at.y(), at.z());
    if (link.swing == 0) return;
    const dJointID motor = dJointCreateAMotor(world_, nullptr);
    dJointAttach(motor, b, a);
    dJointSetAMotorMode(motor, dAMotorEuler);
    const Vector3d y = x.unitOrthogonal();
    dJointSetAMotorAxis(motor, 0, 1, x.x(), x.y(), x.z());
    dJointSetAMotorAxis(motor, 2, 2, y.x(), y.y(), y.z());
    for (int k = 0; k < 3; ++k) {
      const double most = k == 0 ? link.twist : link.swing;
      dJointSetAMotorParam(motor, dParamLoStop + kGroups[k], -most);
      dJointSetAMotorParam(motor, dParamHiStop + kGroups[k], most);
    }
    damp(a, b, link.damping, {x, y, x.cross(y)});
  }
  // Separate from limits, because a limit that is reached gets the whole force of its motor.
  void damp(dBodyID a, dBodyID b, double damping, const std::vector<Vector3d>& axes) {
    if (damping == 0) return;
    const dJointID motor = dJointCreateAMotor(world_, nullptr);
    dJointAttach(motor, b, a);
    dJointSetAMotorNumAxes(motor, static_cast<int>(axes.size()));
    for (int k = 0; k < static_cast<int>(axes.size()); ++k) {
      const Vector3d& axis = axes[static_cast<size_t>(k)];
      dJointSetAMotorAxis(motor, k, 1, axis.x(), axis.y(), axis.z());
      dJointSetAMotorParam(motor, dParamFMax + kGroups[k], dInfinity);
      dJointSetAMotorParam(motor, dParamCFM + kGroups[k], 1 / damping);
    }
  }

  int steps_, iterations_;  // 0: direct
  double dt_, friction_, restitution_;
  bool collide_;
  std::vector<std::pair<int, int>> ignored_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  std::vector<dBodyID> bodies_;
  std::vector<Motion> starts_;
};

}  // namespace

std::vector<Setting> ode_settings(const World& world) {
  std::vector<Setting> settings;
  for (const int rate : {60, 120, 240, 480, 960})
    for (const bool firm : {false, true})
      for (const double layer : {1e-3, 1e-5}) {
        if (!world.collide && layer < 1e-3) continue;
        for (const int iterations : {0, 20, 100, 1000}) {
          if (world.many() && (iterations == 0 || iterations == 1000)) continue;
          const std::string name = iterations ? "quick-" + std::to_string(iterations) : "direct";
          settings.push_back(
              {"ode", name + (layer < 1e-3 ? "-thin" : "") + (firm ? "-firm" : ""), rate,
               [=](const World& w) { return std::make_unique<Ode>(w, rate, iterations, layer, firm); }});
        }
      }
  return settings;
}

}  // namespace contact_peers
