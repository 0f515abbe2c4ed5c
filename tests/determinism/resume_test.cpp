// A saved run is complete: a new simulation continues from it with the same bits.
#include <doctest/doctest.h>

#include "support/simulate.h"

using namespace tumble;
using model::Vec3;

namespace {

// Spins near each principal axis, where the rotational energy hardly determines the orientation, so that the
// reduced energy is reset again and again.
model::Model near_axis(int axis, double tilt) {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec body;
  body.name = "body";
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 1;
  body.inertia->moments = Vec3(1, 2, 2.5);
  body.angular_velocity = Vec3::Constant(5 * tilt);
  body.angular_velocity[axis] = 5;
  const model::BodyId id = builder.add_body(body);
  builder.add_force(
      std::make_shared<model::AppliedTorque>("twist", id, Vec3(tilt, 0, 0.1 * tilt), model::Frame::world));
  return support::finished(builder);
}

void check_same(const model::State& a, const model::State& b) {
  REQUIRE(a.time == b.time);
  REQUIRE(a.y == b.y);
  REQUIRE(a.work == b.work);
}

}  // namespace

TEST_CASE("a run resumed at every step has the same bits as an uninterrupted one") {
  for (const char* integrator : {"dopri8", "dopri5", "cash-karp"})
    for (const double tilt : {0.0, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.3})
      for (int axis = 0; axis < 3; ++axis)
        for (const double accuracy : {1e-1, 1e-3, 1e-4, 1e-6, 1e-9}) {
          const model::Model model = near_axis(axis, tilt);
          const simulate::SimulationOptions options{.accuracy = accuracy, .integrator = integrator};
          simulate::Simulation run = support::make_simulation(model, options);
          std::string saved = run.save();
          for (int i = 0; i < 60; ++i) {
            // A new object repeats the last step. Its result and its memory lead to the step that is saved
            // next.
            simulate::Simulation fresh = support::make_simulation(model, options);
            REQUIRE(fresh.restore(saved).empty());
            check_same(fresh.state(), run.state());
            REQUIRE(run.step().good());
            REQUIRE(fresh.step().good());
            check_same(fresh.state(), run.state());
            saved = fresh.save();
            REQUIRE(saved == run.save());
          }
        }
}

TEST_CASE("dense output does not change the steps that follow") {
  const scene::Scene scene = support::load("orbit");
  simulate::Simulation run = support::make_simulation(scene.model),
                       watched = support::make_simulation(scene.model);
  for (int i = 0; i < 50; ++i) {
    const double begin = run.time();
    REQUIRE(run.step().good());
    REQUIRE(watched.step().good());
    for (const double x : {0.1, 0.5, 0.9}) watched.state_at(begin + x * (watched.time() - begin));
    check_same(watched.state(), run.state());
  }
}
