#include <doctest/doctest.h>

#include <cmath>

#include "support/constraint_check.h"
#include "support/tolerance.h"
#include "tumble/model/body_script.h"
#include "tumble/model/live_model.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using namespace tumble::model;

namespace {

const core::BodyId kOnPath(0);
const math::Pose kStart{math::Quat::from_rotation_vector(math::Vec3(0.2, 0.1, -0.3)), math::Vec3(1, 2, 3)};
const math::Vec3 kCenter(0.1, -0.2, 0.05);

// A path with a single piece (cubic or quintic) over all times of the check.
PathSpec curved_path(bool by_quaternion) {
  PathSpec spec;
  for (const auto& [t, x, r] : {std::tuple(-1.0, math::Vec3(0, 0, 0), math::Vec3(0.3, -0.2, 0.1)),
                                std::tuple(4.0, math::Vec3(1, -2, 0.5), math::Vec3(-0.2, 0.5, 0.4))}) {
    PathKey& key = spec.keys.emplace_back();
    key.t = t, key.position = x, key.velocity = math::Vec3(0.3 * t, -0.2, 0.1);
    if (by_quaternion) {
      key.quaternion = math::Quat::from_rotation_vector(r);
    } else {
      key.rotation_vector = r;
      key.angular_velocity = math::Vec3(0.1, 0.2 * t, -0.3);
    }
  }
  return spec;
}

}  // namespace

TEST_CASE("rows of a body on a path are the derivatives of body minus path") {
  for (const bool by_quaternion : {false, true})
    for (const bool of_center : {false, true}) {
      PathSpec spec = curved_path(by_quaternion);
      spec.of_center = of_center;
      REQUIRE(find_path_fault(spec) == "");
      support::ConstraintCheck how;
      how.max_turn = 1;  // rad; together with the path's rotation it is below pi
      CHECK(support::check_constraint(BodyScript("b", kOnPath, BodyPath(spec, kStart, kCenter)), how) == "");
    }
}

TEST_CASE("the velocities of a path are the derivatives of its pose") {
  for (const bool by_quaternion : {false, true}) {
    const BodyPath path(curved_path(by_quaternion), kStart, kCenter);
    const double h = 1e-4;
    for (const double t : {-0.5, 0.7, 2.9}) {
      const BodyPath::Point p = path.at(t - h), q = path.at(t), r = path.at(t + h);
      // The error of a central difference is h^2/6 times the third derivative, which is below 10 here.
      const double tolerance = 10 * h * h / 6 + 1e-15 / h;
      CHECK(((r.center - p.center) / (2 * h) - q.velocity).norm() < tolerance);
      CHECK(((r.velocity - p.velocity) / (2 * h) - q.acceleration).norm() < tolerance);
      const math::Vec3 turn =
          math::Quat::from_matrix(r.rotation.E * p.rotation.E.transpose()).to_rotation_vector();
      CHECK((turn / (2 * h) - q.rotation.w).norm() < tolerance);
      CHECK(((r.rotation.w - p.rotation.w) / (2 * h) - q.rotation.w_rate).norm() < tolerance);
    }
  }
}

TEST_CASE("a given angular velocity is that of the path at the key") {
  const BodyPath path(curved_path(false), kStart, kCenter);
  CHECK((path.at(-1).rotation.w - math::Vec3(0.1, -0.2, -0.3)).norm() < support::round_off(64));
}

TEST_CASE("a rotation vector may be longer than 2 pi, and the body rotates about its axis") {
  PathSpec spec;
  for (const double t : {0.0, 2.0}) {
    PathKey& key = spec.keys.emplace_back();
    key.t = t, key.rotation_vector = math::Vec3(0, 10 * t, 0), key.interpolation = Interpolation::linear;
  }
  const BodyPath path(spec, kStart, math::Vec3::Zero());
  for (const double t : {0.1, 0.9, 1.7}) {
    CHECK((path.at(t).rotation.w - math::Vec3(0, 10, 0)).norm() < support::round_off(64) * 10);
    CHECK(path.at(t).center == kStart.translation);
    const math::Mat3 turned = math::Quat::from_axis_angle(math::Vec3::UnitY(), 10 * t).to_matrix();
    CHECK((path.at(t).rotation.E - turned).norm() < support::round_off(64));
  }
}

