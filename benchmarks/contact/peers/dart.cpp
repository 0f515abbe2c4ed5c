// A module that is loaded on demand. It is compiled for plain x86-64, like the library of DART. Its functions
// of Eigen must not be mixed with ours.
//
// DART: reduced coordinates, semi-implicit Euler, boxed LCP solved by Dantzig or Gauss-Seidel. The collision
// detector is that of DART, or that of ODE for capsules, which DART does not have. Limits of ball joints are
// bounds of the rotation vector. "firm" corrects a fifth of an error in one step instead of a hundredth, and
// faster than 1 mm/s.
#include <dart/collision/ode/ode.hpp>
#include <dart/dart.hpp>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

namespace dd = dart::dynamics;

// Part of an error that one step corrects, and the largest speed of this correction, m/s or rad/s.
constexpr double kFirm = 0.2, kFirmSpeed = 1;

Eigen::Isometry3d pose(const Quaterniond& q, const Vector3d& x) {
  Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
  t.linear() = q.normalized().toRotationMatrix();
  t.translation() = x;
  return t;
}

class Dart final : public Engine {
 public:
  Dart(const World& world, int rate, bool pgs, bool firm) : steps_(rate / kFramesPerSecond) {
    world_->setTimeStep(1.0 / rate);
    world_->setGravity({0, -kGravity, 0});
    if (pgs)
      world_->setConstraintSolver(std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(
          std::make_shared<dart::constraint::PgsBoxedLcpSolver>()));
    dart::constraint::ConstraintSolver& solver = *world_->getConstraintSolver();
    bool capsules = false;
    for (const Thing& thing : world.things) capsules = capsules || thing.capsule();
    if (capsules)
      solver.setCollisionDetector(dart::collision::OdeCollisionDetector::create());
    else
      solver.setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    solver.getCollisionOption().maxNumContacts = 1000000;  // further contacts would be dropped
    if (firm) {
      dart::constraint::ContactConstraint::setErrorReductionParameter(kFirm);
      dart::constraint::ContactConstraint::setMaxErrorReductionVelocity(kFirmSpeed);
      dart::constraint::JointLimitConstraint::setErrorReductionParameter(kFirm);
      dart::constraint::JointLimitConstraint::setMaxErrorReductionVelocity(kFirmSpeed);
    }
    std::vector<const Link*> up(world.things.size(), nullptr);
    for (const Link& link : world.links) up[static_cast<size_t>(link.b)] = &link;
    for (size_t i = 0; i < world.things.size(); ++i) add(world, i, up[i]);
    const auto filter = std::make_shared<dart::collision::BodyNodeCollisionFilter>();
    for (const auto& [a, b] : world.ignored)
      filter->addBodyNodePairToBlackList(nodes_[static_cast<size_t>(a)], nodes_[static_cast<size_t>(b)]);
    solver.getCollisionOption().collisionFilter = filter;
    for (const dd::SkeletonPtr& skeleton : skeletons_) {
      skeleton->enableSelfCollisionCheck();
      world_->addSkeleton(skeleton);
    }
  }
  bool advance() override {
    for (int i = 0; i < steps_; ++i) world_->step();
    return true;
  }
  std::vector<Motion> read() override {
    std::vector<Motion> motions;
    for (const dd::BodyNode* node : nodes_) {
      const Eigen::Isometry3d& t = node->getWorldTransform();
      motions.push_back({t.translation(), Quaterniond(t.linear()).normalized(), node->getLinearVelocity(),
                         node->getAngularVelocity()});
    }
    return motions;
  }

