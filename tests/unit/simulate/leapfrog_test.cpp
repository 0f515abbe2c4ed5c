// The leapfrog stepper on simple scenes: a box at rest, sliding, bouncing.
#include "tumble/simulate/leapfrog/stepper.h"

#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/stiff_scenes.h"
#include "tumble/dynamics/energy.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

// A plane tilted by an angle about z, with a box or a ball on it.
struct Slope {
  double angle = 0, friction = 0.5, restitution = 0, height = 0;
  Vec3 velocity = Vec3::Zero();
  collision::Shape shape = collision::Box{Vec3(0.4, 0.2, 0.3)};
  double half = 0.1;

  model::Model model() const {
    model::ModelBuilder builder("slope");
    const model::MaterialId stuff =
        builder.add_material({.name = "stuff", .friction = friction, .restitution = restitution});
    const math::Quat R = math::Quat::from_rotation_vector(Vec3(0, 0, -angle));
    model::BodySpec ground, body;
    ground.name = "ground", ground.fixed = true, ground.X_WB.rotation = R;
    ground.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}, .material = stuff}};
    body.name = "body", body.X_WB.rotation = R, body.X_WB.translation = R * Vec3(0, half + height, 0);
    body.velocity = R * velocity;
    body.shapes = {{.shape = shape, .material = stuff}};
    builder.add_body(ground);
    builder.add_body(body);
    return support::finished(builder);
  }
};

struct Run {
  model::Model model;
  simulate::LeapfrogStepper stepper;
  model::State state;
  simulate::LeapfrogMemory memory;
  double residual = 0;

  Run(const model::Model& m, const simulate::LeapfrogOptions& options)
      : model(m),
        stepper(model, options),
        state(simulate::prepare_start(model, options.accuracy).value().state) {}
  void until(double t, const std::function<void()>& look = {}) {
    while (state.time < t - 1e-9) {
      const simulate::StepReport report = stepper.step(state, memory);
      REQUIRE(report.good());
      residual = std::max(residual, report.residual);
      if (look) look();
    }
  }
  Vec3 position() const { return state.position(BodyId(1)); }
};

}  // namespace

TEST_CASE("a box at rest stays in place") {
  Run run(Slope{}.model(), {});
  const Vec3 start = run.position();
  double fastest = 0;
  run.until(10, [&] { fastest = std::max(fastest, velocity(run.model, run.state, BodyId(1)).norm()); });
  CHECK((run.position() - start).norm() < 1e-9);
  CHECK(fastest < 1e-6);
  CHECK(run.residual <= 1e-6);
}

TEST_CASE("a box just below the angle of friction does not creep") {
  Run run(Slope{.angle = std::atan(0.999 * 0.5)}.model(), {});
  const Vec3 start = run.position();
  run.until(60);
  CHECK((run.position() - start).norm() < 1e-7);
}

TEST_CASE("a box that slides down a slope has the right acceleration, and one on a plane stops in time") {
  const double angle = 0.6, mu = 0.3, g = 9.81;
  Run down(Slope{.angle = angle, .friction = mu}.model(), {});
  const Vec3 start = down.position();
  down.until(1);
  const double a = g * (std::sin(angle) - mu * std::cos(angle)), t = down.state.time;
  CHECK((down.position() - start).norm() == doctest::Approx(0.5 * a * t * t).epsilon(1e-3));
  CHECK(velocity(down.model, down.state, BodyId(1)).norm() == doctest::Approx(a * t).epsilon(1e-3));

  Run flat(Slope{.friction = mu, .velocity = Vec3(2, 0, 1)}.model(), {});
  const Vec3 from = flat.position();
  flat.until(2);
  const Vec3 displacement = flat.position() - from;
  CHECK(displacement.norm() == doctest::Approx(5 / (2 * mu * g)).epsilon(1e-3));
  CHECK(displacement.z() / displacement.x() == doctest::Approx(0.5).epsilon(1e-3));
  CHECK(velocity(flat.model, flat.state, BodyId(1)).norm() < 1e-6);
}

