#include "tumble/dynamics/cone_row.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

Vec3 project_on_cone(const ConeRow& row, const Vec3& z, Mat3& derivative) {
  const Vec3 p = project_on_cone(row, z);
  derivative.setZero();
  if (row.set == ConeRow::Set::positive) {
    derivative(0, 0) = z.x() > 0 ? 1 : 0;
    return p;
  }
  if (row.set == ConeRow::Set::ball) {
    const double length = z.norm();
    derivative.setIdentity();
    if (length > row.radius) {
      const Vec3 d = z / length;
      derivative = row.radius / length * (Mat3::Identity() - d * d.transpose());
    }
    return p;
  }
  const double mu = row.friction, t = tangential(z);
  const InCone where = where_is(mu, z);
  if (where == InCone::inside) derivative.setIdentity();
  if (where != InCone::side) return p;
  const double part = 1 / (1 + mu * mu);
  derivative(0, 0) = part;
  if (!(t > 0)) return p;
  const double y = z.y() / t, x = z.z() / t, turn = mu * p.x() / t;
  const double gy = mu * y, gx = mu * x;
  derivative(0, 1) = derivative(1, 0) = gy * part, derivative(0, 2) = derivative(2, 0) = gx * part;
  derivative(1, 1) = gy * gy * part + turn * (1 - y * y),
                derivative(2, 2) = gx * gx * part + turn * (1 - x * x);
  derivative(1, 2) = derivative(2, 1) = gy * gx * part - turn * x * y;
  return p;
}

void add_stiffness(const ConeRow& row, const Mat3& stiffness, BlockSolver& matrix) {
  if (row.a != kNone) {
    const Eigen::Matrix<double, 6, 3> half = row.G_a.transpose() * stiffness;
    matrix.add_to_diagonal(row.a, half * row.G_a);
    if (row.b != kNone) matrix.add_to_coupling(row.a, row.b, half * row.G_b);
  }
  if (row.b != kNone) matrix.add_to_diagonal(row.b, row.G_b.transpose() * stiffness * row.G_b);
}

}  // namespace tumble::dynamics
