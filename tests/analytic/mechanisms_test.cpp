// Mechanisms with loops, redundant rows and scripts, compared with closed forms.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/dynamics/energy.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

// A bar of 1 kg from p to q in the plane z = 0.
BodyId add_bar(model::ModelBuilder& builder, const char* name, const Vec3& p, const Vec3& q,
               const Vec3& velocity = Vec3::Zero(), double turning = 0) {
  const Vec3 along = q - p;
  const double l = along.norm();
  model::BodySpec bar;
  bar.name = name;
  bar.X_WB = {math::Quat::from_axis_angle(Vec3::UnitZ(), math::atan2(along.y(), along.x())), 0.5 * (p + q)};
  bar.velocity = velocity;
  bar.angular_velocity = turning * Vec3::UnitZ();
  bar.inertia = model::GivenInertia{.mass = 1, .moments = l * l * Vec3(1.0 / 60, 1.0 / 12, 1.0 / 12)};
  return builder.add_body(bar);
}

void add_hinge(model::ModelBuilder& builder, const char* name, BodyId a, BodyId b, const Vec3& at) {
  builder.add_joint(
      {.name = name, .type = JointType::hinge, .a = a, .b = b, .at = at, .axis = Vec3::UnitZ()});
}

// A script with constant `rate` from t = 0 to t = `until`.
std::vector<model::CurveKey> evenly(double rate, double until) {
  return {{.t = 0, .value = 0, .slope = rate}, {.t = until, .value = rate * until, .slope = rate}};
}

}  // namespace

TEST_CASE("a parallelogram stays one through its singular positions for a minute") {
  constexpr double turning = 6, angle = 0.6;
  const Vec3 A = Vec3::Zero(), D(1.5, 0, 0), u(std::cos(angle), std::sin(angle), 0), v(-u.y(), u.x(), 0);
  model::ModelBuilder builder;
  const BodyId crank = add_bar(builder, "crank", A, A + u, 0.5 * turning * v, turning);
  const BodyId rocker = add_bar(builder, "rocker", D, D + u, 0.5 * turning * v, turning);
  const BodyId coupler = add_bar(builder, "coupler", A + u, D + u, turning * v);
  add_hinge(builder, "a", {}, crank, A);
  add_hinge(builder, "b", crank, coupler, A + u);
  add_hinge(builder, "c", coupler, rocker, D + u);
  add_hinge(builder, "d", {}, rocker, D);
  const model::Model model = builder.finish().value();
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  dynamics::ConstrainedBodies bodies(model);
  const double energy = dynamics::compute_balance(model, state).energy();
  double gap = 0, drift = 0, kinetic = 0, tilt = 0;
  while (state.time < 60) {
    REQUIRE(simulation.step().good());
    const dynamics::Balance balance = dynamics::compute_balance(model, state);
    kinetic = std::max(kinetic, balance.kinetic);
    drift = std::max(drift, std::abs(balance.energy() - energy));
    gap = std::max(gap, bodies.compute_gap(state.time, state.y.data()).error);
    tilt = std::max(tilt, state.orientation(coupler).to_rotation_vector().norm());
  }
  MESSAGE("closure " << gap << " m, energy " << drift / kinetic << ", tilt of the coupler " << tilt
                     << " rad");
  CHECK(gap < 1e-11);
  CHECK(drift < 1e-8 * kinetic);
  CHECK(tilt < 1e-6);  // the other branch would rotate it by half a turn
}

TEST_CASE("a table held by three nails, nine rows of rank six, carries its load") {
  model::ModelBuilder builder;
  model::BodySpec table;
  table.name = "table";
  table.inertia = model::GivenInertia{.mass = 20, .moments = Vec3(1, 2, 3)};
  const BodyId id = builder.add_body(table);
  const Vec3 nails[] = {Vec3(1, 0, 0), Vec3(-1, 0, 1), Vec3(-1, 0, -1)};
  for (int i = 0; i < 3; ++i)
    builder.add_joint({.name = "nail" + std::to_string(i), .type = JointType::nail, .b = id, .at = nails[i]});
  builder.add_force(std::make_shared<model::AppliedForce>("load", id, Vec3(30, -500, 20), model::Frame::world,
                                                          Vec3(0.5, 0.2, 0.7)));
  const model::Model model = builder.finish().value();
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  while (state.time < 10) REQUIRE(simulation.step().good());
  CHECK(state.position(id).norm() < 1e-12);
  CHECK(state.orientation(id).to_rotation_vector().norm() < 1e-12);
}

