// Why a gyroscope does not precess exactly as the formula of the fast top says, W = m g l / (I3 w3). Released
// at rest, with its axis at the angle t0 from the vertical, the exact top nutates between u = cos t0 and u1,
// with
//   u'^2 = (u0 - u) (B (1 - u^2) - a^2 (u0 - u)),   phi' = a (u0 - u) / (1 - u^2),
//   a = I3 w3 / I1,  B = 2 m g l / I1                                                                     (1)
// and precesses by the same angle in each nutation. Both are integrals over one nutation, here by the
// trapezoidal rule in x of u = (u0 + u1)/2 + (u0 - u1)/2 cos x, which converges faster than any power. With e
// = I1 m g l / (I3 w3)^2 the mean rate is
//   W (1 + e u0 + O(e^2)),   and for u0 = 0   W (1 - 2 e^2 + O(e^4))                                      (2)
#include <doctest/doctest.h>

#include <cmath>

#include "support/simulate.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;

namespace {

constexpr double kLever = 0.2, kPull = 9.81 * kLever;  // m, N m; 1 kg
constexpr double kAboutAxis = 0.02, kAboutPoint = 0.010033333333333333 + kLever * kLever;
constexpr double kTurning = 40 * math::kPi;  // rad/s
constexpr double kTextbook = kPull / (kAboutAxis * kTurning);
constexpr double kSmall = kAboutPoint * kPull / (kAboutAxis * kTurning * kAboutAxis * kTurning);

struct Nod {
  double time, angle, depth;  // s, rad, rad
};

Nod exact_nod(double u0) {
  const double a = kAboutAxis * kTurning / kAboutPoint, B = 2 * kPull / kAboutPoint;
  const double root = std::sqrt(a * a * a * a - 4 * B * (a * a * u0 - B));
  const double u2 = (a * a + root) / (2 * B), u1 = 2 * (a * a * u0 - B) / (a * a + root);
  constexpr int points = 40;
  Nod nod{0, 0, std::acos(u1) - std::acos(u0)};
  for (int i = 0; i < points; ++i) {
    const double u = (u0 + u1) / 2 + (u0 - u1) / 2 * std::cos(2 * math::kPi * (i + 0.5) / points);
    const double part = 2 * math::kPi / points / std::sqrt(B * (u2 - u));
    nod.time += part;
    nod.angle += part * a * (u0 - u) / (1 - u * u);
  }
  return nod;
}

model::Model tilted_top(double tilt) {
  model::ModelBuilder builder;
  model::BodySpec disc;
  const Vec3 axis(std::sin(tilt), std::cos(tilt), 0);
  disc.name = "disc";
  disc.X_WB = {math::Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 2 - tilt), kLever * axis};
  disc.angular_velocity = kTurning * axis;
  disc.inertia = model::GivenInertia{
      .mass = 1, .moments = Vec3(kAboutAxis, kAboutPoint - kLever * kLever, kAboutPoint - kLever * kLever)};
  builder.add_joint({.name = "nail", .type = model::JointType::nail, .b = builder.add_body(disc)});
  return builder.finish().value();
}

// The precession angle after a number of nutations, with full turns.
double gone_round(double tilt, double time, double about, const simulate::SimulationOptions& options) {
  const model::State state = support::simulate_to(tilted_top(tilt), time, options);
  const Vec3 x = state.position(model::BodyId(0));
  return about + std::remainder(std::atan2(-x.z(), x.x()) - about, 2 * math::kPi);
}

}  // namespace

TEST_CASE("a gyroscope departs from the formula of the fast top as the exact top does, for any step") {
  constexpr int nods = 63;  // about 8 s, one revolution
  for (const double degrees : {90.0, 80.0, 68.0, 100.0}) {
    const double tilt = degrees * math::kPi / 180, u0 = degrees == 90 ? 0 : std::cos(tilt);
    const Nod nod = exact_nod(u0);
    const double wanted = nods * nod.angle, time = nods * nod.time,
                 off = nod.angle / nod.time / kTextbook - 1;
    const auto error = [&](const simulate::SimulationOptions& options) {
      return std::abs(gone_round(tilt, time, wanted, options) - wanted);
    };
    const double coarse = error({.accuracy = 1e-3}), usual = error({}), fine = error({.accuracy = 1e-10});
    // 2007: Cash and Karp's method, steps of 2.3e-4 s on average
    const double old = error({.integrator = "cash-karp", .fixed_step = 2.3e-4});
    MESSAGE(degrees << " deg: nods by " << nod.depth << " rad in " << nod.time << " s, round in "
                    << 2 * math::kPi * nod.time / nod.angle << " s, textbook " << 2 * math::kPi / kTextbook
                    << " s, off by " << off << "; errors in rad: 1e-3 " << coarse << ", 1e-6 " << usual
                    << ", 1e-10 " << fine << ", 2007 " << old);
    CHECK(coarse < 1e-3);
    CHECK(usual < 1e-7);
    CHECK(fine < 1e-11);
    CHECK(old < 1e-6);
    const double expected = u0 == 0 ? -2 * kSmall * kSmall : kSmall * u0;
    CHECK(std::abs(off - expected) < 4 * kSmall * kSmall);
  }
}
