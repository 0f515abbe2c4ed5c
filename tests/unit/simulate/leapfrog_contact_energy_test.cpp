// slow: runs of many steps, each at several step sizes
// Energy with contact: where contact does no work, the energy error falls with the square of the step;
// friction dissipates the right amount; no impact adds energy.
#include <doctest/doctest.h>

#include "support/sanitized.h"
#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/energy.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

constexpr double kGravity = 9.81;

// A body that touches a plane, or a fixed ball, at the start.
struct Touching {
  collision::Shape ground = collision::Plane{Vec3(0, 1, 0)};
  collision::Shape shape = collision::Sphere{0.1};
  double friction = 1;
  Vec3 position = Vec3::Zero(), rotation = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
  std::optional<model::GivenInertia> inertia = {};

  model::Model model() const {
    model::ModelBuilder builder("touching");
    const model::MaterialId stuff = builder.add_material({.name = "stuff", .friction = friction});
    model::BodySpec fixed, body;
    fixed.name = "ground", fixed.fixed = true, fixed.shapes = {{.shape = ground, .material = stuff}};
    body.name = "body", body.X_WB.translation = position;
    body.X_WB.rotation = math::Quat::from_rotation_vector(rotation);
    body.velocity = velocity, body.angular_velocity = spin, body.inertia = inertia;
    body.shapes = {{.shape = shape, .material = stuff}};
    builder.add_body(fixed), builder.add_body(body);
    return support::finished(builder);
  }
};

struct TouchingRun {
  const model::Model& model;
  simulate::LeapfrogStepper stepper;
  model::State state;
  simulate::LeapfrogMemory memory = {};
  double start, drift = 0;

  TouchingRun(const model::Model& m, const simulate::LeapfrogOptions& options)
      : model(m),
        stepper(m, options),
        state(simulate::prepare_start(m, options.accuracy).value().state),
        start(energy()) {}
  double energy() const { return dynamics::compute_balance(model, state).energy(); }
  // Contact at all times, without impacts.
  void until(double t) {
    while (state.time < t - 1e-9) {
      const simulate::StepReport report = stepper.step(state, memory);
      REQUIRE(report.good());
      REQUIRE(report.impacts == 0);
      REQUIRE(!stepper.contacts().empty());
      drift = std::max(drift, std::abs(energy() - start));
    }
  }
};

struct TouchingScene {
  std::string name;
  Touching what;
  double until;  // s
};

// Motions in which contact does no work.
std::vector<TouchingScene> scenes_without_loss() {
  // Tilted beyond its balance, on its lower edge.
  const auto tilted = [](const Vec3& half, double angle) {
    return Vec3(0, half.x() * std::sin(angle) + half.y() * std::cos(angle), 0);
  };
  const Vec3 half(0.1, 0.3, 0.1);
  const double tilt = 0.4;
  const collision::Shape box = collision::Box{2 * half}, hill = collision::Sphere{1.0};
  std::vector<TouchingScene> scenes;
  scenes.push_back({"a box tips over its edge",
                    {.shape = box, .position = tilted(half, tilt), .rotation = Vec3(0, 0, -tilt)},
                    0.35});
  scenes.push_back(
      {"the edge of a box slides on ice while it tips",
       {.shape = box, .friction = 0, .position = tilted(half, tilt), .rotation = Vec3(0, 0, -tilt)},
       0.35});
  scenes.push_back(
      {"a ball rolls down a ball",
       {.ground = hill, .position = Vec3(0, 1.1, 0), .velocity = Vec3(1, 0, 0), .spin = Vec3(0, 0, -10)},
       0.4});
  scenes.push_back({"a ball slides down a ball",
                    {.ground = hill, .friction = 0, .position = Vec3(0, 1.1, 0), .velocity = Vec3(1, 0, 0)},
                    0.4});
  return scenes;
}

}  // namespace

TEST_CASE("where contact does no work the energy error falls with the square of the step") {
  for (const TouchingScene& scene : scenes_without_loss()) {
    CAPTURE(scene.name);
    const model::Model model = scene.what.model();
    double last = 0;
    for (const double h : {1.0 / 240, 1.0 / 480, 1.0 / 960}) {
      TouchingRun run(model, {.accuracy = 1e-6, .fixed_step = h});
      run.until(scene.until);
      CAPTURE(h);
      MESSAGE(scene.name << ", step " << h << " s: " << run.drift << " J, " << last / run.drift);
      if (last > 0) {
        CHECK(last / run.drift > 3.5);
        CHECK(last / run.drift < 4.5);
      }
      last = run.drift;
    }
  }
}

