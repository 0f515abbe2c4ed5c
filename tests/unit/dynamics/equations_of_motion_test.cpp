#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/simulate.h"
#include "tumble/dynamics/energy.h"
#include "tumble/dynamics/equations_of_motion.h"

using namespace tumble;
using model::BodyId;
using model::Quat;
using model::Vec3;

namespace {

std::mt19937 generator(7);
Vec3 random_vector() {
  std::normal_distribution<double> normal;
  return Vec3(normal(generator), normal(generator), normal(generator));
}

model::Model random_body() {
  model::ModelBuilder builder;
  model::BodySpec body;
  body.name = "body";
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 1.7;
  body.inertia->moments = Vec3(1, 1.4, 1.9);
  body.inertia->products = Vec3(0.1, -0.2, 0.05);
  body.X_WB = {Quat::from_rotation_vector(random_vector()), random_vector()};
  body.velocity = random_vector();
  body.angular_velocity = random_vector();
  const BodyId id = builder.add_body(body);
  builder.add_force(std::make_shared<model::AppliedForce>("push", id, random_vector(), model::Frame::body,
                                                          random_vector()));
  return support::finished(builder);
}

}  // namespace

TEST_CASE("slopes are those of the Newton-Euler equations") {
  for (int n = 0; n < 50; ++n) {
    const model::Model model = random_body();
    const model::State state = start_state(model);
    dynamics::EquationsOfMotion equations(model);
    std::vector<double> y = state.y, slope(equations.size());
    y.resize(equations.size());
    equations.compute_slope(0, y.data(), slope.data());
    const BodyId id(0);
    const model::Body& body = model.body(id);

    // omega from the definition L = R I R^T omega, not from the code under test
    const model::Mat3 R = body.X_WB.rotation.to_matrix();
    const Vec3 v = body.velocity, w = body.angular_velocity;
    for (int k = 0; k < 3; ++k) CHECK(slope[k] == doctest::Approx(v[k]).epsilon(1e-14));
    const Quat q = state.orientation(id), qdot = Quat::from_wxyz(0, w.x(), w.y(), w.z()) * q;
    CHECK(std::abs(slope[3] - 0.5 * qdot.w()) < 1e-14);
    CHECK(std::abs(slope[4] - 0.5 * qdot.x()) < 1e-14);
    CHECK(std::abs(slope[5] - 0.5 * qdot.y()) < 1e-14);
    CHECK(std::abs(slope[6] - 0.5 * qdot.z()) < 1e-14);

    model::Wrench wrench, nothing;
    const model::BodyMotion motion{state.position(id), R, v, w};
    model.forces()[0]->apply(0, motion, {}, wrench, nothing);
    const Vec3 force = wrench.force + body.mass * model.gravity();
    for (int k = 0; k < 3; ++k) CHECK(std::abs(slope[7 + k] - force[k]) < 1e-13);
    for (int k = 0; k < 3; ++k) CHECK(std::abs(slope[10 + k] - wrench.torque[k]) < 1e-13);
    CHECK(std::abs(slope[13] - (wrench.force.dot(v) + wrench.torque.dot(w))) < 1e-13);
    CHECK(std::abs(slope[14] - wrench.torque.dot(w)) < 1e-13);
  }
}

TEST_CASE("a quaternion that is not of unit length has the same slopes") {
  const model::Model model = random_body();
  dynamics::EquationsOfMotion equations(model);
  std::vector<double> y = start_state(model).y, a(equations.size()), b(equations.size());
  y.resize(equations.size());
  equations.compute_slope(0, y.data(), a.data());
  for (int k = 3; k < 7; ++k) y[k] *= 2;  // exact
  equations.compute_slope(0, y.data(), b.data());
  for (size_t k = 0; k < y.size(); ++k) CHECK(b[k] == (k >= 3 && k < 7 ? 2 * a[k] : a[k]));
}

TEST_CASE("the gradient of the rotational energy equals its finite difference") {
  for (int n = 0; n < 20; ++n) {
    const model::Model model = random_body();
    const dynamics::EquationsOfMotion equations(model);
    model::State state = start_state(model);
    const auto [energy, reduced_energy, gradient, bound] = equations.compute_rotation(state.y.data(), 0);
    CHECK(reduced_energy == energy);  // the reference is zero unless set
    CHECK(energy == doctest::Approx(
                        0.5 * state.angular_momentum(BodyId(0)).dot(model.body(BodyId(0)).angular_velocity)));
    const Quat q = state.orientation(BodyId(0));
    const double step = 1e-5;  // truncation step^2, rounding 1e-16/step
    for (int k = 0; k < 3; ++k) {
      double value[2];
      for (int side = 0; side < 2; ++side) {
        state.set_orientation(BodyId(0),
                              q * Quat::from_rotation_vector((side == 0 ? -step : step) * Vec3::Unit(k)));
        value[side] = equations.compute_rotation(state.y.data(), 0).energy;
      }
      CHECK(std::abs((value[1] - value[0]) / (2 * step) - gradient[k]) < 1e-9 * (1 + energy));
    }
  }
}

TEST_CASE("fixed bodies have no slope and do not contribute to the balance") {
  model::ModelBuilder builder;
  model::BodySpec body;
  body.name = "wall";
  body.fixed = true;
  body.velocity = Vec3(1, 0, 0);
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 5;
  body.inertia->moments = Vec3(1, 1, 1);
  const BodyId wall = builder.add_body(body);
  builder.add_force(
      std::make_shared<model::AppliedForce>("push", wall, Vec3(0, 1, 0), model::Frame::world, Vec3::Zero()));
  const model::Model model = support::finished(builder);
  dynamics::EquationsOfMotion equations(model);
  std::vector<double> y = start_state(model).y, slope(equations.size(), 1.0);
  y.resize(equations.size());
  equations.compute_slope(0, y.data(), slope.data());
  for (const double s : slope) CHECK(s == 0);
  const dynamics::Balance balance = dynamics::compute_balance(model, start_state(model));
  CHECK(balance.kinetic == 0);
  CHECK(balance.potential == 0);
}
