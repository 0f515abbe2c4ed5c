// The accounting of leapfrog steps: states inside them, contacts, work, and serialisation.
#include <doctest/doctest.h>

#include <limits>

#include "support/simulate.h"
#include "tumble/dynamics/energy.h"
#include "tumble/model/force_laws.h"
#include "tumble/model/live_model.h"
#include "tumble/simulate/archive.h"
#include "tumble/simulate/contact_sums.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/runge_kutta/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

// A box, a ball or a cylinder falling towards a floor.
model::Model falling_things(double restitution, int count = 3) {
  model::ModelBuilder builder("things");
  const model::MaterialId stuff =
      builder.add_material({.name = "stuff", .friction = 0.4, .restitution = restitution});
  const auto add = [&](const char* name, bool fixed, const Vec3& place, const collision::Shape& shape) {
    model::BodySpec spec;
    spec.name = name, spec.fixed = fixed, spec.X_WB.translation = place;
    if (!fixed) spec.X_WB.rotation = math::Quat::from_rotation_vector(Vec3(0.3, 0.5, 0.7));
    if (!fixed) spec.angular_velocity = Vec3(1, 2, 3);
    spec.shapes = {{.shape = shape, .material = stuff}};
    builder.add_body(spec);
  };
  add("floor", true, Vec3::Zero(), collision::Plane{Vec3(0, 1, 0)});
  add("box", false, Vec3(0, 0.4, 0), collision::Box{Vec3(0.3, 0.2, 0.1)});
  if (count > 1) add("ball", false, Vec3(0.02, 0.75, 0), collision::Sphere{0.1});
  if (count > 2) add("tin", false, Vec3(0.5, 0.3, 0), collision::Cylinder{0.07, 0.2});
  return support::finished(builder);
}

struct TestRun {
  model::Model model;
  simulate::LeapfrogStepper stepper;
  model::State state;
  simulate::LeapfrogMemory memory;

  explicit TestRun(const model::Model& m, const simulate::LeapfrogOptions& options = {})
      : model(m),
        stepper(model, options),
        state(simulate::prepare_start(model, options.accuracy).value().state) {}
  simulate::StepReport step() {
    const simulate::StepReport report = stepper.step(state, memory);
    REQUIRE(report.good());
    return report;
  }
};

bool same_bits(const model::State& a, const model::State& b) {
  return a.time == b.time && a.y == b.y && a.work == b.work && a.hinge_angles == b.hinge_angles;
}

// An arm on a hinge to the world.
model::Model hinged_arm(const model::JointSpec& given) {
  model::ModelBuilder builder("arm");
  model::BodySpec spec;
  spec.name = "arm", spec.X_WB.translation = Vec3(0.5, 0, 0);
  spec.shapes = {{.shape = collision::Box{Vec3(1, 0.1, 0.1)}}};
  model::JointSpec joint = given;
  joint.name = "hinge", joint.type = model::JointType::hinge, joint.axis = Vec3(0, 0, 1);
  joint.b = builder.add_body(spec);
  builder.add_joint(joint);
  return support::finished(builder);
}

}  // namespace

TEST_CASE("a leapfrog step has the same bits from serialised memory, in another stepper, and when repeated") {
  const model::Model model = falling_things(0.3);
  TestRun whole(model);
  simulate::LeapfrogStepper other(model, {});
  int impacts = 0;
  while (whole.state.time < 0.6) {
    model::State again = whole.state, elsewhere = whole.state;
    simulate::LeapfrogMemory memory = whole.memory, copied;
    REQUIRE(simulate::from_bytes(simulate::to_bytes(whole.memory), copied));
    impacts += whole.step().impacts;
    REQUIRE(other.step(elsewhere, copied).good());
    REQUIRE(same_bits(elsewhere, whole.state));
    REQUIRE(simulate::to_bytes(copied) == simulate::to_bytes(whole.memory));
    REQUIRE(whole.stepper.step(again, memory).good());
    REQUIRE(same_bits(again, whole.state));
  }
  CHECK(impacts > 2);
}

