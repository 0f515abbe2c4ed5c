// Mass, centre of mass and inertia of solids of uniform density. Meshes: exact surface integrals; see
// docs/computation.md, "Mass".
#pragma once

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/math/quat.h"

namespace tumble::geometry {

struct MassProperties {
  double mass = 0;                          // kg
  math::Vec3 center = math::Vec3::Zero();   // m, in the frame of the shape
  math::Mat3 inertia = math::Mat3::Zero();  // kg m^2, about `center`, axes of the same frame
};

// Shapes in their own frame: centred on the origin, axis along Y, the apex of the cone at +Y.
MassProperties sphere_mass(double density, double radius);
MassProperties box_mass(double density, const math::Vec3& size);
MassProperties capsule_mass(double density, double radius, double length);  // length between the two centres
MassProperties cylinder_mass(double density, double radius, double length);
MassProperties cone_mass(double density, double radius, double length);  // origin at mid-height
/// The mesh must be closed and consistently oriented (check_mesh); cavities are surfaces that face inwards.
MassProperties mesh_mass(double density, const TriangleMesh& mesh);

/// The same solid in frame A, where its shape frame has the pose X_AS.
MassProperties transformed(const MassProperties& properties_S, const math::Pose& X_AS);
/// Both solids together; inertia about the common centre of mass.
MassProperties combined(const MassProperties& a, const MassProperties& b);

/// Principal moments, ascending, and the right-handed axes they belong to (columns).
struct PrincipalInertia {
  math::Vec3 moments;
  math::Mat3 axes;
};
PrincipalInertia principal_inertia(const math::Mat3& inertia);

}  // namespace tumble::geometry
