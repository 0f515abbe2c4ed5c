// Invariance: units, the origin, the direction of the axes and handedness do not matter.
#include <doctest/doctest.h>

#include <cmath>

#include "support/simulate.h"

using namespace tumble;
using model::BodyId;
using model::Mat3;
using model::Pose;
using model::Quat;
using model::Vec3;

namespace {

// Units of length, mass and time, each a power of two.
struct Units {
  double l = 1, m = 1, t = 1;
};

// A transformation of space: a mirror (x -> -x, applied first), a rotation, a translation.
struct Seen {
  Quat turn;
  bool mirror = false;
  Vec3 shift = Vec3::Zero();

  Vec3 vector(Vec3 v) const {
    if (mirror) v.x() = -v.x();
    return turn * v;
  }
  Vec3 point(const Vec3& p) const { return vector(p) + shift; }
  Vec3 axial(Vec3 w) const {  // angular velocities and torques keep the component along a mirror's normal
    if (mirror) w.y() = -w.y(), w.z() = -w.z();
    return turn * w;
  }
  Quat orientation(const Quat& q) const {
    return turn * (mirror ? Quat::from_wxyz(q.w(), q.x(), -q.y(), -q.z()) : q);
  }
};

// Three bodies under every force law; positions and frames transformed by `seen`, numbers in `units`.
model::Model everything(const Units& u, const Seen& seen, bool gravity = true) {
  const double force = u.m * u.l / (u.t * u.t);
  model::ModelBuilder builder;
  builder.set_gravity(gravity ? Vec3(seen.vector(Vec3(0.3, -9.81, 0.1)) * (u.l / (u.t * u.t)))
                              : Vec3(Vec3::Zero()));
  const Vec3 at[] = {Vec3(0, 0, 0), Vec3(1.3, 0.2, -0.4), Vec3(-0.7, 1.1, 0.9)};
  const Vec3 v[] = {Vec3(0.1, 2, 0), Vec3(-0.3, 1, 0.5), Vec3(0, 0, 0)};
  const Vec3 w[] = {Vec3(3, 0.1, -0.2), Vec3(0, 5, 1), Vec3(0.3, 0.2, 0.1)};
  std::vector<BodyId> ids;
  for (int i = 0; i < 3; ++i) {
    model::BodySpec body;
    body.name = "body" + std::to_string(i);
    body.X_WB.translation = seen.point(at[i]) * u.l;
    // body axes are mirrored with the world, so that the inertia tensor keeps its entries but for two signs
    body.X_WB.rotation = seen.orientation(Quat::from_axis_angle(Vec3(1, 2, 3 + i), 0.4 * i));
    body.velocity = seen.vector(v[i]) * (u.l / u.t);
    body.angular_velocity = seen.axial(w[i]) * (1 / u.t);
    body.inertia = model::GivenInertia{};
    body.inertia->mass = (1 + 0.5 * i) * u.m;
    body.inertia->moments = Vec3(0.1, 0.2, 0.25) * (u.m * u.l * u.l);
    body.inertia->products =
        Vec3(seen.mirror ? -0.01 : 0.01, seen.mirror ? -0.02 : 0.02, 0.015) * (u.m * u.l * u.l);
    ids.push_back(builder.add_body(body));
  }
  const auto arm = [&](int i, const Vec3& p) { return builder.arm_of(ids[i], seen.point(p) * u.l); };
  builder.add_force(std::make_shared<model::Spring>("spring", ids[0], arm(0, Vec3(0.1, 0.2, 0)), ids[1],
                                                    arm(1, Vec3(1.2, 0.1, -0.4)), 0.9 * u.l,
                                                    12 * u.m / (u.t * u.t)));
  builder.add_force(std::make_shared<model::Damper>("damper", ids[0], arm(0, Vec3(0.1, 0.2, 0)), ids[1],
                                                    arm(1, Vec3(1.2, 0.1, -0.4)), 0.3 * u.m / u.t));
  builder.add_force(std::make_shared<model::InverseSquare>("pull", ids[1], ids[2],
                                                           0.7 * u.m * u.l * u.l * u.l / (u.t * u.t)));
  builder.add_force(std::make_shared<model::Drag>("drag", ids[2], 0.1 * u.m / u.t, 0.05 * u.m / u.l,
                                                  seen.vector(Vec3(1, 0, 2)) * (u.l / u.t)));
  builder.add_force(std::make_shared<model::AppliedForce>("push", ids[0], seen.vector(Vec3(0, 3, 1)) * force,
                                                          model::Frame::world, arm(0, Vec3(0, 0.1, 0.3)),
                                                          0.25 * u.t, 0.75 * u.t));
  builder.add_force(std::make_shared<model::AppliedTorque>(
      "twist", ids[1], seen.axial(Vec3(0.2, 0.1, 0)) * (force * u.l), model::Frame::world, 0, 0.5 * u.t));
  return support::finished(builder);
}

constexpr double kSpan = 1.5;  // s

}  // namespace

