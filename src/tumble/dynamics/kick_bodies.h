// The bodies of a kick problem: masses, poses, velocities and drift.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "tumble/model/joint_rows.h"
#include "tumble/model/moving_bodies.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

/// Mass properties of a body, packed. Steps visit thousands of bodies, so that memory traffic counts.
struct BodyMass {
  double mass, inverse_mass;    // kg, 1/kg
  double least_inverse_moment;  // 1/(kg m^2)
  double inverse_inertia_B[6];  // 1/(kg m^2), a lower triangle

  /// I^-1 L, body axes.
  math::Vec3 times_inverse_inertia(const math::Vec3& L_B) const {
    const double *I = inverse_inertia_B, x = L_B[0], y = L_B[1], z = L_B[2];
    return {I[0] * x + I[1] * y + I[3] * z, I[1] * x + I[2] * y + I[4] * z, I[3] * x + I[4] * y + I[5] * z};
  }
  double mean_inverse_moment() const {
    return (inverse_inertia_B[0] + inverse_inertia_B[2] + inverse_inertia_B[5]) / 3;
  }
};

inline double squared_norm(const double* r) { return r[0] * r[0] + r[1] * r[1] + r[2] * r[2]; }

/// R^T r.
inline math::Vec3 rotated_back(const math::Mat3& R, const double* r) {
  return {R(0, 0) * r[0] + R(1, 0) * r[1] + R(2, 0) * r[2], R(0, 1) * r[0] + R(1, 1) * r[1] + R(2, 1) * r[2],
          R(0, 2) * r[0] + R(1, 2) * r[1] + R(2, 2) * r[2]};
}

/// exp(r). A series in the square of half the angle up to half a radian, as far as a body rotates in a step;
/// the next terms are below 1e-17.
inline math::Quat rotation_from_vector(const math::Vec3& r) {
  constexpr double kSeriesUpTo = 0.0625;  // rad^2, the square of half the angle
  const double q = 0.25 * (r.x() * r.x() + r.y() * r.y() + r.z() * r.z());
  if (q > kSeriesUpTo) return math::Quat::from_rotation_vector(r);
  const double cosine =
      1 -
      q * (1.0 / 2 - q * (1.0 / 24 -
                          q * (1.0 / 720 - q * (1.0 / 40320 - q * (1.0 / 3628800 - q * (1.0 / 479001600))))));
  const double half =
      0.5 - q * (1.0 / 12 - q * (1.0 / 240 - q * (1.0 / 10080 - q * (1.0 / 725760 - q * (1.0 / 79833600)))));
  return math::Quat::from_wxyz(cosine, half * r.x(), half * r.y(), half * r.z());
}

/// Constant for the life of a problem.
struct KickBodies {
  explicit KickBodies(const model::Model& of);

  const model::Model* model;
  model::MovingBodies moving;
  std::vector<core::BodyId> fixed;  // bodies that do not move
  std::vector<BodyMass> masses;     // by node

  size_t size() const { return moving.size(); }
  /// J M^-1 J^T of a row J and one node (1/kg). 0 for kNone.
  double mobility(int node, const double* J, std::span<const model::BodyMotion> motions) const;
};

inline double KickBodies::mobility(int node, const double* J,
                                   std::span<const model::BodyMotion> motions) const {
  if (node == model::kNone) return 0;
  const core::BodyId id = moving[static_cast<size_t>(node)];
  const BodyMass& mass = masses[static_cast<size_t>(node)];
  const double linear = mass.inverse_mass * squared_norm(J);
  if (squared_norm(J + 3) == 0) return linear;
  const math::Vec3 axis = rotated_back(motions[id.index()].rotation, J + 3);
  return linear + axis.dot(mass.times_inverse_inertia(axis));
}

// Not inline: inside larger functions GCC 12 at -O3 fuses products and sums of to_matrix() (vfmaddsub) in
// spite of -ffp-contract=off. The last digit would then depend on the caller.
/// Sets the pose of a body. Its velocities stay as they are.
void set_body_pose(core::BodyId id, const model::State& where, model::BodyMotion& motion);
/// Sets the pose of a node, and its velocities from its momenta p, six numbers.
void set_body_motion(const KickBodies& bodies, size_t node, const model::State& where, const double* p,
                     std::span<model::BodyMotion> motions);

/// P and L of every moving body in a state, six numbers a node.
std::vector<double> momenta_of(const KickBodies& bodies, const model::State& state);
/// Adds the velocities of every moving body in a state to v.
void add_velocities(const KickBodies& bodies, const model::State& state, std::span<double> v);
/// x + h v: advances poses and time.
void drift(const KickBodies& bodies, std::span<const double> v, double h, model::State& state);

}  // namespace tumble::dynamics
