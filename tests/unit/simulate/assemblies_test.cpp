// How often a step assembles its linear system, and what counts as an impact.
#include <doctest/doctest.h>

#include "support/sanitized.h"
#include "support/simulate.h"
#include "tumble/model/force_laws.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;
using simulate::Simulation;
using simulate::StepReport;

TEST_CASE("a step assembles one system for each trial drift, and two for an impact") {
  for (const char* name : {"stack", "ten-boxes-bouncy", "ragdoll", "bowl"}) {
    CAPTURE(name);
    const scene::Scene scene = support::load(name);
    Simulation simulation = Simulation::create(scene.model, {.method = simulate::Method::fast}).value();
    REQUIRE(simulation.step().good());  // two kicks
    while (simulation.time() < (support::kSanitized ? 0.05 : 0.5)) {
      const StepReport report = simulation.step();
      REQUIRE(report.good());
      CAPTURE(simulation.time());
      // A body approaches, but not fast enough: one system to find that out. In an impact: one more.
      CHECK(report.assemblies <= 1 + report.halved + report.substeps + (report.impacts > 0 ? 2 : 1));
    }
  }
}

TEST_CASE("a stack at rest assembles once per step") {
  const scene::Scene scene = support::load("stack");
  Simulation simulation = Simulation::create(scene.model, {.method = simulate::Method::fast}).value();
  REQUIRE(simulation.run_until(support::kSanitized ? 0.1 : 1));
  for (int i = 0; i < 20; ++i) {
    const StepReport report = simulation.step();
    REQUIRE(report.contacts > 0);
    CHECK(report.assemblies == 1);
  }
}

// The half kick of the force alone would exceed the impact speed, 2 g h.
TEST_CASE("a body that is pressed on the floor by any force is not in an impact in every step") {
  for (const double loads : {0.0, 10.0, 1e3, 1e6}) {
    CAPTURE(loads);
    model::ModelBuilder builder("press");
    const model::MaterialId bouncy = builder.add_material({.name = "bouncy", .restitution = 0.8});
    model::BodySpec floor, box;
    floor.name = "floor", floor.fixed = true;
    floor.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}, .material = bouncy}};
    box.name = "box", box.X_WB.translation = Vec3(0, 0.1, 0);
    box.shapes = {{.shape = collision::Box{Vec3(0.2, 0.2, 0.2)}, .material = bouncy}};
    builder.add_body(floor);
    const model::BodyId body = builder.add_body(box);
    const double weight = 9.81 * 1000 * 0.2 * 0.2 * 0.2;  // N
    builder.add_force(std::make_shared<model::AppliedForce>("press", body, Vec3(0, -loads * weight, 0),
                                                            model::Frame::world, Vec3::Zero()));
    const model::Model model = support::finished(builder);
    Simulation simulation = Simulation::create(model, {.method = simulate::Method::fast}).value();
    REQUIRE(simulation.run_until(support::kSanitized ? 0.05 : 0.5));
    CHECK(simulation.statistics().count("impacts") == 0);
    CHECK(simulation.statistics().count("holds") == 0);
  }
}
