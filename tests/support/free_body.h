// The exact motion of a torque-free rigid body, by Jacobi elliptic functions (Landau and Lifshitz, Mechanics,
// section 37), in long double. Independent of everything in src/.
#pragma once

#include <array>

namespace support {

using Real = long double;
using Vector = std::array<Real, 3>;
using Matrix = std::array<Vector, 3>;  // rows

class FreeBody {
 public:
  /// Principal moments about the body axes x, y, z, all different. At the start the body axes are along the
  /// world axes, and the angular velocity is omega.
  FreeBody(const Vector& moments, const Vector& omega);

  /// Rotation matrix from body to world at time t. Times must not decrease from call to call, because the
  /// precession angle is integrated from the last call on.
  Matrix orientation(Real t);
  /// Angular velocity in body axes.
  Vector omega_body(Real t) const;
  Real energy() const { return energy_; }

 private:
  Vector omega_permuted(Real t) const;
  Matrix body_to_momentum(Real t, Real precession) const;
  Real precession_rate(Real t) const;

  std::array<int, 3> axis_;  // permuted axis i is body axis axis_[i], times sign_[i]
  Vector sign_, moments_;    // permuted
  Real energy_ = 0, momentum_ = 0;
  Vector amplitude_;  // of cn, sn, dn
  Real rate_ = 0, modulus_ = 0, phase_ = 0;
  Real time_ = 0, precession_ = 0;
  Matrix start_;  // permuted axes at t = 0 in the frame of the angular momentum
};

}  // namespace support
