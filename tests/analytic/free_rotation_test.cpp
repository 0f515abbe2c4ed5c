#include <doctest/doctest.h>

#include <cmath>

#include "support/free_body.h"
#include "support/simulate.h"
#include "tumble/dynamics/energy.h"

using namespace tumble;
using model::Mat3;
using model::Vec3;

namespace {

double angle_to(const model::Quat& q, const support::Matrix& exact) {
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = static_cast<double>(exact[i][j]);
  const Mat3 D = q.to_matrix() * R.transpose();
  const double sine = 0.5 * Vec3(D(2, 1) - D(1, 2), D(0, 2) - D(2, 0), D(1, 0) - D(0, 1)).norm();
  return std::atan2(sine, 0.5 * (D.trace() - 1));
}

}  // namespace

TEST_CASE("the exact solution used here satisfies Euler's equations and conserves angular momentum") {
  // A test of the oracle: constant angular momentum in the world, and R' = [omega]x R by finite differences.
  for (const support::Vector& omega :
       {support::Vector{0.1L, 2, 0.3L}, {1, 0.2L, 0.1L}, {0.1L, 0.2L, -1}, {-0.4L, 1, 2}, {2, -1, 0.1L}}) {
    const support::Vector moments = {1, 2, 3};
    support::FreeBody body(moments, omega);
    const long double dt = 1e-5L;
    support::Matrix before = body.orientation(0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) CHECK(std::abs(before[i][j] - (i == j ? 1.0L : 0.0L)) < 1e-17L);
    for (const long double t : {0.3L, 1.1L, 4.0L, 9.7L}) {
      const support::Matrix a = body.orientation(t - dt), R = body.orientation(t),
                            b = body.orientation(t + dt);
      const support::Vector w = body.omega_body(t);
      for (int i = 0; i < 3; ++i) {
        long double momentum = 0;
        for (int j = 0; j < 3; ++j) momentum += R[i][j] * moments[j] * w[j];
        CHECK(std::abs(momentum - moments[i] * omega[i]) < 1e-15L);
        // third-order terms of the central difference: |omega|^3 dt^2
        const long double turned[3] = {R[i][1] * w[2] - R[i][2] * w[1], R[i][2] * w[0] - R[i][0] * w[2],
                                       R[i][0] * w[1] - R[i][1] * w[0]};
        for (int j = 0; j < 3; ++j)
          CHECK(std::abs((b[i][j] - a[i][j]) / (2 * dt) - turned[j]) < 20 * dt * dt);
      }
    }
  }
}

TEST_CASE("intermediate axis, 100 s at accuracy 1e-10: orientation, energy and momentum are as promised") {
  const double w = 2 * math::kPi;
  const model::Model model = support::single_body({1, 2, 3}, w * Vec3(1e-3, 1, 1e-3));
  support::FreeBody exact({1, 2, 3}, {w * 1e-3, w, w * 1e-3});
  const dynamics::Balance start = dynamics::compute_balance(model, start_state(model));
  double angle = 0, energy = 0, momentum = 0;
  support::simulate_steps(model, 100, {.accuracy = 1e-10}, [&](const model::State& state) {
    const dynamics::Balance now = dynamics::compute_balance(model, state);
    angle = std::max(angle, angle_to(state.orientation(model::BodyId(0)), exact.orientation(state.time)));
    energy = std::max(energy, std::abs(now.energy() / start.energy() - 1));
    momentum = std::max(
        momentum, (now.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm());
  });
  MESSAGE("orientation " << angle << " rad, energy " << energy << ", momentum " << momentum);
  CHECK(angle < 1e-8);
  CHECK(energy < 1e-12);
  CHECK(momentum < 1e-13);
}

TEST_CASE("symmetric top: the axis circles the angular momentum at L/I1, to 1e-10") {
  // Free precession of a symmetric body: in body axes omega rotates about the symmetry axis at (I3 - I1)/I1
  // omega3, in space the axis rotates about L at L/I1.
  const double I1 = 2, I3 = 3;
  const Vec3 omega(0.7, 0, 5);
  const model::Model model = support::single_body({I1, I1, I3}, omega);
  const Vec3 L(I1 * omega.x(), 0, I3 * omega.z());
  const double in_space = L.norm() / I1, in_body = (I3 - I1) / I1 * omega.z();
  const double t_end = 40;
  const model::State end = support::simulate_to(model, t_end, {.accuracy = 1e-11});
  const model::BodyId id(0);

  const Vec3 along = L.normalized(), axis0 = Vec3::UnitZ(), axis = end.orientation(id) * Vec3::UnitZ();
  const auto phase = [&](const Vec3& v) {
    const Vec3 e1 = (axis0 - axis0.dot(along) * along).normalized(), e2 = along.cross(e1);
    return std::atan2(v.dot(e2), v.dot(e1));
  };
  const Vec3 w_body = end.orientation(id).conjugate() * angular_velocity(model, end, id);
  const auto wrapped = [](double a) { return std::remainder(a, 2 * math::kPi); };
  const double space_error = std::abs(wrapped(phase(axis) - in_space * t_end)) / (in_space * t_end);
  const double body_error =
      std::abs(wrapped(std::atan2(w_body.y(), w_body.x()) - in_body * t_end)) / (in_body * t_end);
  MESSAGE("relative error of the rates: in space " << space_error << ", in the body " << body_error);
  CHECK(space_error < 1e-10);
  CHECK(body_error < 1e-10);
}
