// What the rivals of the narrow phase do here, each behind a plain interface and in its own source.
#pragma once

#include <memory>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/math/quat.h"

namespace peers {

/// Two boxes in Bullet (double precision): its own box against box algorithm, with the manifold it keeps between calls.
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

/// Two meshes in FCL, in one of the bounding volumes it offers for distances.
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
