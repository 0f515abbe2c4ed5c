// Redundant joints, which must change nothing, and contradictory joints, which must be refused by name.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "support/simulate.h"
#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/dynamics/energy.h"
#include "tumble/dynamics/joint_report.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointSpec;
using model::JointType;

namespace {

// A bar of 1 kg between two points; its motion has no symmetry.
BodyId add_beam(model::ModelBuilder& builder, const char* name, const Vec3& p, const Vec3& q) {
  model::BodySpec beam;
  beam.name = name;
  const Vec3 along = q - p;
  beam.X_WB = {math::Quat::from_axis_angle(Vec3::UnitZ(), math::atan2(along.y(), along.x())), 0.5 * (p + q)};
  beam.inertia = model::GivenInertia{.mass = 1, .moments = along.squaredNorm() * Vec3(0.03, 0.09, 0.11)};
  return builder.add_body(beam);
}

double largest_difference(const model::State& one, const model::State& other) {
  double largest = 0;
  for (size_t i = 0; i < one.y.size(); ++i) largest = std::max(largest, std::abs(one.y[i] - other.y[i]));
  return largest;
}

int redundant_rows(const model::Model& model) {
  return dynamics::report_on_joints(model, start_state(model)).at(0).redundant_rows();
}

std::string words_of(const core::Diagnostics& diagnostics) {
  std::string words;
  for (const core::Diagnostic& d : diagnostics) words += to_string(d) + "\n";
  return words;
}

// The error message at the start of a contradictory model; empty if it was accepted.
std::string refusal(model::ModelBuilder& builder) {
  const core::Expected<model::Model> model = builder.finish();
  if (!model) return words_of(model.diagnostics());
  const core::Expected<simulate::Simulation> simulation =
      simulate::Simulation::create(*model, {.method = simulate::Method::precise});
  return simulation ? "" : words_of(simulation.diagnostics());
}

// Random sets of joints: any types between any bodies, points and axes anywhere near, very different sizes
// and masses, with random limits, springs, drives, scripts and gaps.
class Senseless {
 public:
  explicit Senseless(unsigned seed) : random_(seed) {}

  void build(model::ModelBuilder& builder) {
    const int bodies = random_int(1, 5), joints = random_int(1, 8);
    std::vector<BodyId> ids = {BodyId()};
    for (int i = 0; i < bodies; ++i) {
      model::BodySpec body;
      body.name = "b" + std::to_string(i);
      body.fixed = chance(0.05);
      body.X_WB = {math::Quat::from_rotation_vector(anywhere(2)), anywhere(chance(0.2) ? 0.0 : 1.0)};
      const double size = std::pow(10.0, number(-2, 1)), mass = std::pow(10.0, number(-3, 3));
      body.inertia = model::GivenInertia{
          .mass = mass, .moments = mass * size * size * Vec3(number(0.5, 1), number(0.5, 1), number(0.5, 1))};
      if (!body.fixed && chance(0.5)) body.velocity = anywhere(2), body.angular_velocity = anywhere(5);
      ids.push_back(builder.add_body(body));
    }
    for (int i = 0; i < joints; ++i) builder.add_joint(joint(i, ids));
  }

 private:
  double number(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
  int random_int(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }
  bool chance(double part) { return number(0, 1) < part; }
  Vec3 anywhere(double size) { return size * Vec3(number(-1, 1), number(-1, 1), number(-1, 1)); }
  Vec3 direction() {
    const Vec3 axes[] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitX()};
    return chance(0.6) ? axes[random_int(0, 3)] : anywhere(1);
  }

