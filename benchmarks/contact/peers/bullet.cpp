// Bullet in double precision: rigid bodies with sequential impulses or Dantzig's direct solver, and trees in
// reduced coordinates (for scenes without contact). Ball joints with limits are cone-twist joints. Bullet has
// no damping of joints, so an implicit damping step, joint by joint, is made before each of its steps. "firm"
// corrects most of an error in one step instead of a fifth.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

constexpr double kFirm = 0.8;

btVector3 bt(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion bt(const Quaterniond& q) { return {q.x(), q.y(), q.z(), q.w()}; }
Vector3d from(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
Quaterniond from(const btQuaternion& q) { return Quaterniond(q.w(), q.x(), q.y(), q.z()).normalized(); }

struct Base : Engine {
  explicit Base(int rate) : steps(rate / kFramesPerSecond), dt(1.0 / rate) {}
  int steps;
  double dt;
  btDefaultCollisionConfiguration config;
  btCollisionDispatcher dispatcher{&config};
  btDbvtBroadphase broadphase;
};

class Maximal final : public Base {
 public:
  Maximal(const World& world, int rate, int iterations, bool firm) : Base(rate) {
    if (iterations == 0)
      solver_ = std::make_unique<btMLCPSolver>(&dantzig_);
    else
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    world_ = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, &broadphase, solver_.get(), &config);
    world_->setGravity({0, -kGravity, 0});
    btContactSolverInfo& info = world_->getSolverInfo();
    if (iterations == 0)
      info.m_minimumSolverBatchSize = 1;
    else
      info.m_numIterations = iterations;
    if (firm) info.m_erp = info.m_erp2 = kFirm, info.m_splitImpulsePenetrationThreshold = 0;
    for (const Thing& thing : world.things) add(world, thing);
    for (const Link& link : world.links) add(world, link);
    for (const auto& [a, b] : world.ignored)
      bodies_[static_cast<size_t>(a)]->setIgnoreCollisionCheck(bodies_[static_cast<size_t>(b)].get(), true);
  }
  ~Maximal() override {
    for (auto& joint : joints_) world_->removeConstraint(joint.get());
    for (auto& body : bodies_) world_->removeRigidBody(body.get());
  }
  bool advance() override {
    for (int i = 0; i < steps; ++i) {
      for (const Damper& damper : dampers_) damp(damper);
      world_->stepSimulation(dt, 0);
    }
    return true;
  }
  std::vector<Motion> read() override {
    std::vector<Motion> motions;
    for (const auto& body : bodies_) {
      const btTransform& t = body->getCenterOfMassTransform();
      motions.push_back({from(t.getOrigin()), from(t.getRotation()), from(body->getLinearVelocity()),
                         from(body->getAngularVelocity())});
    }
    return motions;
  }

 private:
  struct Damper {
    btRigidBody *a, *b;
    btVector3 axis;  // of a hinge, in the axes of b; zero: damp all rotation
    double damping;
  };
  // (1 / (c dt) + 1 / I) l = -w for the impulse l, with I of two free bodies.
  void damp(const Damper& damper) const {
    const btMatrix3x3 inverse = damper.a->getInvInertiaTensorWorld() + damper.b->getInvInertiaTensorWorld();
    const double soft = 1 / (damper.damping * dt);
    const btVector3 w = damper.b->getAngularVelocity() - damper.a->getAngularVelocity();
    btVector3 impulse;
    if (damper.axis.isZero()) {
      btMatrix3x3 all = inverse;
      for (int k = 0; k < 3; ++k) all[k][k] += soft;
      impulse = all.inverse() * -w;
    } else {
      const btVector3 n = damper.b->getCenterOfMassTransform().getBasis() * damper.axis;
      impulse = n * (-w.dot(n) / (soft + n.dot(inverse * n)));
    }
    damper.b->applyTorqueImpulse(impulse);
    damper.a->applyTorqueImpulse(-impulse);
  }
  void add(const World& world, const Thing& thing) {
    if (thing.capsule())
      shapes_.push_back(std::make_unique<btCapsuleShape>(thing.radius, thing.length));
    else
      shapes_.push_back(std::make_unique<btBoxShape>(bt(thing.half)));
    btRigidBody::btRigidBodyConstructionInfo info(thing.mass, nullptr, shapes_.back().get(),
                                                  thing.fixed() ? btVector3(0, 0, 0) : bt(thing.moments));
    info.m_friction = std::sqrt(world.friction);  // the two of a pair are multiplied
    info.m_restitution = std::sqrt(world.restitution);
    info.m_startWorldTransform = btTransform(bt(thing.start.rotation), bt(thing.start.center));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setLinearVelocity(bt(thing.start.velocity));
    body.setAngularVelocity(bt(thing.start.angular_velocity));
    body.setActivationState(DISABLE_DEACTIVATION);
    if (world.collide)
      world_->addRigidBody(&body);
    else
      world_->addRigidBody(&body, 0, 0);
  }
  void add(const World& world, const Link& link) {
    btRigidBody &a = link.a < 0 ? btTypedConstraint::getFixedBody() : *bodies_[static_cast<size_t>(link.a)],
                &b = *bodies_[static_cast<size_t>(link.b)];
    const btVector3 at_a = bt(world.local(link.a, link.at)), at_b = bt(world.local(link.b, link.at));
    if (link.hinge) {
      auto hinge = std::make_unique<btHingeConstraint>(
          a, b, at_a, at_b, bt(world.local_axis(link.a, link.axis)), bt(world.local_axis(link.b, link.axis)));
      // the angle in Bullet is that of a relative to b
      if (link.lo != link.hi) hinge->setLimit(-link.hi, -link.lo);
      joints_.push_back(std::move(hinge));
    } else if (link.swing > 0) {
      const Quaterniond frame = Quaterniond::FromTwoVectors(Vector3d::UnitX(), link.axis);
      auto in = [&](int body) {
        return body < 0
                   ? frame
                   : Quaterniond(world.things[static_cast<size_t>(body)].start.rotation.conjugate() * frame);
      };
      auto cone = std::make_unique<btConeTwistConstraint>(a, b, btTransform(bt(in(link.a)), at_a),
                                                          btTransform(bt(in(link.b)), at_b));
      cone->setLimit(link.swing, link.swing, link.twist);
      joints_.push_back(std::move(cone));
    } else {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, b, at_a, at_b));
    }
    world_->addConstraint(joints_.back().get(), true);
    if (link.damping > 0)
      dampers_.push_back(
          {&a, &b, link.hinge ? bt(world.local_axis(link.b, link.axis)) : btVector3(0, 0, 0), link.damping});
  }

  btDantzigSolver dantzig_;
  std::unique_ptr<btConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::vector<Damper> dampers_;
};