 private:
  void add(const World& world, size_t i, const Link* link) {
    const Thing& thing = world.things[i];
    const Eigen::Isometry3d here = pose(thing.start.rotation, thing.start.center);
    dd::BodyNode* parent = link && link->a >= 0 ? nodes_[static_cast<size_t>(link->a)] : nullptr;
    dd::SkeletonPtr skeleton;
    if (parent) {
      skeleton = parent->getSkeleton();
    } else {
      skeleton = dd::Skeleton::create("s" + std::to_string(i));
      skeletons_.push_back(skeleton);
    }
    const dd::BodyNode::AspectProperties named("b" + std::to_string(i));
    auto place = [&](auto& properties, const Eigen::Isometry3d& frame) {
      properties.mName = "j" + std::to_string(i);
      Eigen::Isometry3d above = Eigen::Isometry3d::Identity();
      if (parent) {
        const Motion& m = world.things[static_cast<size_t>(link->a)].start;
        above = pose(m.rotation, m.center).inverse();
      }
      properties.mT_ParentBodyToJoint = above * frame;
      properties.mT_ChildBodyToJoint = here.inverse() * frame;
    };
    dd::BodyNode* node = nullptr;
    if (thing.fixed()) {
      dd::WeldJoint::Properties p;
      place(p, here);
      node = skeleton->createJointAndBodyNodePair<dd::WeldJoint>(nullptr, p, named).second;
      skeleton->setMobile(false);
    } else if (!link) {
      dd::FreeJoint::Properties p;
      place(p, here);
      const auto made = skeleton->createJointAndBodyNodePair<dd::FreeJoint>(nullptr, p, named);
      made.first->setLinearVelocity(thing.start.velocity);
      made.first->setAngularVelocity(thing.start.angular_velocity);
      node = made.second;
    } else if (link->hinge) {
      dd::RevoluteJoint::Properties p;
      place(p, pose(Quaterniond::Identity(), link->at));
      p.mAxis = link->axis;
      const auto made = skeleton->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, p, named);
      if (link->lo != link->hi) limit(*made.first, 0, link->lo, link->hi);
      made.first->setDampingCoefficient(0, link->damping);
      node = made.second;
    } else {
      dd::BallJoint::Properties p;
      place(p, pose(Quaterniond::FromTwoVectors(Vector3d::UnitX(), link->axis), link->at));
      const auto made = skeleton->createJointAndBodyNodePair<dd::BallJoint>(parent, p, named);
      for (size_t k = 0; k < 3; ++k) {
        const double most = k == 0 ? link->twist : link->swing;
        if (link->swing > 0) limit(*made.first, k, -most, most);
        made.first->setDampingCoefficient(k, link->damping);
      }
      node = made.second;
    }
    if (!thing.fixed())
      node->setInertia(
          dd::Inertia(thing.mass, Vector3d::Zero(), Eigen::Matrix3d(thing.moments.asDiagonal())));
    nodes_.push_back(node);
    if (!world.collide) return;
    dd::ShapePtr shape;
    if (thing.capsule())
      shape = std::make_shared<dd::CapsuleShape>(thing.radius, thing.length);
    else
      shape = std::make_shared<dd::BoxShape>(2 * thing.half);
    auto* shape_node = node->createShapeNodeWith<dd::CollisionAspect, dd::DynamicsAspect>(shape);
    if (thing.capsule())  // a capsule of DART is along Z
      shape_node->setRelativeRotation(
          Eigen::AngleAxisd(-std::acos(0.0), Vector3d::UnitX()).toRotationMatrix());
    shape_node->getDynamicsAspect()->setFrictionCoeff(world.friction);
    shape_node->getDynamicsAspect()->setRestitutionCoeff(
        std::sqrt(world.restitution));  // the two of a pair are multiplied
  }
  static void limit(dd::Joint& joint, size_t k, double lo, double hi) {
    joint.setPositionLowerLimit(k, lo);
    joint.setPositionUpperLimit(k, hi);
    joint.setLimitEnforcement(true);
  }

  int steps_;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dd::SkeletonPtr> skeletons_;
  std::vector<dd::BodyNode*> nodes_;
};

}  // namespace

}  // namespace contact_peers

extern "C" __attribute__((visibility("default"))) contact_peers::Engine* contact_peers_make_dart(
    const contact_peers::World& world, int rate, bool pgs, bool firm) {
  return new contact_peers::Dart(world, rate, pgs, firm);
}
