// Compliant contact: compression, oscillation, damping, shear and pressing through of a layer, compared with
// closed forms.
#include "tumble/simulate/leapfrog/compliant_rows.h"

#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/energy.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/penetration_check.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

constexpr double kG = 9.81, kHeavy = 24;  // m/s^2; kg: the box of 0.4 x 0.2 x 0.3 m

// A box, or a ball, on a compliant plane.
struct SoftGround {
  double stiffness = 1e4, damping = 0, friction = 0.5, restitution = 0, height = 0, angle = 0;
  std::optional<double> layer = {};
  Vec3 velocity = Vec3::Zero();
  bool ball = false;

  model::Model model() const {
    model::ModelBuilder builder("soft");
    const model::MaterialId stuff = builder.add_material({.name = "stuff"});
    builder.add_material_pair({.a = stuff,
                               .b = stuff,
                               .friction = friction,
                               .restitution = restitution,
                               .stiffness = stiffness,
                               .damping = damping,
                               .layer = layer});
    const math::Quat R = math::Quat::from_rotation_vector(Vec3(0, 0, -angle));
    model::BodySpec ground, body;
    ground.name = "ground", ground.fixed = true, ground.X_WB.rotation = R;
    ground.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}, .material = stuff}};
    body.name = "body", body.X_WB.rotation = R, body.X_WB.translation = R * Vec3(0, 0.1 + height, 0);
    body.velocity = R * velocity;
    if (ball)
      body.shapes = {{.shape = collision::Sphere{0.1}, .material = stuff}};
    else
      body.shapes = {{.shape = collision::Box{Vec3(0.4, 0.2, 0.3)}, .material = stuff}};
    builder.add_body(ground);
    builder.add_body(body);
    return support::finished(builder);
  }
};

struct SoftRun {
  model::Model model;
  simulate::LeapfrogStepper stepper;
  model::State state;
  simulate::LeapfrogMemory memory;
  simulate::PenetrationCheck overlaps;
  double residual = 0;
  int holds = 0;

  SoftRun(const model::Model& m, const simulate::LeapfrogOptions& options)
      : model(m),
        stepper(model, options),
        state(simulate::prepare_start(model, options.accuracy).value().state),
        overlaps(model) {}
  void until(double t, const std::function<void()>& look = {}) {
    while (state.time < t - 1e-9) {
      const simulate::StepReport report = stepper.step(state, memory);
      REQUIRE(report.good());
      residual = std::max(residual, report.residual), holds += report.holds;
      if (look) look();
    }
  }
  double energy() const { return dynamics::compute_balance(model, state).energy() + memory.compliant_energy; }
  double height() const { return state.position(BodyId(1)).y(); }
  double mass() const { return model.bodies()[1].mass; }
};

}  // namespace

TEST_CASE("a load compresses a compliant layer by its weight over the stiffness of its points") {
  for (const double stiffness : {1e3, 1e5, 1e8})
    for (const bool ball : {false, true}) {
      CAPTURE(stiffness);
      CAPTURE(ball);
      const double points = ball ? 1 : 4;
      // Damped so that it is at rest after some periods: twice the square root of k m is critical.
      SoftGround ground{.stiffness = stiffness, .ball = ball};
      const double mass = ground.model().bodies()[1].mass;
      ground.damping = 2 * math::sqrt(points * stiffness * mass) / points;
      SoftRun run(ground.model(), {});
      const double radius = run.model.bodies()[1].radius;
      const double layer = std::min(10 * mass * kG / stiffness, 0.5 * radius),
                   pressed = mass * kG / (points * stiffness);
      run.until(10);
      REQUIRE(run.stepper.contacts().size() == static_cast<size_t>(points));
      const double offset = 1e-5 * radius;
      for (const contact::ContactEvent& p : run.stepper.contacts())
        CHECK(p.gap == doctest::Approx(offset + layer - pressed).epsilon(1e-6));
      CHECK(velocity(run.model, run.state, BodyId(1)).norm() < 1e-6);
      CHECK(run.residual <= 1e-6);
    }
}