  JointSpec joint(int i, const std::vector<BodyId>& ids) {
    const auto body = [&] {
      return ids[static_cast<size_t>(random_int(0, static_cast<int>(ids.size()) - 1))];
    };
    JointSpec spec;
    spec.name = "j" + std::to_string(i);
    spec.type = static_cast<JointType>(random_int(0, 10));
    if (spec.type != JointType::nail) spec.a = body();
    do spec.b = body();
    while ((spec.b == spec.a || !spec.b.valid()) && !chance(0.02));
    spec.at = anywhere(chance(0.2) ? 0 : 1);
    if (spec.type == JointType::distance || chance(0.1))
      spec.at_b = spec.at + anywhere(chance(0.5) ? 1 : 1e-3);
    if (spec.type != JointType::nail && spec.type != JointType::distance && spec.type != JointType::fixed)
      spec.axis = direction();
    if (spec.type == JointType::universal || spec.type == JointType::constant_velocity)
      spec.axis2 = direction();
    if (spec.type == JointType::distance && chance(0.3)) spec.range = model::Range{0, 2};
    const bool moves = spec.type == JointType::hinge || spec.type == JointType::slider;
    if (moves && chance(0.4)) spec.limits = model::Range{-number(0, 1), number(0, 1)};
    if (spec.type == JointType::ball && chance(0.4)) spec.swing = {number(0.01, 2)};
    spec.restitution = chance(0.5) ? number(0, 1) : 0;
    if (moves && chance(0.3))
      spec.stiffness = number(0, 100), spec.damping = number(0, 1), spec.rest = number(-1, 1);
    if (moves && chance(0.2)) spec.drives = {{.velocity = number(-9, 9), .damping = number(0, 5)}};
    if (moves && chance(0.2)) spec.script = {{.t = 0, .value = 0}, {.t = 1, .value = number(-2, 2)}};
    return spec;
  }

  std::mt19937 random_;
};

bool names_something(const std::string& words) {
  return words.find("joint \"j") != std::string::npos || words.find("body \"b") != std::string::npos;
}

}  // namespace

TEST_CASE("a gate on one hinge, on three, and on hinge, ball and cylinder in one line moves the same way") {
  const Vec3 line = Vec3(1, 2, 0.5).normalized();
  const auto gate = [&](const std::vector<std::pair<JointType, double>>& joints) {
    model::ModelBuilder builder;
    const BodyId id = add_beam(builder, "gate", Vec3(0, 0, 0), Vec3(1, -0.4, 0));
    for (const auto& [type, along] : joints)
      builder.add_joint(
          {.name = "j" + std::to_string(along), .type = type, .b = id, .at = along * line, .axis = line});
    return builder.finish().value();
  };
  const model::Model one = gate({{JointType::hinge, 0}});
  const model::Model three = gate({{JointType::hinge, 0}, {JointType::hinge, 0.4}, {JointType::hinge, -0.7}});
  const model::Model mixed =
      gate({{JointType::ball, 0.3}, {JointType::cylindrical, -0.2}, {JointType::hinge, 0}});
  CHECK(redundant_rows(three) == 10);
  CHECK(redundant_rows(mixed) == 7);
  for (const double accuracy : {1e-6, 1e-10}) {
    const model::State wanted = support::simulate_to(one, 3, {.accuracy = accuracy});
    for (const model::Model* other : {&three, &mixed}) {
      const double difference =
          largest_difference(support::simulate_to(*other, 3, {.accuracy = accuracy}), wanted);
      CHECK_MESSAGE(difference < 10 * accuracy, difference);
    }
  }
}

TEST_CASE("a four-bar linkage of 20 rows moves like one of the 17 rows it needs") {
  const auto linkage = [](bool enough) {
    const Vec3 A(0, 0, 0), B(-0.3, 0.5, 0), C(0.8, 0.7, 0), D(1, 0, 0), z = Vec3::UnitZ();
    model::ModelBuilder builder;
    const BodyId left = add_beam(builder, "left", A, B), top = add_beam(builder, "top", B, C),
                 right = add_beam(builder, "right", D, C);
    builder.add_joint({.name = "A", .type = JointType::hinge, .b = left, .at = A, .axis = z});
    builder.add_joint({.name = "B", .type = JointType::hinge, .a = left, .b = top, .at = B, .axis = z});
    JointSpec c{.name = "C", .type = JointType::hinge, .a = top, .b = right, .at = C, .axis = z};
    JointSpec d{.name = "D", .type = JointType::hinge, .b = right, .at = D, .axis = z};
    if (enough) c.type = JointType::ball, d.type = JointType::universal, d.axis2 = Vec3::UnitX();
    builder.add_joint(c);
    builder.add_joint(d);
    return builder.finish().value();
  };
  const model::Model full = linkage(false), needed = linkage(true);
  CHECK(redundant_rows(full) == 3);
  CHECK(redundant_rows(needed) == 0);
  for (const double accuracy : {1e-6, 1e-9}) {
    const double difference = largest_difference(support::simulate_to(full, 2, {.accuracy = accuracy}),
                                                 support::simulate_to(needed, 2, {.accuracy = accuracy}));
    CHECK_MESSAGE(difference < 10 * accuracy, difference);
  }
}

