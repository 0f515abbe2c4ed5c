// Functions of Bullet and FCL for comparison with the narrow phase. Each has a plain interface and its own
// source.
#pragma once

#include <memory>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/math/quat.h"

namespace peers {

/// Two boxes in Bullet (double precision): its algorithm for two boxes, with the manifold cached between
/// calls.
class BulletBoxes {
 public:
  BulletBoxes(const tumble::math::Vec3& size_a, const tumble::math::Vec3& size_b);
  ~BulletBoxes();
  BulletBoxes(const BulletBoxes&) = delete;
  BulletBoxes& operator=(const BulletBoxes&) = delete;
  /// Number of contacts.
  int collide(const tumble::math::Pose& a, const tumble::math::Pose& b);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Two meshes in FCL, with one of its bounding volumes for distances.
enum class FclVolume { rss, obb_rss, kios };
class FclMeshes {
 public:
  FclMeshes(const tumble::geometry::TriangleMesh& a, const tumble::geometry::TriangleMesh& b,
            FclVolume volume);
  ~FclMeshes();
  FclMeshes(const FclMeshes&) = delete;
  FclMeshes& operator=(const FclMeshes&) = delete;
  double distance(const tumble::math::Pose& a, const tumble::math::Pose& b);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace peers
