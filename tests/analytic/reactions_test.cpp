// Joint reactions compared with Newton's laws, and the effort of scripts: inverse dynamics.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/energy.h"
#include "tumble/dynamics/equations_of_motion.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

Vec3 vector_at(const std::vector<double>& numbers, size_t i) {
  return {numbers[i], numbers[i + 1], numbers[i + 2]};
}

BodyId add_block(model::ModelBuilder& builder, const char* name, const Vec3& center, double mass) {
  model::BodySpec block;
  block.name = name;
  block.X_WB = {math::Quat(), center};
  block.inertia = model::GivenInertia{.mass = mass, .moments = mass * Vec3(0.02, 0.03, 0.04)};
  return builder.add_body(block);
}

// Two links in space. The first follows a script about z. The second hangs from it by a ball joint with
// spring, damping and a swing limit that it hits.
model::Model build_whip(bool scripted) {
  model::ModelBuilder builder;
  const BodyId arm = add_block(builder, "arm", Vec3(0.5, 0, 0), 2);
  const BodyId whip = add_block(builder, "whip", Vec3(1, -0.3, 0.1), 1);
  model::JointSpec shoulder{.name = "shoulder", .type = JointType::hinge, .b = arm, .axis = Vec3::UnitZ()};
  if (scripted)
    shoulder.script = {
        {.t = 0, .value = 0, .slope = 0}, {.t = 0.4, .value = 1.2}, {.t = 1, .value = -0.6, .slope = -3.0}};
  builder.add_joint(shoulder);
  builder.add_joint({.name = "elbow",
                     .type = JointType::ball,
                     .a = arm,
                     .b = whip,
                     .at = Vec3(1, 0, 0),
                     .axis = Vec3(0, -1, 0),
                     .swing = {0.9},
                     .restitution = 0.5,
                     .stiffness = 2,
                     .damping = 0.05});
  return support::finished(builder);
}

}  // namespace

TEST_CASE("mean reactions equal the change of momenta, also at limit impacts and sudden stops") {
  const model::Model model = build_whip(true);
  const double accuracy = 1e-9;
  const size_t n = model::kReactionSize;
  size_t impacts = 0;
  simulate::Simulation simulation =
      support::make_simulation(model, {.accuracy = accuracy, .reactions = true});
  const model::State& state = simulation.state();
  double worst = 0, largest = 0;
  while (state.time < 1.5) {
    const model::State start = state;
    const simulate::StepReport report = simulation.step();
    REQUIRE(report.good());
    impacts += static_cast<size_t>(report.impacts);
    const Vec3 shoulder = vector_at(state.impulses, 0) - vector_at(start.impulses, 0);
    const Vec3 elbow = vector_at(state.impulses, n) - vector_at(start.impulses, n);
    const Vec3 weight = report.h * model.gravity();
    const Vec3 on_arm = shoulder - elbow + 2 * weight, on_whip = elbow + weight;
    const Vec3 arm = state.momentum(BodyId(0)) - start.momentum(BodyId(0));
    const Vec3 whip = state.momentum(BodyId(1)) - start.momentum(BodyId(1));
    worst = std::max({worst, (on_arm - arm).norm(), (on_whip - whip).norm()});
    largest = std::max(largest, on_arm.norm());
  }
  MESSAGE("impulses differ from the change of momentum by " << worst << " of " << largest << " N s");
  CHECK(impacts > 0);
  CHECK(largest > 1);                           // the sudden stop at t = 1
  CHECK(worst < support::model(2 * accuracy));  // per step; momenta of the scene are about 1
}

TEST_CASE("the work of scripts accounts for all energy, also at sudden stops") {
  const model::Model model = build_whip(true);
  for (const double accuracy : {1e-6, 1e-9}) {
    double kinetic = 0, loss = 0, gain = 0, least = 0, first = 0;
    bool begun = false;
    support::simulate_steps(model, 1, {.accuracy = accuracy}, [&](const model::State& state) {
      const dynamics::Balance balance = dynamics::compute_balance(model, state);
      const double now = balance.energy() - balance.work;
      if (!begun) first = least = now, begun = true;
      kinetic = std::max(kinetic, balance.kinetic);
      least = std::min(least, now);
      gain = std::max(gain, now - least);
      loss = std::max(loss, first - now);
    });
    MESSAGE("accuracy " << accuracy << ": gain " << gain / kinetic << ", loss at the limit "
                        << loss / kinetic);
    CHECK(gain < support::model(10 * accuracy) * kinetic);
    CHECK(loss < 0.5 * kinetic);  // dissipated by bounces at the limit
  }
}