// A chain that hangs from the world, without shapes.
class Reduced final : public Base {
 public:
  Reduced(const World& world, int rate, bool rk4)
      : Base(rate), body_(static_cast<int>(world.things.size()), 0, btVector3(0, 0, 0), true, false) {
    world_.setGravity({0, -kGravity, 0});
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setMaxCoordinateVelocity(1e9);
    body_.useRK4Integration(rk4);
    body_.setUseGyroTerm(true);
    for (const Link& link : world.links) {
      const Thing& thing = world.things[static_cast<size_t>(link.b)];
      const Quaterniond above =
          link.a < 0 ? Quaterniond(1, 0, 0, 0) : world.things[static_cast<size_t>(link.a)].start.rotation;
      body_.setupSpherical(link.b, thing.mass, bt(thing.moments), link.a,
                           bt(Quaterniond(thing.start.rotation.conjugate() * above)),
                           bt(world.local(link.a, link.at)), bt(Vector3d(-world.local(link.b, link.at))),
                           true);
    }
    body_.finalizeMultiDof();
    world_.addMultiBody(&body_);
  }
  ~Reduced() override { world_.removeMultiBody(&body_); }
  bool advance() override {
    for (int i = 0; i < steps; ++i) world_.stepSimulation(dt, 0);
    return true;
  }
  std::vector<Motion> read() override {
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    body_.forwardKinematics(turns, places);
    const int n = body_.getNumLinks();
    std::vector<btVector3> omega(static_cast<size_t>(n + 1)), speed(static_cast<size_t>(n + 1));
    body_.compTreeLinkVelocities(omega.data(), speed.data());
    std::vector<Motion> motions;
    for (int i = 0; i < n; ++i) {
      const btTransform& t = body_.getLink(i).m_cachedWorldTransform;
      const Quaterniond q = from(t.getRotation());
      const size_t k = static_cast<size_t>(i + 1);
      motions.push_back({from(t.getOrigin()), q, q * from(speed[k]), q * from(omega[k])});
    }
    return motions;
  }

 private:
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher, &broadphase, &solver_, &config};
  btMultiBody body_;
};

}  // namespace

std::vector<Setting> bullet_settings(const World& world) {
  std::vector<Setting> settings;
  for (const int rate : {60, 120, 240, 480, 960})
    for (const bool firm : {false, true}) {
      const auto add = [&](const std::string& name, int iterations) {
        settings.push_back({"bullet", name + (firm ? "-firm" : ""), rate, [=](const World& w) {
                              return std::make_unique<Maximal>(w, rate, iterations, firm);
                            }});
      };
      for (const int iterations : {10, 50, 200, 1000})
        if (iterations <= 50 || !world.many()) add("impulses-" + std::to_string(iterations), iterations);
      if (!world.many()) add("dantzig", 0);
    }
  if (world.collide) return settings;
  for (const int rate : {60, 240, 300, 360, 480, 960})
    for (const bool rk4 : {false, true})
      settings.push_back({"bullet", rk4 ? "tree-rk4" : "tree", rate,
                          [=](const World& w) { return std::make_unique<Reduced>(w, rate, rk4); }});
  return settings;
}

}  // namespace contact_peers