TEST_CASE("joints that cannot all be closed are refused by name") {
  const Vec3 z = Vec3::UnitZ();
  SUBCASE("a plank on two nails that are further apart than its holes") {
    model::ModelBuilder builder;
    const BodyId id = add_beam(builder, "plank", Vec3(0, 0, 0), Vec3(1, 0, 0));
    builder.add_joint({.name = "near", .type = JointType::nail, .b = id, .at = Vec3(0, 0, 0)});
    builder.add_joint(
        {.name = "far", .type = JointType::nail, .b = id, .at = Vec3(1.01, 0, 0), .at_b = Vec3(1, 0, 0)});
    CHECK(refusal(builder).find("joint \"far\" cannot be closed together with the other joints") !=
          std::string::npos);
  }
  SUBCASE("two links that are too short to reach from hinge to hinge") {
    model::ModelBuilder builder;
    const BodyId one = add_beam(builder, "one", Vec3(0, 0, 0), Vec3(1, 0, 0)),
                 two = add_beam(builder, "two", Vec3(1.01, 0, 0), Vec3(2.01, 0, 0));
    builder.add_joint({.name = "A", .type = JointType::hinge, .b = one, .at = Vec3(0, 0, 0), .axis = z});
    builder.add_joint({.name = "B",
                       .type = JointType::hinge,
                       .a = one,
                       .b = two,
                       .at_a = Vec3(1, 0, 0),
                       .at_b = Vec3(1.01, 0, 0),
                       .axis = z});
    builder.add_joint({.name = "C",
                       .type = JointType::hinge,
                       .b = two,
                       .at_a = Vec3(2.02, 0, 0),
                       .at_b = Vec3(2.01, 0, 0),
                       .axis = z});
    CHECK(refusal(builder).find("joint \"C\" cannot be closed together with the other joints") !=
          std::string::npos);
  }
  SUBCASE("a joint with an error above a tenth of the size of its bodies") {
    model::ModelBuilder builder;
    const BodyId id = add_beam(builder, "plank", Vec3(0, 0, 0), Vec3(1, 0, 0));
    builder.add_joint(
        {.name = "wide", .type = JointType::nail, .b = id, .at = Vec3(0, 0, 0), .at_b = Vec3(0.3, 0, 0)});
    CHECK(refusal(builder).find("joint \"wide\" is open by 0.3 m") != std::string::npos);
  }
}

TEST_CASE("joints that become contradictory end the run, by name, with the state unchanged") {
  const auto evenly_to = [](double end) {
    return std::vector<model::CurveKey>{{.t = 0, .value = 0, .slope = 0}, {.t = 1, .value = end, .slope = 0}};
  };
  const Vec3 z = Vec3::UnitZ();
  model::ModelBuilder builder;
  const BodyId crank = add_beam(builder, "crank", Vec3(0, 0, 0), Vec3(1, 0, 0));
  SUBCASE("a driven crank that two sliders lock") {
    const BodyId block = add_beam(builder, "block", Vec3(1, 0, 0), Vec3(2, 0, 0));
    builder.add_joint(
        {.name = "shaft", .type = JointType::hinge, .b = crank, .axis = z, .script = evenly_to(1)});
    builder.add_joint(
        {.name = "pin", .type = JointType::hinge, .a = crank, .b = block, .at = Vec3(1, 0, 0), .axis = z});
    builder.add_joint({.name = "bore-x", .type = JointType::slider, .b = block, .axis = Vec3::UnitX()});
    builder.add_joint({.name = "bore-y", .type = JointType::slider, .b = block, .axis = Vec3::UnitY()});
  }
  SUBCASE("a hinge driven beyond its own limit") {
    builder.add_joint({.name = "shaft",
                       .type = JointType::hinge,
                       .b = crank,
                       .axis = z,
                       .limits = model::Range{-1, 0.5},
                       .script = evenly_to(1)});
  }
  const model::Model model = builder.finish().value();
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  dynamics::ConstrainedBodies bodies(model);
  simulate::StepReport report;
  int steps = 0;
  while (state.time < 1 && report.good() && ++steps < 10000) {
    report = simulation.step();
    CHECK(bodies.compute_gap(state.time, state.y.data()).error < 1e-9);
  }
  const std::string& words = simulation.failure();
  CHECK(!report.good());
  CHECK(report.status == simulate::StepStatus::joints_open);
  CHECK(words.find("joint \"") != std::string::npos);
}

