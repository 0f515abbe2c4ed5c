// The state and the control are all there is: a driver that has never seen the run goes on with the same bits.
#include <doctest/doctest.h>

#include "support/simulate.h"

using namespace tumble;
using model::Vec3;

namespace {

// Spins near each principal axis, where the energy of rotation says little about the orientation and its account is settled
// again and again.
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

}  // namespace

TEST_CASE("a run resumed at every step has the bits of one that was not") {
  for (const char* integrator : {"dopri8", "dopri5", "cash-karp"})
    for (const double tilt : {0.0, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.3})
      for (int axis = 0; axis < 3; ++axis)
        for (const double accuracy : {1e-1, 1e-3, 1e-4, 1e-6, 1e-9}) {
          const model::Model model = near_axis(axis, tilt);
          const simulate::RungeKuttaOptions options{.accuracy = accuracy,
                                                    .method = dynamics::find_tableau(integrator)};
          simulate::RungeKuttaStepper driver(model, options);
          simulate::RungeKuttaMemory control, resumed_control;
          model::State state = start_state(model), resumed = state;
          for (int i = 0; i < 60; ++i) {
            REQUIRE(driver.step(state, control).good());
            simulate::RungeKuttaStepper fresh(model, options);
            REQUIRE(fresh.step(resumed, resumed_control).good());
            REQUIRE(resumed.time == state.time);
            REQUIRE(resumed.y == state.y);
            REQUIRE(resumed.work == state.work);
            REQUIRE(resumed_control.next_step == control.next_step);
            REQUIRE(resumed_control.rotation_account == control.rotation_account);
            REQUIRE(resumed_control.rotation_reference == control.rotation_reference);
          }
        }
}

TEST_CASE("looking inside a step does not change the steps that follow") {
  const scene::Scene scene = support::load("orbit");
  simulate::RungeKuttaStepper driver(scene.model, {}), watched(scene.model, {});
  simulate::RungeKuttaMemory control, watched_control;
  model::State state = start_state(scene.model), other = state, inside = state;
  for (int i = 0; i < 50; ++i) {
    const double begin = state.time;
    REQUIRE(driver.step(state, control).good());
    REQUIRE(watched.step(other, watched_control).good());
    for (const double x : {0.1, 0.5, 0.9}) watched.state_at(begin + x * (other.time - begin), inside);
    REQUIRE(other.y == state.y);
    REQUIRE(other.time == state.time);
  }
}