TEST_CASE("inside a leapfrog step bodies are within a h^2/8 of the drift, with interpolated momenta") {
  TestRun run(falling_things(0.5));
  int impacts = 0;
  while (run.state.time < 0.5) {
    const model::State before = run.state;
    const bool hit = run.step().impacts > 0;
    impacts += hit;
    model::State inside;
    run.stepper.state_at(before.time, inside);
    for (size_t k = 0; k < before.y.size(); ++k) CHECK(std::abs(inside.y[k] - before.y[k]) < 1e-15);
    const double third = before.time + (run.state.time - before.time) / 3;
    run.stepper.state_at(third, inside);
    CHECK(inside.time == third);
    for (size_t i = 1; i < run.model.bodies().size(); ++i) {
      const BodyId id(i);
      const Vec3 place = before.position(id) + (run.state.position(id) - before.position(id)) / 3;
      const double whole = math::angle_between(before.orientation(id), run.state.orientation(id));
      if (hit) continue;  // the end of the step is before the impact
      // The cubic through both ends leaves the drift by at most 4/27 of the differences of the velocities.
      const double h = run.state.time - before.time;
      const Vec3 v = (run.state.position(id) - before.position(id)) / h;
      const model::BodyMotion from = motion_in(run.model, before, id),
                              to = motion_in(run.model, run.state, id);
      CHECK((inside.position(id) - place).norm() <=
            4.0 / 27 * h * ((from.velocity - v).norm() + (to.velocity - v).norm()) + 1e-15);
      const double turned = math::angle_between(before.orientation(id), inside.orientation(id));
      CHECK(std::abs(turned - whole / 3) <
            0.2 * h * (to.angular_velocity - from.angular_velocity).norm() + 1e-9);
      const Vec3 change = run.state.momentum(id) - before.momentum(id),
                 momentum = before.momentum(id) + change / 3;
      // Times are rounded, and with them the fraction of the step.
      constexpr double kUnit = std::numeric_limits<double>::epsilon();
      const double part = kUnit * run.state.time / (run.state.time - before.time);
      CHECK((inside.momentum(id) - momentum).norm() <=
            4 * kUnit * momentum.norm() + 2 * part * change.norm());
    }
    run.stepper.state_at(run.state.time, inside);
    for (size_t i = 1; i < run.model.bodies().size(); ++i)
      CHECK((inside.position(BodyId(i)) - run.state.position(BodyId(i))).norm() < 1e-15);
  }
  CHECK(impacts > 1);
}

TEST_CASE("inside a step that ends in a bounce a ball has the velocity before the bounce") {
  // Free fall is exact: v = -g t until it hits.
  model::ModelBuilder builder("ball");
  const model::MaterialId rubber = builder.add_material({.name = "rubber", .restitution = 1});
  model::BodySpec floor, ball;
  floor.name = "floor", floor.fixed = true;
  floor.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}, .material = rubber}};
  ball.name = "ball", ball.X_WB.translation = Vec3(0, 0.6, 0);
  ball.shapes = {{.shape = collision::Sphere{0.1}, .material = rubber}};
  builder.add_body(floor);
  builder.add_body(ball);
  TestRun run(support::finished(builder));
  double start = 0;
  bool hit = false;
  while (!hit) {
    start = run.state.time;
    hit = run.step().impacts > 0;
  }
  model::State inside;
  for (const double share : {0.1, 0.5, 0.9}) {
    run.stepper.state_at(start + share * (run.state.time - start), inside);
    CHECK(velocity(run.model, inside, BodyId(1)).y() == doctest::Approx(-9.81 * inside.time).epsilon(1e-12));
  }
  CHECK(velocity(run.model, run.state, BodyId(1)).y() ==
        doctest::Approx(9.81 * run.state.time).epsilon(1e-9));
}

TEST_CASE("impulses of contacts and gravity sum to the momentum of a box, at every step") {
  TestRun run(falling_things(0, 1));
  const auto momentum = [&] { return run.state.momentum(BodyId(1)); };
  const double mass = run.model.bodies()[1].mass;
  const Vec3 start = momentum();
  simulate::ContactSums sums;
  double most = 0;
  while (run.state.time < 1) {
    run.step();
    sums.add(run.stepper.contacts());
    Vec3 passed = Vec3::Zero();
    for (const simulate::ContactSum& sum : sums.between(-1, run.state.time))
      if (run.stepper.item(sum.point.a).body == BodyId(0)) passed -= sum.point.impulse;
    const Vec3 expected = start + Vec3(0, -9.81 * mass * run.state.time, 0) + passed;
    REQUIRE((momentum() - expected).norm() < 1e-6 * mass * 9.81);
    most = std::max(most, passed.y());
  }
  CHECK(most > 0.5 * mass * 9.81);
}

TEST_CASE("contact sums over parts of a time add up, and survive serialisation") {
  contact::ContactEvent rests, hits;
  rests.a = 1, rests.b = 2, rests.key = {7}, rests.normal = Vec3(0, 1, 0), rests.impulse = Vec3(0.5, 2, 0);
  rests.from = 1, rests.to = 2;
  hits = rests;
  hits.state = contact::ContactEvent::State::impact, hits.from = hits.to = 2;
  simulate::ContactSums sums;
  sums.add(std::vector{rests, hits});
  Vec3 whole = Vec3::Zero();
  double normal = 0;
  int parts = 0;
  for (const auto& [begin, end] : {std::pair(0.0, 1.25), std::pair(1.25, 1.5), std::pair(1.5, 2.5)})
    for (const simulate::ContactSum& sum : sums.between(begin, end)) {
      whole += sum.point.impulse, normal += sum.normal_impulse, ++parts;
      CHECK((sum.point.state == contact::ContactEvent::State::impact) == (end > 2));
    }
  CHECK(parts == 3);
  CHECK((whole - Vec3(1, 4, 0)).norm() < 1e-15);
  CHECK(normal == doctest::Approx(4));
  CHECK(sums.between(1.25, 1.5)[0].point.impulse.y() == doctest::Approx(0.5));
  simulate::ContactSums again;
  REQUIRE(simulate::from_bytes(simulate::to_bytes(sums), again));
  CHECK(simulate::to_bytes(again) == simulate::to_bytes(sums));
  sums.drop_until(2);
  CHECK(sums.points().empty());
}

