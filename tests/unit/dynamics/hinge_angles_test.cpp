#include "tumble/dynamics/hinge_angles.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/model/joint_spec.h"

using namespace tumble;
using math::Quat;
using math::Vec3;

namespace {

const Vec3 kHingeAxis = Vec3(1, -2, 2) / 3;

// A hinge between two bodies. Its spring depends on the counted angle, so that turns are counted.
model::Model counted_hinge() {
  model::ModelBuilder builder;
  model::BodySpec body;
  body.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(1, 1.2, 1.5)};
  body.name = "a";
  const model::BodyId a = builder.add_body(body);
  body.name = "b";
  const model::BodyId b = builder.add_body(body);
  builder.add_joint(
      {.name = "hinge", .type = model::JointType::hinge, .a = a, .b = b, .axis = kHingeAxis, .stiffness = 1});
  return support::finished(builder);
}

}  // namespace

TEST_CASE("a hinge counts its turns in both directions if it rotates by less than half a turn at once") {
  const model::Model model = counted_hinge();
  REQUIRE(model.counted_hinges().size() == 1);
  model::State state = start_state(model);
  const auto turn_to = [&](double angle) {
    // The joint rotates with body a.
    const Quat q = Quat::from_rotation_vector(Vec3(0.3, 0.4, -0.2) * angle);
    state.set_orientation(model::BodyId(0), q);
    state.set_orientation(model::BodyId(1), q * Quat::from_rotation_vector(angle * kHingeAxis));
    dynamics::update_hinge_angles(model, state);
    CHECK(std::abs(state.hinge_angles[0] - angle) < support::round_off(50, 30));
  };
  for (double angle = 0; angle < 25; angle += 3) turn_to(angle);
  for (double angle = 24; angle > -25; angle -= 3) turn_to(angle);
}

TEST_CASE("the rate of a counted hinge equals the finite difference of its angle") {
  const model::Model model = counted_hinge();
  model::State state = start_state(model);
  const Vec3 spin(0.3, -0.5, 0.2);
  const double rate = 1.7, h = 1e-6;  // truncation h^2, rounding 1e-16/h
  const Quat q = Quat::from_rotation_vector(Vec3(0.4, 0.1, 0.2));
  std::vector<model::BodyMotion> motions(2);
  motions[0].rotation = q.to_matrix();
  motions[0].angular_velocity = spin;
  motions[1].rotation = (q * Quat::from_rotation_vector(0.8 * kHingeAxis)).to_matrix();
  motions[1].angular_velocity = spin + rate * (q * kHingeAxis);
  double found = 0, angles[2];
  dynamics::compute_hinge_rates(model, motions, &found);
  for (int side = 0; side < 2; ++side) {
    const double t = side == 0 ? -h : h;
    const Quat moved = Quat::from_rotation_vector(t * spin) * q;
    state.set_orientation(model::BodyId(0), moved);
    state.set_orientation(model::BodyId(1),
                          moved * Quat::from_rotation_vector((0.8 + rate * t) * kHingeAxis));
    dynamics::update_hinge_angles(model, state);
    angles[side] = state.hinge_angles[0];
  }
  CHECK(found == doctest::Approx(rate).epsilon(1e-14));
  CHECK(std::abs((angles[1] - angles[0]) / (2 * h) - found) < 1e-9);
}
