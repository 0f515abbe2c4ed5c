#include "tumble/view/interpolate.h"

#include <doctest/doctest.h>

#include "support/tolerance.h"
#include "tumble/math/elementary.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Quat;
using math::Vec3;

namespace {

model::Model one_body() {
  model::ModelBuilder builder("one");
  model::BodySpec spec;
  spec.name = "ball";
  spec.shapes.push_back({collision::Sphere{0.5}, {}, {}, true, {}});
  builder.add_body(spec);
  auto model = builder.finish();
  REQUIRE(model);
  return std::move(model).value();
}

const model::BodyId kBody(0);

}  // namespace

TEST_CASE("free flight and constant spin are exact between frames, with many turns, too") {
  const model::Model model = one_body();
  const Vec3 v(3, 4, -1), g(0, -9.81, 0), w(2, -30, 5);  // the spin is 3 turns in 0.6 s
  const auto at = [&](double t) {
    model::State state = model::start_state(model);
    state.time = t;
    model::set_motion(model, kBody, v * t + g * (t * t / 2), Quat::from_rotation_vector(w * t), v + g * t, w,
                      state);
    return state;
  };
  const double h = 0.6;
  for (const double share : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    const model::State got = view::interpolate_state(model, at(1), at(1 + h), share),
                       exact = at(1 + share * h);
    CHECK(got.time == doctest::Approx(exact.time));
    CHECK((got.position(kBody) - exact.position(kBody)).norm() <= support::round_off(64) * 10);
    CHECK(math::angle_between(got.orientation(kBody), exact.orientation(kBody)) <=
          support::round_off(256) * 20);
  }
}

TEST_CASE("over an impact bodies follow the straight line") {
  const model::Model model = one_body();
  model::State a = model::start_state(model), b = a;
  a.time = 0, b.time = 1;
  model::set_motion(model, kBody, Vec3(0, 1, 0), Quat(), Vec3(1, -9, 0), Vec3::Zero(), a);
  model::set_motion(model, kBody, Vec3(1, 1, 0), Quat(), Vec3(1, 9, 0), Vec3::Zero(), b);
  // The velocities fit the displacement in the mean: the cubic turns smoothly.
  CHECK(view::interpolate_state(model, a, b, 0.5).position(kBody).x() == doctest::Approx(0.5));
  // A body that was stopped.
  model::set_motion(model, kBody, Vec3(0, -1, 0), Quat(), Vec3::Zero(), Vec3::Zero(), b);
  CHECK((view::interpolate_state(model, a, b, 0.25).position(kBody) - Vec3(0, 0.5, 0)).norm() <=
        support::round_off(16));
}

TEST_CASE("poses alone give the straight line and the shorter turn") {
  const math::Pose a{Quat(), Vec3(0, 0, 0)},
      b{Quat::from_axis_angle(Vec3(0, 0, 1), 1.5 * math::kPi), Vec3(2, 4, 6)};
  const math::Pose middle = view::interpolate_pose(a, b, 0.5);
  CHECK((middle.translation - Vec3(1, 2, 3)).norm() <= support::round_off(16));
  CHECK(math::angle_between(middle.rotation, Quat::from_axis_angle(Vec3(0, 0, 1), -math::kPi / 4)) <=
        support::round_off(64) * 10);
}