TEST_CASE("scaling length, mass or time by powers of two gives the same motion bit for bit") {
  for (const bool gravity : {true, false}) {
    const model::Model model = everything({}, {}, gravity);
    for (const Units& u :
         {Units{1024, 1, 1}, Units{1, 1.0 / 65536, 1}, Units{1, 1, 32}, Units{1.0 / 4096, 256, 1.0 / 8}}) {
      const model::Model other = everything(u, {}, gravity);
      simulate::Simulation a = support::make_simulation(model), b = support::make_simulation(other);
      const model::State &sa = a.state(), &sb = b.state();
      while (sa.time < kSpan) {
        REQUIRE(a.step().good());
        REQUIRE(b.step().good());
        REQUIRE(sb.time == sa.time * u.t);
        for (size_t i = 0; i < model.bodies().size(); ++i) {
          const BodyId id(i);
          REQUIRE(sb.position(id) == Vec3(sa.position(id) * u.l));
          REQUIRE(sb.orientation(id).w() == sa.orientation(id).w());
          REQUIRE(sb.orientation(id).vec() == sa.orientation(id).vec());
          REQUIRE(sb.momentum(id) == Vec3(sa.momentum(id) * (u.m * u.l / u.t)));
          REQUIRE(sb.angular_momentum(id) == Vec3(sa.angular_momentum(id) * (u.m * u.l * u.l / u.t)));
        }
        for (size_t k = 0; k < sa.work.size(); ++k)
          REQUIRE(sb.work[k] == sa.work[k] * (u.m * u.l * u.l / (u.t * u.t)));
      }
    }
  }
}

TEST_CASE("translating, rotating and mirroring the scene commutes with simulating it, within the accuracy") {
  for (const double accuracy : {1e-4, 1e-6, 1e-9}) {
    const model::Model model = everything({}, {});
    const simulate::Scales scales = simulate::compute_scales(model);
    const model::State plain = support::simulate_to(model, kSpan, {.accuracy = accuracy});
    for (const Seen& seen :
         {Seen{.turn = {}, .shift = Vec3(100, -20, 7)},
          Seen{.turn = Quat::from_axis_angle(Vec3(1, -1, 2), 2.1)}, Seen{.turn = {}, .mirror = true},
          Seen{.turn = Quat::from_axis_angle(Vec3(0, 1, 2), -1), .mirror = true, .shift = Vec3(1, 2, 3)}}) {
      const model::State other = support::simulate_to(everything({}, seen), kSpan, {.accuracy = accuracy});
      // each of the two runs has an error of the accuracy per time scale
      const double allowed = 2 * accuracy * kSpan / scales.time;
      for (size_t i = 0; i < model.bodies().size(); ++i) {
        const BodyId id(i);
        CHECK((other.position(id) - seen.point(plain.position(id))).norm() < allowed * scales.length);
        CHECK(math::angle_between(other.orientation(id), seen.orientation(plain.orientation(id))) < allowed);
      }
    }
  }
}
