// User data: the memory of a controller is part of a saved run, at every moment a run can be saved.
#include <doctest/doctest.h>

#include "support/run_files.h"
#include "support/simulate.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;
using simulate::Event, simulate::Method, simulate::Simulation, simulate::SimulationOptions;

namespace {
namespace user_data {

const Method kMethods[] = {Method::fast, Method::precise};

// A lift on a vertical slider; a load falls on it. The precise method lets the load fall through.
model::Model make_lift() {
  model::ModelBuilder builder;
  model::BodySpec spec;
  spec.name = "lift", spec.X_WB.translation = Vec3(0, 1, 0);
  spec.shapes = {{.shape = collision::Box{Vec3(1, 0.1, 1)}}};
  const BodyId lift = builder.add_body(spec);
  spec.name = "load", spec.X_WB.translation = Vec3(0.1, 1.3, 0);
  spec.shapes = {{.shape = collision::Box{Vec3(0.3, 0.3, 0.3)}}};
  builder.add_body(spec);
  builder.add_joint({.name = "rail",
                     .type = model::JointType::slider,
                     .b = lift,
                     .at = Vec3(0, 1, 0),
                     .axis = Vec3(0, 1, 0)});
  return support::finished(builder);
}
const BodyId kLift(0);

SimulationOptions everything(Method method) {
  return {.duration = 0.6,
          .fps = 70,
          .method = method,
          .fixed_step = 0.01,
          .log = true,
          .contacts = method == Method::fast,
          .reactions = true,
          .live = {.pushed = {kLift}}};
}

Simulation make(const model::Model& model, const SimulationOptions& options) {
  return Simulation::create(model, options).value();
}

// Senses the lift, remembers, and pushes it. The force depends on how often it was called: one call too many
// or too few shows in the motion.
void control(Simulation& simulation) {
  std::vector<double> memory = simulation.user_data();
  if (memory.empty()) memory = {0, 0};
  double &integral = memory[0], &calls = memory[1];
  const double error = 1 - simulation.state().position(kLift).y();
  integral += 0.01 * error;
  calls += 1;
  const double mass = simulation.model().body(kLift).mass;
  const double speed = velocity(simulation.model(), simulation.state(), kLift).y();
  const double force = mass * (9.81 + 40 * error + 60 * integral - 9 * speed) + 0.01 * calls;
  simulation.set_user_data(memory);
  REQUIRE(simulation.push(kLift, {.force = Vec3(0, force, 0)}).empty());
}

bool is_step(const Event& event) { return std::holds_alternative<simulate::StepReport>(event); }

// The controller is called after every step.
void run_to_end(Simulation& simulation, support::RunFiles& files) {
  while (const std::optional<Event> event = simulation.next()) {
    files.add(*event);
    if (is_step(*event)) control(simulation);
  }
  REQUIRE(simulation.failure() == "");
  files.add(simulation.finish());
}

TEST_CASE("the memory of a controller comes back with a run that was saved at any moment") {
  const model::Model model = make_lift();
  for (const Method method : kMethods) {
    const SimulationOptions options = everything(method);
    support::RunFiles whole;
    Simulation first = make(model, options);
    control(first);
    run_to_end(first, whole);
    const std::string end = first.save();
    REQUIRE(first.user_data().size() == 2);
    CHECK(first.user_data()[1] == first.statistics().count("steps") + 1);

    // Before the first step, after frames inside a step, after rows of the log, after steps. After a step
    // both with the controller not yet called and with its inputs waiting for the next step.
    const size_t events = whole.frames.size() + whole.rows.size() + static_cast<size_t>(first.user_data()[1]);
    for (size_t stop = 0; stop < events; stop += stop < 20 ? 1 : 5)
      for (const bool before_control : {false, true}) {
        INFO("method ", to_string(method), ", stopped after ", stop, " events, before ", before_control);
        support::RunFiles part;
        Simulation simulation = make(model, options);
        bool pending = true;  // the controller has not yet seen the state
        for (size_t i = 0; i < stop; ++i) {
          if (pending) control(simulation);
          const std::optional<Event> event = simulation.next();
          pending = event && is_step(*event);
          if (event) part.add(*event);
        }
        if (pending && !before_control) control(simulation), pending = false;
        const std::string saved = simulation.save();
        Simulation other = make(model, options);
        REQUIRE(other.restore(saved).empty());
        REQUIRE(other.save() == saved);
        REQUIRE(other.user_data() == simulation.user_data());
        REQUIRE(other.state().y == simulation.state().y);
        if (pending) control(other);
        part.cut(other);
        run_to_end(other, part);
        REQUIRE(part == whole);
        REQUIRE(other.user_data() == first.user_data());
        REQUIRE(other.save() == end);
      }
  }
}

TEST_CASE("a run that takes its last step again has the user data of the start of that step") {
  const model::Model model = make_lift();
  for (const Method method : kMethods) {
    SimulationOptions without_log = everything(method), with_log = without_log;
    without_log.log = false;
    const auto step_and_control = [](Simulation& run) {
      REQUIRE(run.step().good());
      control(run);
    };
    Simulation simulation = make(model, without_log);
    for (int i = 0; i < 20; ++i) step_and_control(simulation);
    const std::string saved = simulation.save();
    const double t = simulation.time();
    const std::vector<double> memory = simulation.user_data();

    // With a log the restored run begins at the start of the last step.
    Simulation other = make(model, with_log);
    REQUIRE(other.restore(saved).empty());
    CHECK(other.time() < t);
    CHECK(other.user_data()[1] == memory[1] - 1);
    // Saved there it has lost nothing: a run without a log goes on at the end of that step.
    const std::string again = other.save();
    CHECK(again == saved);
    Simulation third = make(model, without_log);
    REQUIRE(third.restore(again).empty());
    CHECK(third.time() == t);
    CHECK(third.user_data() == memory);

    step_and_control(other);
    CHECK(other.time() == t);
    CHECK(other.user_data() == memory);
    for (Simulation* run : {&simulation, &other, &third}) step_and_control(*run);
    for (Simulation* run : {&other, &third}) {
      CHECK(run->time() == simulation.time());
      CHECK(run->state().y == simulation.state().y);
      CHECK(run->user_data() == simulation.user_data());
    }

    // What is set there belongs to that start.
    Simulation fourth = make(model, with_log);
    REQUIRE(fourth.restore(saved).empty());
    fourth.set_user_data({5, 7});
    REQUIRE(fourth.step().good());
    CHECK(fourth.user_data() == std::vector<double>{5, 7});
    CHECK(fourth.step_start().user_data == std::vector<double>{5, 7});
  }
}

TEST_CASE("user data that was taken away leaves no bytes, and damaged bytes are refused") {
  const model::Model model = make_lift();
  for (const Method method : kMethods) {
    SimulationOptions options = everything(method);
    options.log = false;
    Simulation simulation = make(model, options), plain = make(model, options);
    REQUIRE(simulation.run_until(0.1));
    REQUIRE(plain.run_until(0.1));
    simulation.set_user_data({1, 2, 3});
    const std::string saved = simulation.save();
    CHECK(saved.size() == plain.save().size() + 2 * sizeof(uint64_t) + 3 * sizeof(double));
    for (size_t at = saved.size() - 40; at < saved.size(); ++at) {
      std::string bad = saved;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      CHECK_FALSE(simulation.restore(bad).empty());
      CHECK_FALSE(simulation.restore(saved.substr(0, at)).empty());
    }
    CHECK(simulation.save() == saved);
    simulation.set_user_data({});
    CHECK(simulation.save() == plain.save());
    REQUIRE(simulation.restore(saved).empty());
    CHECK(simulation.user_data() == std::vector<double>{1, 2, 3});
    REQUIRE(simulation.restore(plain.save()).empty());
    CHECK(simulation.user_data().empty());
  }
}

}  // namespace user_data
}  // namespace
