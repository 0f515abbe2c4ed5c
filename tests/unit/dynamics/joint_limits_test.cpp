#include "tumble/dynamics/joint_limits.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/simulate.h"
#include "tumble/model/joint_spec.h"

using namespace tumble;
using math::Quat;
using math::Vec3;

namespace {

// A slider and a hinge to the world, each with two limits; bodies of radius 2 (slider) and 0.5 (hinge).
model::Model limited_joints() {
  model::ModelBuilder builder;
  const auto add = [&](const char* name, double radius) {
    model::BodySpec body;
    body.name = name;
    body.shapes.push_back({.shape = collision::Sphere{radius}});
    return builder.add_body(body);
  };
  builder.add_joint({.name = "slider",
                     .type = model::JointType::slider,
                     .b = add("carriage", 2),
                     .axis = Vec3(1, 0, 0),
                     .limits = model::Range{-1, 3}});
  builder.add_joint({.name = "hinge",
                     .type = model::JointType::hinge,
                     .b = add("door", 0.5),
                     .axis = Vec3(0, 1, 0),
                     .limits = model::Range{-0.5, 1}});
  return support::finished(builder);
}

}  // namespace

TEST_CASE("value and rate of limits are right, and the same for a state and for motions") {
  const model::Model model = limited_joints();
  REQUIRE(model.limits().size() == 4);
  model::State state = start_state(model);
  set_motion(model, model::BodyId(0), Vec3(0.75, 0, 0), Quat::identity(), Vec3(2, 0, 0), Vec3::Zero(), state);
  set_motion(model, model::BodyId(1), Vec3::Zero(), Quat::from_rotation_vector(Vec3(0, 0.25, 0)),
             Vec3::Zero(), Vec3(0, -3, 0), state);
  const std::vector<model::BodyMotion> motions = {body_motion(model, state, model::BodyId(0)),
                                                  body_motion(model, state, model::BodyId(1))};
  std::vector<dynamics::LimitState> limits;
  dynamics::evaluate_limits(model, 0, motions, limits);
  const double values[] = {1.75, 2.25, 0.75, 0.75}, rates[] = {2, -2, -3, 3};
  for (size_t k = 0; k < 4; ++k) {
    CHECK(limits[k].value == doctest::Approx(values[k]).epsilon(1e-14));
    CHECK(limits[k].rate == doctest::Approx(rates[k]).epsilon(1e-14));
    CHECK(dynamics::compute_limit_value(model, state, k) == limits[k].value);
  }
}

TEST_CASE("the unit of a limit is the size of its body, or 1 rad") {
  const model::Model model = limited_joints();
  CHECK(dynamics::unit_of_limit(model, 0) == model.bodies()[0].radius);
  CHECK(dynamics::unit_of_limit(model, 3) == 1);
}

TEST_CASE("limits are in reach, reached and passed, on either side of each threshold") {
  using dynamics::is_in_reach;
  using dynamics::is_limit_passed;
  using dynamics::is_limit_reached;
  for (const double rate : {2.0, -2.0}) {
    CHECK(is_in_reach({0.599, rate}, 0.25, 0.1));
    CHECK_FALSE(is_in_reach({0.601, rate}, 0.25, 0.1));
  }
  CHECK(is_limit_reached(1e-3, 1e-3));
  CHECK_FALSE(is_limit_reached(1.001e-3, 1e-3));
  CHECK_FALSE(is_limit_passed(-1e-3, 1e-3));
  CHECK(is_limit_passed(-1.001e-3, 1e-3));
  // A limit that was passed before may stay where it is.
  CHECK_FALSE(is_limit_passed(-0.5, 1e-3, -0.5));
  CHECK(is_limit_passed(-0.501, 1e-3, -0.5));
  CHECK(is_limit_passed(std::numeric_limits<double>::quiet_NaN(), 1e-3));
}
