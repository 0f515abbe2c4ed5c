#include "tumble/dynamics/joint_projection.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/simulate.h"
#include "tumble/model/joint_spec.h"

using namespace tumble;
using math::Quat;
using math::Vec3;

namespace {

// Three links that hang from the world by ball joints.
model::Model three_links() {
  model::ModelBuilder builder;
  model::BodyId last;
  for (int i = 0; i < 3; ++i) {
    model::BodySpec link;
    link.name = "link" + std::to_string(i);
    link.X_WB.translation = Vec3(i + 0.5, 0, 0);
    link.inertia = model::GivenInertia{.mass = 1.0 + i, .moments = Vec3(0.1, 0.2, 0.25)};
    const model::BodyId body = builder.add_body(link);
    builder.add_joint({.name = "joint" + std::to_string(i), .a = last, .b = body, .at = Vec3(i, 0, 0)});
    last = body;
  }
  return support::finished(builder);
}

}  // namespace

TEST_CASE("projection closes joints and changes velocities so that they stay closed") {
  const model::Model model = three_links();
  for (const double open : {1e-2, 1e-5, 1e-9}) {
    model::State state = start_state(model);
    for (size_t i = 0; i < 3; ++i) {
      const double k = static_cast<double>(i) + 1;
      set_motion(model, model::BodyId(i), state.position(model::BodyId(i)) + open * Vec3(k, -1, 0.5 * k),
                 Quat::from_rotation_vector(open * Vec3(1, k, -2)), Vec3(0.1, k, 0), Vec3(0, k, 1), state);
    }
    dynamics::ConstrainedBodies bodies(model);
    const dynamics::JointGap before = bodies.compute_gap(0, state.y.data());
    CHECK(before.error > 0.5 * open);
    const dynamics::JointGap left =
        dynamics::JointProjection(bodies).project(0, state.y.data(), state.hinge_angles.data());
    CHECK(left.error < 1e-14);
    CHECK(bodies.compute_gap(0, state.y.data()).error == left.error);
    for (const double speed : bodies.solver().speeds()) CHECK(std::abs(speed) < 1e-7 * open + 1e-13);
  }
}

TEST_CASE("projection does not move the centre of mass of floating bodies, and conserves momentum") {
  model::ModelBuilder builder;
  model::BodySpec body;
  body.inertia = model::GivenInertia{.mass = 2, .moments = Vec3(1, 1.2, 1.5)};
  body.name = "a";
  body.velocity = Vec3(1, 0, 0);
  const model::BodyId a = builder.add_body(body);
  body.name = "b";
  body.velocity = Vec3(0, -1, 0);
  body.inertia->mass = 3;
  const model::BodyId b = builder.add_body(body);
  builder.add_joint({.name = "ball", .a = a, .b = b, .at = Vec3(0.5, 0.5, 0)});
  const model::Model model = support::finished(builder);
  model::State state = start_state(model);
  state.set_position(b, Vec3(1e-3, 2e-3, -1e-3));
  const Vec3 center = (2 * state.position(a) + 3 * state.position(b)) / 5,
             momentum = state.momentum(a) + state.momentum(b);
  dynamics::ConstrainedBodies bodies(model);
  dynamics::JointProjection(bodies).project(0, state.y.data(), nullptr);
  CHECK(((2 * state.position(a) + 3 * state.position(b)) / 5 - center).norm() < 1e-16);
  CHECK((state.momentum(a) + state.momentum(b) - momentum).norm() < 1e-14);
}

TEST_CASE("Newton's method on joints ends if it gains too little, after too many iterations, or at NaN") {
  dynamics::NewtonProgress progress(3, 0.5);
  CHECK(progress.is_first());
  CHECK_FALSE(progress.should_stop(1));
  CHECK(progress.should_stop(std::numeric_limits<double>::quiet_NaN()));
  progress.count_iteration(1);
  CHECK_FALSE(progress.is_first());
  CHECK_FALSE(progress.should_stop(0.49));
  CHECK(progress.should_stop(0.5));
  progress.count_iteration(0.4);
  progress.count_iteration(0.1);
  CHECK(progress.should_stop(0.01));
}