TEST_CASE("a pendulum at rest pulls with its weight, and a joint that holds an arm supports its moment") {
  model::ModelBuilder builder;
  const BodyId bob = add_block(builder, "bob", Vec3(0, -1, 0), 3);
  builder.add_joint({.name = "string", .type = JointType::ball, .b = bob});
  const BodyId arm = add_block(builder, "arm", Vec3(5.5, 0, 0), 2);
  builder.add_joint({.name = "motor",
                     .type = JointType::hinge,
                     .b = arm,
                     .at = Vec3(5, 0, 0),
                     .axis = Vec3::UnitZ(),
                     .script = {{.t = 0, .value = 0}}});
  const model::Model model = support::finished(builder);
  dynamics::EquationsOfMotion equations(model, false, true);
  const std::vector<double> now = equations.compute_reactions_at(model::start_state(model));
  const double g = 9.81, eps = support::round_off(50, 3 * g);
  CHECK((vector_at(now, 0) - Vec3(0, 3 * g, 0)).norm() < eps);
  CHECK(vector_at(now, 3).norm() < eps);
  CHECK((vector_at(now, 7) - Vec3(0, 2 * g, 0)).norm() < eps);
  CHECK((vector_at(now, 10) - Vec3(0, 0, g)).norm() < eps);
  CHECK(std::abs(now[13] - g) < eps);
}

namespace {

// The torque of a script, applied as a torque about the world's z axis on one body.
class Replay final : public model::ForceLaw {
 public:
  Replay(BodyId body, std::vector<model::CurveKey> efforts)
      : ForceLaw("replay", body), curve_(std::move(efforts)) {}
  void apply(double t, const model::BodyMotion&, const model::BodyMotion&, model::Wrench& on_a,
             model::Wrench&) const override {
    on_a.torque.z() += curve_.at(t).value;
  }

 private:
  model::Curve curve_;
};

// An arm with a ball-jointed link; the arm's hinge is free or scripted.
void build_arm(model::ModelBuilder& builder, bool scripted) {
  const BodyId arm = add_block(builder, "arm", Vec3(0.5, 0, 0), 2);
  const BodyId hand = add_block(builder, "hand", Vec3(1, -0.3, 0.1), 1);
  model::JointSpec shoulder{.name = "shoulder", .type = JointType::hinge, .b = arm, .axis = Vec3::UnitZ()};
  if (scripted) shoulder.script = {{.t = 0, .value = 0, .slope = 0}, {.t = 2, .value = 2.4, .slope = 0}};
  builder.add_joint(shoulder);
  builder.add_joint({.name = "elbow", .type = JointType::ball, .a = arm, .b = hand, .at = Vec3(1, 0, 0)});
}

}  // namespace

TEST_CASE("replaying a script's torques on the free mechanism reproduces the motion") {
  model::ModelBuilder scripted;
  build_arm(scripted, true);
  const model::Model driven = support::finished(scripted);
  const double accuracy = 1e-9;
  const int samples = 2000;  // a spline through them has an error of about h^4, far below the accuracy
  dynamics::EquationsOfMotion equations(driven, false, true);
  std::vector<model::CurveKey> efforts;
  model::State end;
  support::simulate_frames(driven, 1, samples, {.accuracy = accuracy / 10}, [&](const model::State& state) {
    efforts.push_back({.t = state.time, .value = equations.compute_reactions_at(state)[6]});
    end = state;
  });
  model::ModelBuilder free;
  build_arm(free, false);
  free.add_force(std::make_shared<Replay>(BodyId(0), efforts));
  const model::Model replayed = support::finished(free);
  const model::State again = support::simulate_to(replayed, 1, {.accuracy = accuracy});
  double apart = 0;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    apart = std::max(apart, (end.position(BodyId(i)) - again.position(BodyId(i))).norm());
    apart = std::max(apart, math::angle_between(end.orientation(BodyId(i)), again.orientation(BodyId(i))));
  }
  MESSAGE("replayed motion is " << apart << " apart after 1 s");
  CHECK(apart < support::model(10 * accuracy));
}