TEST_CASE("a driven slider-crank follows its closed form") {
  constexpr double r = 0.3, l = 0.8, rate = 5;
  model::ModelBuilder builder;
  const BodyId crank =
      add_bar(builder, "crank", Vec3::Zero(), Vec3(r, 0, 0), Vec3(0, 0.5 * r * rate, 0), rate);
  const BodyId rod =
      add_bar(builder, "rod", Vec3(r, 0, 0), Vec3(r + l, 0, 0), Vec3(0, 0.5 * r * rate, 0), -r * rate / l);
  const BodyId piston = add_bar(builder, "piston", Vec3(r + l - 0.1, 0, 0), Vec3(r + l + 0.1, 0, 0));
  builder.add_joint({.name = "shaft",
                     .type = JointType::hinge,
                     .b = crank,
                     .axis = Vec3::UnitZ(),
                     .script = evenly(rate, 100)});
  add_hinge(builder, "pin", crank, rod, Vec3(r, 0, 0));
  add_hinge(builder, "wrist", rod, piston, Vec3(r + l, 0, 0));
  builder.add_joint({.name = "bore",
                     .type = JointType::slider,
                     .b = piston,
                     .at = Vec3(r + l, 0, 0),
                     .axis = Vec3::UnitX()});
  const model::Model model = builder.finish().value();
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  double error = 0;
  while (state.time < 5) {
    REQUIRE(simulation.step().good());
    const double s = std::sin(rate * state.time), c = std::cos(rate * state.time);
    const Vec3 wanted(r * c + std::sqrt(l * l - r * r * s * s), 0, 0);
    error = std::max(error, (state.position(piston) - wanted).norm());
  }
  CHECK(error < 1e-9);
}

TEST_CASE("a Cardan shaft rotates as its closed form says") {
  constexpr double shaft_angle = 40 * math::kPi / 180, rate = 3;
  const Vec3 out(std::cos(shaft_angle), std::sin(shaft_angle), 0),
      cross(std::sin(shaft_angle), -std::cos(shaft_angle), 0);
  model::ModelBuilder builder;
  model::BodySpec shaft;
  shaft.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(0.01, 0.1, 0.1)};
  shaft.name = "in", shaft.X_WB.translation = Vec3(-0.5, 0, 0), shaft.angular_velocity = rate * Vec3::UnitX();
  const BodyId a = builder.add_body(shaft);
  shaft.name = "out", shaft.X_WB = {math::Quat::from_axis_angle(Vec3::UnitZ(), shaft_angle), 0.5 * out};
  shaft.angular_velocity = rate * std::cos(shaft_angle) * out;
  const BodyId b = builder.add_body(shaft);
  builder.add_joint({.name = "bearing in",
                     .type = JointType::hinge,
                     .b = a,
                     .axis = Vec3::UnitX(),
                     .script = evenly(rate, 100)});
  builder.add_joint(
      {.name = "cross", .type = JointType::universal, .a = a, .b = b, .axis = Vec3::UnitZ(), .axis2 = cross});
  builder.add_joint({.name = "bearing out", .type = JointType::hinge, .b = b, .axis = out});
  const model::Model model = builder.finish().value();
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  const math::Quat start = state.orientation(b);
  double error = 0;
  while (state.time < 5) {
    REQUIRE(simulation.step().good());
    const double in = rate * state.time;
    const double wanted = std::atan2(std::sin(in) * std::cos(shaft_angle), std::cos(in));
    const double rotation = (state.orientation(b) * start.conjugate()).to_rotation_vector().dot(out);
    error = std::max(error, std::abs(std::remainder(rotation - wanted, 2 * math::kPi)));
  }
  CHECK(error < 1e-9);
}
