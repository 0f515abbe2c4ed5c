// A shape prepared for queries of distance, contact and motion. Built once and shared by all bodies that use
// it.
#pragma once

#include <memory>

#include "tumble/collision/polyhedron.h"
#include "tumble/collision/shape.h"
#include "tumble/math/quat.h"

namespace tumble::collision {

class Collider {
 public:
  explicit Collider(const Shape& shape);

  enum class Kind { polyhedron, plane, cylinder, cone };
  Kind kind() const { return kind_; }
  /// The polyhedron of a sphere, capsule, box, hull, mesh or height field. For a cylinder or cone, an
  /// approximation with kRimCorners corners on each rim, the first of them at angle 0 (towards +X). Rotated
  /// so that this corner is where the surface is touched, it replaces the surface there.
  const Polyhedron& polyhedron() const { return *polyhedron_; }
  const std::shared_ptr<const Polyhedron>& shared_polyhedron() const { return polyhedron_; }
  /// True for a mesh whose triangles all have no area. It has no distance to anything.
  bool is_empty() const { return kind_ == Kind::polyhedron && polyhedron_->vertices().empty(); }
  bool is_convex() const { return kind_ != Kind::polyhedron || polyhedron_->is_convex(); }
  static constexpr int kRimCorners = 16;
  const math::Vec3& normal() const { return normal_; }  // unit normal of a plane
  /// Of a cylinder or cone along Y.
  double radius() const { return radius_; }
  double half_length() const { return half_length_; }
  /// Bounding box in the frame of the shape. Infinite for a plane.
  const geometry::Bounds& bounds() const { return bounds_; }
  /// The largest distance of a point of the shape from the origin of its frame. Infinite for a plane.
  double reach() const { return reach_; }

 private:
  Kind kind_;
  std::shared_ptr<const Polyhedron> polyhedron_;
  math::Vec3 normal_ = math::Vec3::UnitY();
  double radius_ = 0, half_length_ = 0;
  geometry::Bounds bounds_;
  double reach_ = 0;
};

/// A collider at a pose in the world.
struct Placed {
  const Collider* collider;
  math::Mat3 R;  // of X_WS
  math::Vec3 p;
  Placed(const Collider& c, const math::Pose& X_WS)
      : collider(&c), R(X_WS.rotation.to_matrix()), p(X_WS.translation) {}
};

/// Bounding box of a placed collider, in world axes.
geometry::Bounds compute_bounds(const Placed& placed);

}  // namespace tumble::collision