TEST_CASE("a patch consists of the points of two shapes with one normal") {
  std::vector<simulate::ContactSum> sums(4);
  for (size_t i = 0; i < 4; ++i) {
    sums[i].point.a = 0, sums[i].point.b = 1;
    sums[i].point.normal = Vec3(0, 1, 0);
    sums[i].point.point = Vec3(i == 1 ? 1 : 0, 0, i == 2 ? 1 : 0);
    sums[i].point.impulse = Vec3(0, 1, 0);
    sums[i].normal_impulse = 1;
  }
  sums[1].point.impulse += Vec3(0, 0, -3);  // has a moment about the normal
  sums[3].point.normal = Vec3(1, 0, 0);
  const std::vector<simulate::PatchSum> patches = find_patches(sums);
  REQUIRE(patches.size() == 2);
  CHECK((sums[0].patch == 0 && sums[1].patch == 0 && sums[2].patch == 0 && sums[3].patch == 1));
  CHECK((patches[0].impulse - Vec3(0, 3, -3)).norm() < 1e-15);
  CHECK((patches[0].center - Vec3(1.0 / 3, 0, 1.0 / 3)).norm() < 1e-15);
  CHECK(patches[0].moment == doctest::Approx(2));  // 3 at 2/3 from the centre
}

TEST_CASE("hinges count their turns in leapfrog steps") {
  model::JointSpec joint;
  joint.drives = {{.velocity = 20, .damping = 1e3}};
  joint.drives[0].stiffness = 0;
  joint.stiffness = 1e-6;  // turns are counted only if something depends on them
  TestRun run(hinged_arm(joint), {.fixed_step = 1e-3});
  double turned = 0;
  while (run.state.time < 1) {
    const model::State before = run.state;
    run.step();
    turned += angular_velocity(run.model, before, BodyId(0)).z() * 0.5e-3 +
              angular_velocity(run.model, run.state, BodyId(0)).z() * 0.5e-3;
  }
  CHECK(turned > 4 * math::kPi);
  CHECK(run.state.hinge_angles.at(0) == doctest::Approx(turned).epsilon(1e-3));
}

TEST_CASE("the work of a script equals the change of energy, to the order of the step") {
  model::JointSpec joint;
  joint.script = {{.t = 0, .value = 0}, {.t = 0.5, .value = 1}, {.t = 1, .value = 0.5}};
  const model::Model model = hinged_arm(joint);
  const auto drift = [&](double h) {
    TestRun run(model, {.accuracy = 1e-7, .fixed_step = h});  // joints well closed
    const dynamics::Balance start = dynamics::compute_balance(model, run.state);
    double worst = 0;
    while (run.state.time < 0.99) {  // later it stops with a velocity jump
      run.step();
      const dynamics::Balance now = dynamics::compute_balance(model, run.state);
      worst = std::max(worst, std::abs(now.energy() - now.work - start.energy() + start.work));
    }
    CHECK(std::abs(run.state.work.at(0)) > 1);
    return worst;
  };
  const double ratio = drift(4e-3) / drift(2e-3);
  CHECK(ratio > 3.5);
  CHECK(ratio < 4.5);
}

TEST_CASE("a wrench set between steps acts from there on, in precise steps after a restart") {
  model::ModelBuilder builder("pushed");
  builder.set_gravity(Vec3::Zero());
  model::BodySpec spec;
  spec.name = "ball", spec.shapes = {{.shape = collision::Sphere{0.1}}};
  const BodyId ball = builder.add_body(spec);
  model::LiveModel live(support::finished(builder), {.pushed = {ball}});
  const model::Model& model = live.model();
  const double mass = model.body(ball).mass;

  simulate::RungeKuttaStepper precise(model, {});
  simulate::RungeKuttaMemory memory;
  model::State state = start_state(model);
  REQUIRE(precise.step(state, memory).good());
  const double begin = state.time;
  REQUIRE(live.push(ball, {.force = Vec3(mass, 0, 0)}));
  memory = {};
  for (int i = 0; i < 3; ++i) REQUIRE(precise.step(state, memory).good());
  CHECK(state.momentum(ball).x() == doctest::Approx(mass * (state.time - begin)).epsilon(1e-12));
  CHECK(state.work.at(0) == doctest::Approx(0.5 * mass * std::pow(state.time - begin, 2)).epsilon(1e-9));

  // Leapfrog steps have their kick at the end of a step: half of the first one is missed.
  REQUIRE(live.push(ball, {}));
  TestRun run(model, {.fixed_step = 0.01});
  run.step();
  REQUIRE(live.push(ball, {.force = Vec3(mass, 0, 0)}));
  for (int i = 0; i < 10; ++i) run.step();
  CHECK(run.state.momentum(ball).x() == doctest::Approx(mass * 0.095).epsilon(1e-12));
}