TEST_CASE("a ball bounces to the height that restitution allows, and gains no energy") {
  for (const double e : {0.0, 0.5, 1.0}) {
    Run run(Slope{.restitution = e, .height = 0.5, .shape = collision::Sphere{0.1}}.model(), {});
    const double energy = dynamics::compute_balance(run.model, run.state).energy();
    double last = energy, gained = 0, top = 0;
    bool bounced = false;
    const double fall = std::sqrt(2 * 0.5 / 9.81);
    run.until(fall * (1 + e) + 0.1, [&] {
      const double now = dynamics::compute_balance(run.model, run.state).energy();
      gained = std::max(gained, now - last), last = now;
      if (velocity(run.model, run.state, BodyId(1)).y() > 0) bounced = true;
      if (bounced) top = std::max(top, run.position().y() - 0.1);
    });
    CAPTURE(e);
    const double mgh = run.model.bodies()[1].mass * 9.81 * 0.5;
    if (e > 0) CHECK(top == doctest::Approx(e * e * 0.5).epsilon(0.02));
    CHECK(gained <= 1e-9 * mgh);
  }
}

TEST_CASE("the state at the end of a step is the result of the step, also after an impact") {
  Run run(Slope{.restitution = 0.5, .height = 0.05, .shape = collision::Sphere{0.1}}.model(), {});
  int up = 0;  // ends of steps after which the ball rises faster than it came
  Vec3 before = Vec3::Zero();
  run.until(0.5, [&] {
    model::State shown;
    run.stepper.state_at(run.state.time, shown);
    const Vec3 now = velocity(run.model, run.state, BodyId(1));
    CHECK((velocity(run.model, shown, BodyId(1)) - now).norm() < 1e-12);
    CHECK((shown.position(BodyId(1)) - run.position()).norm() < 1e-12);
    if (now.y() - before.y() > 0.1) ++up;
    before = now;
  });
  CHECK(up >= 3);
}

TEST_CASE("a whip of twenty links does not diverge for any step grid, and its joints stay closed") {
  const model::Model model =
      support::stiff_chain(20, {.stiffness = 0, .damping = 0, .wave = 1.5, .level = true});
  for (const double fps : {15.0, 30.0, 60.0, 240.0}) {
    simulate::LeapfrogStepper stepper(model, {.fixed_step = 1 / fps});
    simulate::LeapfrogMemory memory;
    model::State state = start_state(model);
    const double start = dynamics::compute_balance(model, state).energy();
    const double scale = 20 * 0.1 * 9.81 * 2;  // J: its weight, over its length
    while (state.time < 5 - 1e-9) {
      REQUIRE(stepper.step(state, memory).good());
      CAPTURE(fps);
      CAPTURE(state.time);
      REQUIRE(dynamics::compute_balance(model, state).energy() < start + 0.1 * scale);
      REQUIRE(state.position(BodyId(19)).norm() < 2.001);
    }
  }
}

// A chain on ball joints, with a number of links that is no multiple of four, and a top that is free or
// jointed.
TEST_CASE("bodies without joints move as if there were none, and jointed ones as if they were alone") {
  const auto run = [](bool with_top, int links) {
    model::ModelBuilder builder("chain and top");
    const auto add = [&](const std::string& name, const Vec3& at, const Vec3& spin) {
      model::BodySpec body;
      body.name = name, body.X_WB.translation = at, body.angular_velocity = spin;
      body.inertia = model::GivenInertia{.mass = 0.1, .moments = Vec3(1e-5, 8e-5, 9e-5)};
      return builder.add_body(body);
    };
    if (with_top) add("top", Vec3(0, 5, 0), Vec3(3, 20, -4));
    model::BodyId last;
    for (int i = 0; i < links; ++i) {
      const model::BodyId link = add("link" + std::to_string(i), Vec3(0.05 + 0.1 * i, 0, 0), Vec3::Zero());
      builder.add_joint({.name = "joint" + std::to_string(i),
                         .type = model::JointType::ball,
                         .a = last,
                         .b = link,
                         .at = Vec3(0.1 * i, 0, 0)});
      last = link;
    }
    const model::Model model = builder.finish().value();
    simulate::LeapfrogStepper stepper(model, {.fixed_step = 1.0 / 500});
    simulate::LeapfrogMemory memory;
    model::State state = start_state(model);
    while (state.time < 0.5 - 1e-9) REQUIRE(stepper.step(state, memory).good());
    return state.y;
  };
  const std::vector<double> both = run(true, 5), top = run(true, 0), chain = run(false, 5);
  REQUIRE(both.size() == top.size() + chain.size());
  for (size_t k = 0; k < top.size(); ++k) CHECK(both[k] == doctest::Approx(top[k]).epsilon(1e-12));
  for (size_t k = 0; k < chain.size(); ++k)
    CHECK(both[top.size() + k] == doctest::Approx(chain[k]).epsilon(1e-9));
}

