#include <BulletCollision/CollisionDispatch/btBoxBoxCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <btBulletCollisionCommon.h>

#include "collision/peers/narrow_phase_peers.h"

namespace peers {

namespace {

btTransform transform_of(const tumble::math::Pose& X) {
  return btTransform(btQuaternion(X.rotation.x(), X.rotation.y(), X.rotation.z(), X.rotation.w()),
                     btVector3(X.translation.x(), X.translation.y(), X.translation.z()));
}

}  // namespace

struct BulletBoxes::Parts {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btBoxShape shape_a, shape_b;
  btCollisionObject a, b;
  btCollisionObjectWrapper wrap_a, wrap_b;
  btCollisionAlgorithm* algorithm = nullptr;
  btManifoldResult result;
  btDispatcherInfo info;

  Parts(const btVector3& half_a, const btVector3& half_b)
      : shape_a(half_a),
        shape_b(half_b),
        wrap_a(nullptr, &shape_a, &a, a.getWorldTransform(), -1, -1),
        wrap_b(nullptr, &shape_b, &b, b.getWorldTransform(), -1, -1),
        result(&wrap_a, &wrap_b) {
    a.setCollisionShape(&shape_a);
    b.setCollisionShape(&shape_b);
    algorithm = dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }
  ~Parts() {
    algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(algorithm);
  }
};

BulletBoxes::BulletBoxes(const tumble::math::Vec3& size_a, const tumble::math::Vec3& size_b)
    : parts_(std::make_unique<Parts>(0.5 * btVector3(size_a.x(), size_a.y(), size_a.z()),
                                     0.5 * btVector3(size_b.x(), size_b.y(), size_b.z()))) {}
BulletBoxes::~BulletBoxes() = default;

int BulletBoxes::collide(const tumble::math::Pose& a, const tumble::math::Pose& b) {
  parts_->a.setWorldTransform(transform_of(a));
  parts_->b.setWorldTransform(transform_of(b));
  parts_->algorithm->processCollision(&parts_->wrap_a, &parts_->wrap_b, parts_->info, &parts_->result);
  return parts_->result.getPersistentManifold() ? parts_->result.getPersistentManifold()->getNumContacts()
                                                : 0;
}

}  // namespace peers
