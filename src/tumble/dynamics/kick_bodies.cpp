#include "tumble/dynamics/kick_bodies.h"

#include <Eigen/Eigenvalues>

namespace tumble::dynamics {

using core::BodyId;
using math::Mat3;
using math::Quat;
using math::Vec3;
using model::BodyMotion;
using model::State;
using model::rows::turned_by;

namespace {

// 1/|q| of a quaternion whose norm is 1 up to rounding. 1 - (|q|^2 - 1)/2 has an error of 3/8 (|q|^2 - 1)^2
// and avoids the latency of a square root.
inline double inverse_norm(const Quat& q) {
  constexpr double kRounding = 1e-8;  // 3/8 of its square is below 1e-16
  const double excess = q.w() * q.w() + q.x() * q.x() + q.y() * q.y() + q.z() * q.z() - 1;
  return std::abs(excess) < kRounding ? 1 - 0.5 * excess : 1 / q.norm();
}

}  // namespace

KickBodies::KickBodies(const model::Model& of) : model(&of), moving(of) {
  for (const BodyId id : moving.bodies()) {
    const model::Body& body = of.body(id);
    const Mat3& I = body.inverse_inertia_B;
    const Eigen::SelfAdjointEigenSolver<Mat3> moments(I, Eigen::EigenvaluesOnly);
    masses.push_back({body.mass,
                      body.inverse_mass,
                      moments.eigenvalues()[0],
                      {I(0, 0), I(1, 0), I(1, 1), I(2, 0), I(2, 1), I(2, 2)}});
  }
  for (size_t i = 0; i < of.bodies().size(); ++i)
    if (moving.node_of(BodyId(i)) == model::kNone) fixed.emplace_back(i);
}

void set_body_pose(BodyId id, const State& where, BodyMotion& motion) {
  motion.center = where.position(id);
  motion.rotation = where.orientation(id).to_matrix();
  motion.hinge_angles = where.hinge_angles.empty() ? nullptr : where.hinge_angles.data();
}

void set_body_motion(const KickBodies& bodies, size_t node, const State& where, const double* p,
                     std::span<BodyMotion> motions) {
  const BodyMass& mass = bodies.masses[node];
  const BodyId id = bodies.moving[node];
  BodyMotion& motion = motions[id.index()];
  set_body_pose(id, where, motion);
  motion.velocity = mass.inverse_mass * Vec3(p[0], p[1], p[2]);
  motion.angular_velocity =
      turned_by(motion.rotation, mass.times_inverse_inertia(rotated_back(motion.rotation, p + 3)));
}

std::vector<double> momenta_of(const KickBodies& bodies, const State& state) {
  std::vector<double> momenta(6 * bodies.size());
  for (size_t n = 0; n < bodies.size(); ++n)
    Eigen::Map<model::Vec6>(&momenta[6 * n]) << state.momentum(bodies.moving[n]),
        state.angular_momentum(bodies.moving[n]);
  return momenta;
}

void add_velocities(const KickBodies& bodies, const State& state, std::span<double> v) {
  for (size_t n = 0; n < bodies.size(); ++n) {
    const BodyMass& mass = bodies.masses[n];
    const BodyId id = bodies.moving[n];
    const Mat3 R = state.orientation(id).to_matrix();
    const double* P = &state.y[id.index() * model::kBodySize + model::kMomentumAt];
    const Vec3 w = turned_by(R, mass.times_inverse_inertia(rotated_back(R, P + 3)));
    for (size_t k = 0; k < 3; ++k)
      v[6 * n + k] += mass.inverse_mass * P[k], v[6 * n + 3 + k] += w[static_cast<Eigen::Index>(k)];
  }
}

void drift(const KickBodies& bodies, std::span<const double> v, double h, State& state) {
  for (size_t n = 0; n < bodies.size(); ++n) {
    const Eigen::Map<const model::Vec6> u(&v[6 * n]);
    const BodyId id = bodies.moving[n];
    state.set_position(id, state.position(id) + h * u.head<3>());
    const Quat q = rotation_from_vector(h * u.tail<3>()) * state.orientation(id);
    const double inverse = inverse_norm(q);
    state.set_orientation(
        id, Quat::from_wxyz(inverse * q.w(), inverse * q.x(), inverse * q.y(), inverse * q.z()));
  }
  state.time += h;
}

}  // namespace tumble::dynamics