TEST_CASE("a key near a whole turn takes an angular velocity about its axis, but none across it") {
  const math::Vec3 axis = math::Vec3(1, 1, 0).normalized(), across(0, 0, 1);
  const auto spec = [&](double angle, const math::Vec3& w) {
    PathSpec out;
    for (const double t : {0.0, 1.0, 2.0}) {
      PathKey& key = out.keys.emplace_back();
      key.t = t, key.rotation_vector = math::Vec3(t * angle * axis);
      if (t == 1) key.angular_velocity = w;
    }
    return out;
  };
  for (const double turns : {1.0, 2.0, 5.0})
    for (const double offset : {0.0, 1e-15, -1e-9, 1e-6}) {
      const double angle = 2 * M_PI * turns + offset;
      CAPTURE(angle);
      CHECK(find_path_fault(spec(angle, across)).find("whole turn") != std::string::npos);
      CHECK(find_path_fault(spec(angle, axis + 0.1 * across)).find("whole turn") != std::string::npos);
      REQUIRE(find_path_fault(spec(angle, 3 * axis)) == "");
      const BodyPath path(spec(angle, 3 * axis), kStart, kCenter);
      CHECK((path.at(1).rotation.w - 3 * axis).norm() < support::round_off(64));
    }
  // At other angles, half a turn included, the path has the velocity of the key.
  for (const double angle : {1e-5, 0.5, M_PI, 6.0, 3 * M_PI}) {
    CAPTURE(angle);
    const math::Vec3 w = axis + 0.1 * across;
    REQUIRE(find_path_fault(spec(angle, w)) == "");
    CHECK((BodyPath(spec(angle, w), kStart, kCenter).at(1).rotation.w - w).norm() <
          support::round_off(64) * 100);
  }
}

TEST_CASE("an invalid path is an error with a reason") {
  const auto fault = [](auto change) {
    PathSpec spec = curved_path(false);
    change(spec);
    return find_path_fault(spec);
  };
  CHECK(fault([](PathSpec& s) { s.keys.clear(); }).find("at least one key") != std::string::npos);
  CHECK(fault([](PathSpec& s) { s.keys[1].t = -1; }).find("must increase") != std::string::npos);
  CHECK(fault([](PathSpec& s) { s.keys[1].position.reset(); }).find("no position") != std::string::npos);
  CHECK(fault([](PathSpec& s) {
          s.keys[1].rotation_vector.reset(), s.keys[1].angular_velocity.reset();
          s.keys[1].quaternion = math::Quat::identity();
        }).find("in one form") != std::string::npos);
  CHECK(fault([](PathSpec& s) { s.keys[0].interpolation = Interpolation::hold; }).find("jumps") !=
        std::string::npos);
  CHECK(fault([](PathSpec& s) { s.keys[0].position->x() = NAN; }).find("finite") != std::string::npos);
}

TEST_CASE("a body on a path starts on it, is kinematic, and becomes dynamic at its release and back") {
  ModelBuilder builder;
  BodySpec spec;
  spec.name = "plate";
  spec.shapes.push_back({.shape = collision::Box{math::Vec3(1, 0.1, 1)}});
  const BodyId plate = builder.add_body(spec);
  spec.name = "floor", spec.fixed = true;
  const BodyId floor = builder.add_body(spec);
  PathSpec path = curved_path(false);
  path.release = 2;
  builder.add_script(plate, path);
  const core::Expected<Model> model = builder.finish();
  REQUIRE(model);
  CHECK(model->body(plate).mobility == Mobility::kinematic);
  CHECK((model->body(plate).velocity - BodyPath(path, {}, math::Vec3::Zero()).at(0).velocity).norm() <
        support::round_off(64));
  CHECK_FALSE(model->may_collide(plate, floor));
  CHECK(model->has_colliding_bodies());  // because they can collide after the release
  LiveModel live(*model);
  CHECK_FALSE(live.release_until(1.99));
  CHECK(live.release_until(2));
  CHECK(live.model().body(plate).is_dynamic());
  CHECK(live.model().constraints()[0]->rows() == 0);
  CHECK(live.model().may_collide(plate, floor));
  CHECK_FALSE(live.release_until(3));
  CHECK(live.release_until(1));
  CHECK(live.model().constraints()[0]->rows() == 6);
}
