// A shape made ready for questions about distance, contact and motion. Built once, shared by all bodies that use it.
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
  /// Of a polyhedron: sphere, capsule, box, hull, mesh, height field. Of a cylinder or cone, one with kRimCorners corners on
  /// each rim, the first of them at angle 0 (towards +X): turned so that this one lies where the surface is touched, it stands
  /// in for the surface there.
  const Polyhedron& polyhedron() const { return *polyhedron_; }
  const std::shared_ptr<const Polyhedron>& shared_polyhedron() const { return polyhedron_; }
  /// A mesh all of whose triangles are without area: nothing to be near to.
  bool is_empty() const { return kind_ == Kind::polyhedron && polyhedron_->vertices().empty(); }
  bool is_convex() const { return kind_ != Kind::polyhedron || polyhedron_->is_convex(); }
  static constexpr int kRimCorners = 16;
  const math::Vec3& normal() const { return normal_; }  // of a plane, unit
  /// Of a cylinder or cone along Y.
  double radius() const { return radius_; }
  double half_length() const { return half_length_; }
  /// Box round the shape in its own frame; infinite for a plane.
  const geometry::Bounds& bounds() const { return bounds_; }
  /// The largest distance of its points from the origin of its frame; infinite for a plane.
  double reach() const { return reach_; }

 private:
  Kind kind_;
  std::shared_ptr<const Polyhedron> polyhedron_;
  math::Vec3 normal_ = math::Vec3::UnitY();
  double radius_ = 0, half_length_ = 0;
  geometry::Bounds bounds_;
  double reach_ = 0;
};

/// A collider in the world.
struct Placed {
  const Collider* collider;
  math::Mat3 R;  // of X_WS
  math::Vec3 p;
  Placed(const Collider& c, const math::Pose& X_WS)
      : collider(&c), R(X_WS.rotation.to_matrix()), p(X_WS.translation) {}
};

/// Box round a placed collider, world axes.
geometry::Bounds compute_bounds(const Placed& placed);

}  // namespace tumble::collision