TEST_CASE("a stiff chain stays bounded and comes to rest for any stiffness at 1/60 s") {
  for (double stiffness = 0; stiffness < 2e8; stiffness = stiffness == 0 ? 1 : 100 * stiffness) {
    const model::Model model = support::stiff_chain(
        10, {.stiffness = stiffness, .damping = 0.02 * stiffness, .wave = 0.8, .level = true});
    simulate::LeapfrogStepper stepper(model, {.fixed_step = 1.0 / 60});
    simulate::LeapfrogMemory memory;
    model::State state = start_state(model);
    const double start = dynamics::compute_balance(model, state).energy(), scale = 10 * 0.1 * 9.81;
    while (state.time < 10 - 1e-9) {
      CAPTURE(stiffness);
      CAPTURE(state.time);
      REQUIRE(stepper.step(state, memory).good());
      REQUIRE(dynamics::compute_balance(model, state).energy() < start + 0.1 * scale);
    }
    if (stiffness >= 1e4)
      for (size_t i = 0; i < 10; ++i) CHECK(velocity(model, state, BodyId(i)).norm() < 1e-6);
  }
}

TEST_CASE("a wheel between two stops rebounds from each with its restitution, or stays there") {
  const double spin = 3, stop = 1;
  for (const double e : {0.0, 0.5, 1.0}) {
    model::ModelBuilder builder("stops");
    builder.set_gravity(Vec3::Zero());
    model::BodySpec wheel;
    wheel.name = "wheel", wheel.angular_velocity = Vec3(0, 0, spin);
    wheel.shapes = {{.shape = collision::Cylinder{0.3, 0.1}}};
    const BodyId body = builder.add_body(wheel);
    builder.add_joint({.name = "axle",
                       .type = model::JointType::hinge,
                       .b = body,
                       .axis = Vec3(0, 0, 1),
                       .limits = model::Range{-stop, stop},
                       .restitution = e});
    Run run(support::finished(builder), {});
    // Between impacts the speed is constant.
    double t = 0, angle = 0, speed = spin;
    double furthest = 0;
    run.until(4, [&] {
      for (double next = t + (stop - angle * (speed > 0 ? 1 : -1)) / std::abs(speed);
           speed != 0 && next <= run.state.time; next = t + 2 * stop / std::abs(speed)) {
        t = next, angle = speed > 0 ? stop : -stop, speed *= -e;
        if (speed == 0) break;
      }
      const math::Mat3 R = run.state.orientation(body).to_matrix();
      const double now = std::atan2(R(1, 0), R(0, 0));
      furthest = std::max(furthest, std::abs(now));
      // Impacts are located within the tolerance of joints; the corresponding time grows with the speed.
      CHECK(std::abs(now - (angle + speed * (run.state.time - t))) < 1e-3);
    });
    CHECK(furthest <= stop + 1e-2 * 1e-3);
  }
}

TEST_CASE("a round body gains no energy where it rocks on another that is nearly parallel to it") {
  const double below = 0.018, above = 0.022, gap = 4e-7;  // m
  const math::Quat lying = math::Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 2);
  for (const double crossing : {0.1, 0.2, 0.3})
    for (const double spin : {5.0, 16.0})
      for (const collision::Shape& shape : {collision::Shape(collision::Cylinder{above, 0.05}),
                                            collision::Shape(collision::Capsule{above, 0.05})}) {
        CAPTURE(crossing);
        CAPTURE(spin);
        model::ModelBuilder builder("rocker");
        model::BodySpec bar, rocker;
        bar.name = "bar", bar.fixed = true;
        bar.shapes = {{.shape = collision::Capsule{below, 0.04}, .X_BS = {lying, Vec3::Zero()}}};
        rocker.name = "rocker",
        rocker.X_WB = {math::Quat::from_axis_angle(Vec3::UnitY(), crossing), Vec3(0, below + above + gap, 0)};
        rocker.angular_velocity = Vec3(0, 0, spin);
        rocker.shapes = {{.shape = shape, .X_BS = {lying, Vec3::Zero()}}};
        builder.add_body(bar);
        builder.add_body(rocker);
        Run run(support::finished(builder), {.fixed_step = 0.0015});
        double least = dynamics::compute_balance(run.model, run.state).energy(), gained = 0, kinetic = 0;
        run.until(0.03, [&] {
          const dynamics::Balance now = dynamics::compute_balance(run.model, run.state);
          least = std::min(least, now.energy()), gained = std::max(gained, now.energy() - least);
          kinetic = std::max(kinetic, now.kinetic);
        });
        CHECK(gained <= simulate::kDefaultFastAccuracy * kinetic);
      }
}