TEST_CASE("a box on a compliant layer oscillates with the frequency and the damping of its points") {
  const double stiffness = 1e4, k = 4 * stiffness;  // h w is 0.04
  for (const double ratio : {0.0, 0.1}) {
    const double w = math::sqrt(k / kHeavy), damping = 2 * ratio * math::sqrt(k * kHeavy) / 4;
    SoftRun run(SoftGround{.stiffness = stiffness, .damping = damping, .layer = 0.02}.model(),
                {.fixed_step = 1e-3});
    const double pressed = kHeavy * kG / k, offset = 1e-5 * run.model.bodies()[1].radius;
    const double rest = 0.1 + offset + 0.02 - pressed;
    run.state.set_position(BodyId(1), Vec3(0, rest + 0.5 * pressed, 0));  // it stays in the layer
    std::vector<double> crossings, swings;
    double last = run.height() - rest, before = last;
    run.until(2.5, [&] {
      const double y = run.height() - rest;
      if (before <= 0 && y > 0) crossings.push_back(run.state.time - 1e-3 * y / (y - before));
      if (last > before && y > before && before < 0) swings.push_back(-before);
      last = before, before = y;
    });
    REQUIRE(crossings.size() > 10);
    const double period = (crossings[10] - crossings[0]) / 10;
    CAPTURE(ratio);
    CHECK(period == doctest::Approx(2 * math::kPi / (w * math::sqrt(1 - ratio * ratio))).epsilon(1e-3));
    // e^(-2 pi ratio/sqrt(1 - ratio^2)) from one oscillation to the next; the method itself takes pi/32 (h
    // w)^2 of the amplitude.
    const double left = math::exp(-2 * math::kPi * ratio / math::sqrt(1 - ratio * ratio));
    CHECK(swings[5] / swings[0] == doctest::Approx(math::pow(left, 5)).epsilon(5e-3));
  }
}

TEST_CASE("a ball rebounds from a compliant layer as its damping says, and never faster than it came") {
  for (const double stiffness : {2e5, 1e6, 1e8})
    for (const double ratio : {0.0, 0.2}) {
      const double mass = 4.0 / 3 * math::kPi * 1e-3 * 1000, h = 2.5e-4, s = h * math::sqrt(stiffness / mass);
      SoftGround ground{.stiffness = stiffness, .height = 0.3, .layer = 0.02, .ball = true};
      ground.damping = 2 * ratio * math::sqrt(stiffness * mass);
      SoftRun run(ground.model(), {.fixed_step = h});
      // Energy above that at rest on the surface of the layer: that of the fall at first.
      const double surface = mass * kG * 0.12, first = run.energy() - surface;
      double most = first;
      run.until(0.45, [&] {
        most = std::max(most, run.energy() - surface);
        REQUIRE(run.overlaps.find_deepest(run.state).depth == 0);
      });
      CAPTURE(stiffness);
      CAPTURE(ratio);
      // Reported energies use positions and mean momenta at the same time. They differ by (h w)^2/8 from the
      // energy that the method conserves.
      CHECK(most - first <= 0.125 * s * s * first);
      CHECK(run.holds == 0);
      CHECK(run.residual <= 1e-6);
      if (s > 0.2) continue;  // stopped by the damping of theta = 1
      // It leaves where the force is zero [Schwager, Poschel 2007]. The steps across the edge of the layer
      // take up to (h w)^2 each, the first of them has no damping, and weight, 2 % of the force, is not in
      // the formula.
      const double root = math::sqrt(1 - ratio * ratio);
      const double restitution =
          math::exp(-ratio / root * (math::kPi - math::atan2(2 * ratio * root, 1 - 2 * ratio * ratio)));
      CHECK(math::sqrt((run.energy() - surface) / first) ==
            doctest::Approx(restitution).epsilon(2 * s * s + 2 * ratio * s + 0.02));
    }
}

TEST_CASE(
    "a box on a compliant slope is held below the angle of friction, and slides by Coulomb's law beyond it") {
  const double angle = 0.4, stiffness = 1e5;
  const auto build = [&](double friction) {
    return SoftGround{.stiffness = stiffness, .damping = 1e3, .friction = friction, .angle = angle}.model();
  };
  SoftRun held(build(0.6), {});
  held.until(2);
  const Vec3 there = held.state.position(BodyId(1));
  held.until(6);
  CHECK((held.state.position(BodyId(1)) - there).norm() < 1e-7);

  SoftRun slides(build(0.2), {});
  slides.until(0.5);
  const double early = velocity(slides.model, slides.state, BodyId(1)).norm(), t = slides.state.time;
  slides.until(1.5);
  const double a = kG * (math::sin(angle) - 0.2 * math::cos(angle));
  CHECK(velocity(slides.model, slides.state, BodyId(1)).norm() - early ==
        doctest::Approx(a * (slides.state.time - t)).epsilon(1e-3));
}

TEST_CASE("a layer that is pressed through carries the rest of the load like a rigid contact") {
  SoftRun run(SoftGround{.stiffness = 1e3, .damping = 50, .layer = 0.01}.model(), {});
  run.until(3, [&] { REQUIRE(run.overlaps.find_deepest(run.state).depth == 0); });
  double push = 0;
  for (const contact::ContactEvent& p : run.stepper.contacts()) {
    CHECK(p.gap < 2e-5 * run.model.bodies()[1].radius);
    push -= p.impulse.y() / (p.to - p.from);  // on the ground
  }
  CHECK(push == doctest::Approx(kHeavy * kG).epsilon(1e-4));
  CHECK(run.holds == 0);
}