TEST_CASE("friction dissipates the right energy of a sliding block, and none of a rolling ball") {
  const double mu = 0.3;
  const model::Model block = Touching{.shape = collision::Box{Vec3(0.4, 0.2, 0.3)},
                                      .friction = mu,
                                      .position = Vec3(0, 0.1, 0),
                                      .velocity = Vec3(2, 0, 1)}
                                 .model();
  const model::Model ball =
      Touching{.position = Vec3(0, 0.1, 0), .velocity = Vec3(2, 0, 0), .spin = Vec3(0, 0, -20)}.model();
  for (const double h : {1.0 / 60, 1.0 / 240}) {
    CAPTURE(h);
    for (const model::Model* model : {&block, &ball}) {
      TouchingRun run(*model, {.fixed_step = h});
      const Vec3 from = run.state.position(BodyId(1));
      run.until(0.6);
      const double weight = kGravity * model->bodies()[1].mass;
      const double distance = (run.state.position(BodyId(1)) - from).norm();
      const double friction = model == &block ? mu * weight * distance : 0;
      // Constant forces are integrated without error. Impulses are right to the residual, and the weight is
      // lifted by the contact offset.
      const double offset = 1e-2 * 1e-3 * model->bodies()[1].radius;
      CHECK(std::abs(run.energy() + friction - run.start) <
            support::model(1e-8 * weight * distance + weight * offset));
    }
  }
}

TEST_CASE("no impact in any shipped scene adds energy") {
  int impacts = 0;
  for (const auto& shipped :
       {std::pair("break-shot", 1.0), std::pair("dominoes", 0.4), std::pair("door", 2.0),
        std::pair("nut-on-bolt", 0.2), std::pair("plate-bullet", 2e-3), std::pair("rings", 0.3),
        std::pair("robot", 3.0), std::pair("rope", 0.35), std::pair("slope-topple", 1.2),
        std::pair("spinning-rod", 0.5), std::pair("stairs", 0.5), std::pair("ten-boxes", 0.7),
        std::pair("ten-boxes-bouncy", 2.0)}) {
    const std::string name = shipped.first;
    if (support::kSanitized && impacts > 100) break;
    CAPTURE(name);
    const scene::Scene scene = support::load(name);
    const model::Model& model = scene.model;
    TouchingRun run(model, {.grid_rate = model.run_options().fps});
    int here = 0;
    while (run.state.time < shipped.second) {
      const simulate::StepReport report = run.stepper.step(run.state, run.memory);
      REQUIRE(report.good());
      if (report.impacts == 0) continue;
      ++here;
      // At an impact, with the momenta of the instant before.
      model::State before = run.state;
      run.stepper.state_at(run.state.time, before);
      const double had = dynamics::compute_balance(model, before).kinetic,
                   has = dynamics::compute_balance(model, run.state).kinetic;
      CAPTURE(run.state.time);
      REQUIRE(has - had <= support::round_off(100, had));
    }
    CHECK(here > 0);
    impacts += here;
  }
  MESSAGE(impacts << " impacts");
}

TEST_CASE("a chain of stiff joints that falls and bounces gains no energy in impacts") {
  for (const int links : {3, 10})
    for (const double stiffness : {1e3, 1e6, 1e8})
      for (const double restitution : {0.0, 0.5, 1.0}) {
        if (support::kSanitized && links * restitution > 2) continue;
        CAPTURE(links);
        CAPTURE(stiffness);
        CAPTURE(restitution);
        model::ModelBuilder builder("chain");
        const model::MaterialId stuff =
            builder.add_material({.name = "stuff", .friction = 0.5, .restitution = restitution});
        model::BodySpec ground;
        ground.name = "ground", ground.fixed = true;
        ground.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}, .material = stuff}};
        builder.add_body(ground);
        const Vec3 along = Vec3(0.83, 0.56, 0).normalized();
        const math::Quat R = math::Quat::from_rotation_vector(Vec3(0, 0, -math::atan2(along.x(), along.y())));
        BodyId last;
        for (int i = 0; i < links; ++i) {
          model::BodySpec link;
          link.name = "link" + std::to_string(i), link.group = "chain";
          link.X_WB = {R, Vec3(0, 1.2, 0) + 0.28 * (i + 0.5) * along};
          link.shapes = {{.shape = collision::Capsule{0.04, 0.2}, .material = stuff}};
          const BodyId body = builder.add_body(link);
          if (i > 0)
            builder.add_joint({.name = "joint" + std::to_string(i),
                               .type = model::JointType::ball,
                               .a = last,
                               .b = body,
                               .at = Vec3(0, 1.2, 0) + 0.28 * i * along,
                               .stiffness = stiffness});
          last = body;
        }
        builder.ignore_groups("chain", "chain");
        const model::Model model = support::finished(builder);
        TouchingRun run(model, {});
        // Ten times the accuracy of the largest kinetic energy: where a run warns.
        double least = run.start, fallen = 0;
        while (run.state.time < 3) {
          const simulate::StepReport report = run.stepper.step(run.state, run.memory);
          REQUIRE(report.good());
          fallen = std::max(fallen, dynamics::compute_balance(model, run.state).kinetic);
          if (report.impacts == 0) continue;
          REQUIRE(run.energy() <= least + 0.01 * fallen);
          least = std::min(least, run.energy());
        }
      }
}
