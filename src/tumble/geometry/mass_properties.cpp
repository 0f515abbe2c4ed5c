// Mass properties of a solid bounded by triangles, summed over the signed tetrahedra between a point o and
// each triangle (a, b, c). With a, b, c relative to o, s = a + b + c and d = a . (b x c):
//   V            = sum d / 6                                              (1)
//   int x   dV   = sum d / 24  s                                          (2)
//   int x x^T dV = sum d / 120 (s s^T + a a^T + b b^T + c c^T)            (3)
//   I            = rho (tr(C) E - C),  C = (3) - V p p^T,  p = (2) / (1)  (4)
// o is the centre of the bounding box. Far from the origin the differences are exact and no digits are lost.
#include "tumble/geometry/mass_properties.h"

#include <Eigen/Eigenvalues>

#include "tumble/core/require.h"

namespace tumble::geometry {

using math::kPi;
using math::Mat3;
using math::square;
using math::Vec3;

namespace {

Mat3 diagonal(double xx, double yy, double zz) { return Vec3(xx, yy, zz).asDiagonal(); }

// Inertia of a point mass at r.
Mat3 point_inertia(double mass, const Vec3& r) {
  return mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
}

// The sums of equations (1) to (3), without their common divisors.
struct VolumeIntegrals {
  double volume = 0;             // 6 V
  Vec3 first = Vec3::Zero();     // 24 int x
  Vec3 squares = Vec3::Zero();   // 120 int (xx, yy, zz)
  Vec3 products = Vec3::Zero();  // 120 int (yz, zx, xy)

  void add_tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double d = a.dot(b.cross(c));
    const Vec3 s = a + b + c;
    volume += d;
    first += d * s;
    squares += d * (s.cwiseAbs2() + a.cwiseAbs2() + b.cwiseAbs2() + c.cwiseAbs2());
    products += d * (cross_terms(s) + cross_terms(a) + cross_terms(b) + cross_terms(c));
  }
  VolumeIntegrals operator+(const VolumeIntegrals& o) const {
    return {volume + o.volume, first + o.first, squares + o.squares, products + o.products};
  }

 private:
  static Vec3 cross_terms(const Vec3& v) { return {v.y() * v.z(), v.z() * v.x(), v.x() * v.y()}; }
};

// Pairwise summation: the rounding error grows with the logarithm of the number of triangles.
VolumeIntegrals integrate(const TriangleMesh& mesh, const Vec3& origin, size_t begin, size_t end) {
  constexpr size_t kBlock = 64;
  if (end - begin > kBlock) {
    const size_t middle = begin + (end - begin) / 2;
    return integrate(mesh, origin, begin, middle) + integrate(mesh, origin, middle, end);
  }
  VolumeIntegrals sums;
  for (size_t i = begin; i < end; ++i) {
    const Triangle& t = mesh.triangles[i];
    sums.add_tetrahedron(mesh.vertices[t[0]] - origin, mesh.vertices[t[1]] - origin,
                         mesh.vertices[t[2]] - origin);
  }
  return sums;
}

// Centre of the bounding box of the vertices that triangles use. An unused vertex must not cost digits.
Vec3 middle_of_surface(const TriangleMesh& mesh) {
  Vec3 lower = mesh.vertices[mesh.triangles[0][0]], upper = lower;
  for (const Triangle& t : mesh.triangles) {
    for (const uint32_t corner : t) {
      lower = lower.cwiseMin(mesh.vertices[corner]);
      upper = upper.cwiseMax(mesh.vertices[corner]);
    }
  }
  return 0.5 * lower + 0.5 * upper;
}

}  // namespace

MassProperties sphere_mass(double density, double radius) {
  const double mass = density * (4 * kPi / 3 * radius * radius * radius);
  const double moment = 0.4 * mass * square(radius);
  return {mass, Vec3::Zero(), diagonal(moment, moment, moment)};
}

MassProperties box_mass(double density, const Vec3& size) {
  const double mass = density * (size.x() * size.y() * size.z());
  const Vec3 squares = size.cwiseAbs2();
  return {mass, Vec3::Zero(),
          diagonal(mass * (squares.y() + squares.z()) / 12, mass * (squares.z() + squares.x()) / 12,
                   mass * (squares.x() + squares.y()) / 12)};
}

MassProperties capsule_mass(double density, double radius, double length) {
  const MassProperties rod = cylinder_mass(density, radius, length);
  const MassProperties ball = sphere_mass(density, radius);  // both half spheres
  // A half sphere has its centre of mass 3/8 r from its flat side.
  const double across = ball.inertia(0, 0) + ball.mass * (0.25 * square(length) + 0.375 * length * radius);
  return {rod.mass + ball.mass, Vec3::Zero(), rod.inertia + diagonal(across, ball.inertia(1, 1), across)};
}

MassProperties cylinder_mass(double density, double radius, double length) {
  const double mass = density * (kPi * radius * radius * length);
  const double across = mass * (0.25 * square(radius) + square(length) / 12);
  return {mass, Vec3::Zero(), diagonal(across, 0.5 * mass * square(radius), across)};
}

MassProperties cone_mass(double density, double radius, double length) {
  const double mass = density * (kPi / 3 * radius * radius * length);
  const double across = mass * (0.15 * square(radius) + 0.0375 * square(length));
  return {mass, Vec3(0, -0.25 * length, 0), diagonal(across, 0.3 * mass * square(radius), across)};
}

MassProperties mesh_mass(double density, const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return {};
  for (const Triangle& t : mesh.triangles)
    for (const uint32_t corner : t)
      TUMBLE_REQUIRE(corner < mesh.vertices.size(), "a triangle refers to a vertex that does not exist");

  const Vec3 origin = middle_of_surface(mesh);
  const VolumeIntegrals sums = integrate(mesh, origin, 0, mesh.triangles.size());
  if (sums.volume == 0) return {0, origin, Mat3::Zero()};  // exactly flat: nothing to divide by

  const double volume = sums.volume / 6;
  const Vec3 p = sums.first / (4 * sums.volume);
  const Vec3 squares = sums.squares / 120 - volume * p.cwiseAbs2();
  const Vec3 products = sums.products / 120 - volume * Vec3(p.y() * p.z(), p.z() * p.x(), p.x() * p.y());

  MassProperties result{density * volume, origin + p, Mat3::Zero()};
  result.inertia << squares.y() + squares.z(), -products.z(), -products.y(),  //
      -products.z(), squares.z() + squares.x(), -products.x(),                //
      -products.y(), -products.x(), squares.x() + squares.y();
  result.inertia *= density;
  return result;
}

MassProperties transformed(const MassProperties& properties_S, const math::Pose& X_AS) {
  const Mat3 R_AS = X_AS.rotation.to_matrix();
  const Mat3 rotated = R_AS * properties_S.inertia * R_AS.transpose();
  return {properties_S.mass, X_AS * properties_S.center, 0.5 * (rotated + rotated.transpose())};
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  if (a.mass == 0) return b;
  if (b.mass == 0) return a;
  const double mass = a.mass + b.mass;
  const Vec3 p_ab = b.center - a.center;
  // Relative to their common centre, two masses have the inertia of their reduced mass at their distance.
  return {mass, a.center + b.mass / mass * p_ab,
          a.inertia + b.inertia + point_inertia(a.mass * (b.mass / mass), p_ab)};
}

PrincipalInertia principal_inertia(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  PrincipalInertia result{solver.eigenvalues(), solver.eigenvectors()};
  if (result.axes.determinant() < 0) result.axes.col(2) = -result.axes.col(2);
  return result;
}

}  // namespace tumble::geometry