TEST_CASE("a crank driven beyond the reach of its rod ends the run where the rod is stretched") {
  model::ModelBuilder builder;
  const BodyId crank = add_beam(builder, "crank", Vec3::Zero(), Vec3(1, 0, 0));
  const BodyId rod = add_beam(builder, "rod", Vec3(1, 0, 0), Vec3(1.5, 0, 0));
  builder.add_joint({.name = "shaft",
                     .type = JointType::hinge,
                     .b = crank,
                     .axis = Vec3::UnitZ(),
                     .script = {{.t = 0, .value = 0, .slope = 1}, {.t = 3, .value = 3, .slope = 1}}});
  builder.add_joint({.name = "pin",
                     .type = JointType::hinge,
                     .a = crank,
                     .b = rod,
                     .at = Vec3(1, 0, 0),
                     .axis = Vec3::UnitZ()});
  builder.add_joint({.name = "slot",
                     .type = JointType::point_on_plane,
                     .b = rod,
                     .at = Vec3(1.5, 0, 0),
                     .axis = Vec3::UnitY()});
  const model::Model model = support::finished(builder);
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  simulate::StepReport report;
  int steps = 0;
  for (; report.good() && steps < 100000; ++steps) report = simulation.step();
  INFO(simulation.failure());
  CHECK_FALSE(report.good());
  CHECK(state.time < math::kPi / 6);  // sin(t) = 0.5
  CHECK(state.time > math::kPi / 6 - 1e-4);
}

TEST_CASE("random joints end in finite numbers or in a report that names one of them") {
  constexpr int kSets = 400, kMostSteps = 300;
  int refused = 0, stopped = 0, ran = 0;
  for (unsigned seed = 0; seed < kSets; ++seed) {
    CAPTURE(seed);
    model::ModelBuilder builder;
    Senseless(seed).build(builder);
    const core::Expected<model::Model> model = builder.finish();
    if (!model) {
      ++refused;
      CHECK_MESSAGE(names_something(words_of(model.diagnostics())), words_of(model.diagnostics()));
      continue;
    }
    core::Expected<simulate::Simulation> simulation =
        simulate::Simulation::create(*model, {.method = simulate::Method::precise, .accuracy = 1e-4});
    if (!simulation) {
      ++refused;
      CHECK_MESSAGE(names_something(words_of(simulation.diagnostics())), words_of(simulation.diagnostics()));
      continue;
    }
    const model::State& state = simulation->state();
    simulate::StepReport report;
    dynamics::ConstrainedBodies bodies(*model);
    for (int step = 0; step < kMostSteps && state.time < 1.5 && report.good(); ++step) {
      report = simulation->step();
      const bool numbers =
          std::all_of(state.y.begin(), state.y.end(), [](double x) { return std::isfinite(x); });
      REQUIRE(numbers);
      REQUIRE(std::isfinite(state.time));
      REQUIRE(bodies.compute_gap(state.time, state.y.data()).error <
              1e-7);  // m, where bodies have up to 10 m
    }
    (report.good() ? ran : stopped) += 1;
    const std::string& words = simulation->failure();
    if (!report.good()) CHECK_MESSAGE(names_something(words), words);
  }
  MESSAGE(refused << " refused, " << stopped << " stopped, " << ran << " ran");
  CHECK(refused > kSets / 10);
  CHECK(ran > kSets / 10);
}
