#include "tumble/dynamics/solvers/cone_constraint.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

Vec3 project_on_cone(const ConeConstraint& row, const Vec3& z, Mat3& derivative) {
  const Vec3 p = project_on_cone(row, z);
  derivative.setZero();
  if (row.set == ConeConstraint::Set::positive) {
    derivative(0, 0) = z.x() > 0 ? 1 : 0;
    return p;
  }
  if (row.set == ConeConstraint::Set::ball) {
    const double length = z.norm();
    derivative.setIdentity();
    if (length > row.radius) {
      const Vec3 d = z / length;
      derivative = row.radius / length * (Mat3::Identity() - d * d.transpose());
    }
    return p;
  }
  const double mu = row.friction, t = tangential(z);
  const ConeRegion where = find_region(mu, z);
  // The apex counts as inside: a contact that neither opens nor presses yet is assumed to hold. So stacks
  // without gaps are solved at once from zero impulses, and not layer by layer. Without friction the cone is
  // a ray, which holds only along the normal.
  if (where == ConeRegion::inside || z == Vec3::Zero()) {
    derivative(0, 0) = 1;
    if (mu > 0) derivative(1, 1) = derivative(2, 2) = 1;
    return p;
  }
  if (where != ConeRegion::side) return p;
  const double part = 1 / (1 + mu * mu);
  derivative(0, 0) = part;
  if (!(t > 0)) return p;
  const double y = z.y() / t, x = z.z() / t, ratio = mu * p.x() / t;
  const double gy = mu * y, gx = mu * x;
  derivative(0, 1) = derivative(1, 0) = gy * part, derivative(0, 2) = derivative(2, 0) = gx * part;
  derivative(1, 1) = gy * gy * part + ratio * (1 - y * y),
                derivative(2, 2) = gx * gx * part + ratio * (1 - x * x);
  derivative(1, 2) = derivative(2, 1) = gy * gx * part - ratio * x * y;
  return p;
}

namespace {

// Adds G^T S G to the diagonal block of a node; `SG` is S G.
void add_square(int node, const ConeConstraint::Matrix36& G, const ConeConstraint::Matrix36& SG,
                KktSolver& matrix) {
  double B[kLower6];
  TUMBLE_UNROLLED (r, 0, 6)
    TUMBLE_UNROLLED (c, 0, r + 1)
      B[lower(r, c)] = fma(G(0, r), SG(0, c), fma(G(1, r), SG(1, c), G(2, r) * SG(2, c)));
  matrix.add_to_diagonal(node, B);
}

}  // namespace

void add_stiffness(ConeConstraint& row, const Mat3& stiffness, KktSolver& matrix) {
  row.stiffness = stiffness;
  if (row.a != kNone) add_square(row.a, row.G_a, stiffness * row.G_a, matrix);
  if (row.b == kNone) return;
  const ConeConstraint::Matrix36 half = stiffness * row.G_b;
  add_square(row.b, row.G_b, half, matrix);
  if (row.a != kNone) matrix.add_to_coupling(row.a, row.b, row.G_a.transpose() * half);
}

}  // namespace tumble::dynamics
