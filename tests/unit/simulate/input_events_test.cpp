// Changes that are planned for given times act as those that a program makes at these times.
#include <doctest/doctest.h>

#include <limits>

#include "support/run_files.h"
#include "support/simulate.h"
#include "tumble/scene/scene.h"

using namespace tumble;
using model::BodyId, model::InputEvents, model::Vec3;
using simulate::Event, simulate::Method, simulate::Simulation, simulate::SimulationOptions;

namespace {
namespace input_events {

constexpr BodyId kBox(1), kArm(2);

model::Model make_yard() {
  const scene::BundleFiles files(std::vector<scene::SceneFile>{{"yard.xml", R"(<scene>
    <material name="ice" friction="0.05"/>
    <body name="floor" fixed="true"><plane normal="0 1 0" material="ice"/></body>
    <body name="box" position="0 0.1001 0" velocity="2 0 0"><box size="0.3 0.2 0.2" material="ice"/></body>
    <body name="arm" position="0.5 3 -5"><box size="1 0.1 0.1"/></body>
    <joint name="elbow" type="hinge" b="arm" at="0 3 -5" axis="0 0 1" limits="-60deg 30deg">
      <drive stiffness="30"
      damping="2"/></joint></scene>)"}});
  return scene::load_scene("yard.xml", files).value().model;
}

std::shared_ptr<const InputEvents> make_events() {
  InputEvents events;
  events.set(0.3, "elbow.drive.target", 0.4);
  events.set(-1, "ice.friction", 0.3);
  events.set(0, "world.gravity.x", 0.5);
  events.pull(0.1, "box", {.at = Vec3(0.1, 0, 0), .to = Vec3(0, 1, 1), .stiffness = 300, .damping = 10});
  events.set(0.2, "elbow.limits.0", -0.5);
  events.set(0.2, "elbow.limits.0", -0.7);
  events.release(0.25, "box");
  events.set(0.3, "elbow.drive.target", 0.2);
  return std::make_shared<const InputEvents>(events);
}

SimulationOptions make_options(Method method) {
  return {.duration = 0.5,
          .fps = 100,
          .method = method,
          .log = true,
          .contacts = method == Method::fast,
          .reactions = true,
          .inputs = make_events()};
}

// What the events ask for, by hand: before each step those whose time has come since the step before.
void set_by_hand(Simulation& simulation, double from, double to) {
  const auto due = [&](double t) { return t > from && t <= to; };
  const auto set = [&](const char* address, double value) {
    REQUIRE(simulation.set(address, value).empty());
  };
  if (due(-1)) set("ice.friction", 0.3);
  if (due(0)) set("world.gravity.x", 0.5);
  const model::Push pull{.at = Vec3(0.1, 0, 0), .to = Vec3(0, 1, 1), .stiffness = 300, .damping = 10};
  if (due(0.1)) REQUIRE(simulation.push(kBox, pull).empty());
  if (due(0.2)) set("elbow.limits.0", -0.7);
  if (due(0.25)) REQUIRE(simulation.push(kBox, {.at = pull.at, .to = pull.to}).empty());
  if (due(0.3)) set("elbow.drive.target", 0.2);
}

}  // namespace input_events
}  // namespace

TEST_CASE("planned inputs are those that a program gives before the step, bit for bit") {
  using namespace input_events;
  const model::Model model = make_yard();
  for (const Method method : {Method::fast, Method::precise}) {
    Simulation planned = Simulation::create(model, make_options(method)).value();
    support::RunFiles expected;
    expected.run_to_end(planned);

    SimulationOptions options = make_options(method);
    options.inputs = nullptr;
    options.live.pushed = {kBox};
    Simulation by_hand = Simulation::create(model, options).value();
    support::RunFiles files;
    double last = -std::numeric_limits<double>::infinity();
    set_by_hand(by_hand, last, 0);
    last = 0;
    while (const std::optional<Event> event = by_hand.next()) {
      files.add(*event);
      if (!std::holds_alternative<simulate::StepReport>(*event)) continue;
      set_by_hand(by_hand, last, by_hand.time());
      last = by_hand.time();
    }
    files.add(by_hand.finish());
    CHECK(files == expected);
    for (const std::string& warning : planned.warnings()) CHECK(warning.find("inputs") == std::string::npos);
    CHECK(planned.get("elbow.drive.target").value() == std::vector<double>{0.2});
  }
}

TEST_CASE("a run with inputs that is restored after any event goes on with the same bits") {
  using namespace input_events;
  const model::Model model = make_yard();
  for (const Method method : {Method::fast, Method::precise}) {
    const SimulationOptions options = make_options(method);
    Simulation whole = Simulation::create(model, options).value();
    support::RunFiles expected;
    expected.run_to_end(whole);
    for (size_t stop = 0; stop < 120; stop += 7) {
      Simulation first = Simulation::create(model, options).value();
      support::RunFiles files;
      for (size_t i = 0; i < stop; ++i)
        if (const std::optional<Event> event = first.next()) files.add(*event);
      const std::string saved = first.save();
      Simulation second = Simulation::create(model, options).value();
      REQUIRE(second.restore(saved).empty());
      files.cut(second);
      files.run_to_end(second);
      CHECK_MESSAGE(files == expected, "stopped after " << stop << " events");
    }
  }
}

TEST_CASE("a saved run belongs to its inputs") {
  using namespace input_events;
  const model::Model model = make_yard();
  SimulationOptions options = make_options(Method::fast);
  const std::string saved = Simulation::create(model, options).value().save();
  InputEvents other;
  other.pull(0.1, "box", {.to = Vec3(0, 1, 1), .stiffness = 300});
  options.inputs = std::make_shared<const InputEvents>(other);
  CHECK_FALSE(Simulation::create(model, options).value().restore(saved).empty());
  options.inputs = nullptr;
  CHECK_FALSE(Simulation::create(model, options).value().restore(saved).empty());
}

TEST_CASE("inputs that cannot be are all refused before the run, and late ones are a warning after it") {
  using namespace input_events;
  const model::Model model = make_yard();
  InputEvents events;
  events.set(1, "ice.frction", 1);
  events.set(2, "ice.friction", -1);
  events.pull(3, "floor", {.to = Vec3(0, 1, 1), .stiffness = 300});
  events.set(3, "world.gravity", 1);
  events.set(4, "box.force", Vec3(0, std::numeric_limits<double>::quiet_NaN(), 0));
  events.release(5, "nobody");
  SimulationOptions options{.duration = 0.1, .inputs = std::make_shared<const InputEvents>(events)};
  const core::Expected<Simulation> refused = Simulation::create(model, options);
  REQUIRE_FALSE(refused);
  CHECK(refused.diagnostics().size() == 6);

  InputEvents late;
  late.set(0.05, "ice.friction", 1);
  late.set(7, "ice.friction", 1);
  options.inputs = std::make_shared<const InputEvents>(late);
  Simulation simulation = Simulation::create(model, options).value();
  support::RunFiles files;
  files.run_to_end(simulation);
  REQUIRE(simulation.warnings().size() == 1);
  CHECK(simulation.warnings()[0].find("1 of 2 did nothing, the first for t = 7 s") != std::string::npos);

  options.inputs = make_events();
  options.estimate_error = true;
  CHECK_FALSE(Simulation::create(model, options));
}
