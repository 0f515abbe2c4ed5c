// A whole run: events and their order, frames, save and restore, failures, warnings, options.
#include "tumble/simulate/simulation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/run_files.h"
#include "support/simulate.h"
#include "tumble/model/force_laws.h"
#include "tumble/simulate/stepper.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;
using simulate::Event, simulate::Method, simulate::Simulation, simulate::SimulationOptions;

namespace {

BodyId add_body(model::ModelBuilder& builder, const char* name, const Vec3& place,
                const collision::Shape& shape, const Vec3& velocity = Vec3::Zero()) {
  model::BodySpec spec;
  spec.name = name, spec.X_WB.translation = place, spec.velocity = velocity;
  spec.shapes = {{.shape = shape}};
  return builder.add_body(spec);
}

// A box and a ball fall on a floor beside an arm on a hinge with limits.
model::Model make_scene() {
  model::ModelBuilder builder("scene");
  model::BodySpec floor;
  floor.name = "floor", floor.fixed = true;
  floor.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}}};
  builder.add_body(floor);
  add_body(builder, "box", Vec3(0, 0.2, 0), collision::Box{Vec3(0.3, 0.2, 0.2)}, Vec3(1, 0, 0));
  add_body(builder, "ball", Vec3(0.05, 0.5, 0), collision::Sphere{0.1});
  const BodyId arm = add_body(builder, "arm", Vec3(0.5, 1, 3), collision::Box{Vec3(1, 0.1, 0.1)});
  builder.add_joint({.name = "pivot",
                     .type = model::JointType::hinge,
                     .b = arm,
                     .at = Vec3(0, 1, 3),
                     .axis = Vec3(0, 0, 1),
                     .limits = model::Range{-0.3, 0.5},
                     .restitution = 0.4,
                     .damping = 0.1});
  return support::finished(builder);
}

// Gravity, and a force that is NaN from a given time on.
class Breaks final : public model::ForceLaw {
 public:
  using ForceLaw::ForceLaw;
  void apply(double t, const model::BodyMotion&, const model::BodyMotion&, model::Wrench& on_a,
             model::Wrench&) const override {
    if (t > 0.1) on_a.force += Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  }
};

// It pushes, and says that this stores no energy: energy from nowhere.
class Cheats final : public model::ForceLaw {
 public:
  using ForceLaw::ForceLaw;
  void apply(double, const model::BodyMotion&, const model::BodyMotion&, model::Wrench& on_a,
             model::Wrench&) const override {
    on_a.force += Vec3(20, 0, 0);
  }
  std::optional<double> potential(double, const model::BodyMotion&, const model::BodyMotion&) const override {
    return 0;
  }
};

SimulationOptions everything(Method method) {
  return {.duration = 0.5,
          .fps = 50,
          .method = method,
          .log = true,
          .contacts = method == Method::fast,
          .reactions = true};
}

Simulation make(const model::Model& model, const SimulationOptions& options) {
  return Simulation::create(model, options).value();
}

using Files = support::RunFiles;

}  // namespace

TEST_CASE("events come in order: frames inside a step, the log row at its end, the next step") {
  for (const Method method : {Method::fast, Method::precise}) {
    Simulation simulation = make(make_scene(), everything(method));
    double step_begin = 0, last_row = -1;
    size_t frames = 0, steps = 0, rows = 0;
    std::vector<std::string> warnings;
    while (const std::optional<Event> event = simulation.next()) {
      if (const auto* frame = std::get_if<simulate::Frame>(&*event)) {
        CHECK(frame->index == frames);
        CHECK(frame->state->time == static_cast<double>(frames) / 50);
        CHECK(frame->state->time <= simulation.time());
        CHECK((frame->state->time > step_begin || frames == 0));
        CHECK(frame->reactions.size() == model::kReactionSize);
        CHECK(last_row < frame->state->time);
        ++frames;
      } else if (const auto* row = std::get_if<model::LogRow>(&*event)) {
        CHECK(row->t == simulation.time());
        CHECK(row->h == simulation.last_step().h);
        last_row = row->t;
        ++rows;
      } else if (const auto* step = std::get_if<simulate::StepReport>(&*event)) {
        CHECK(step->good());
        CHECK(simulation.time() == doctest::Approx(last_row + step->h));
        step_begin = last_row;
        ++steps;
      } else {
        warnings.push_back(std::get<simulate::Warning>(*event).text);
      }
    }
    CHECK(simulation.failure() == "");
    CHECK(frames == 26);
    CHECK(rows == steps);
    CHECK(simulation.time() >= 0.5);
    const model::LogRow end = simulation.finish();
    CHECK(end.t == 0.5);
    CHECK(simulation.statistics().count("steps") == static_cast<double>(steps));
    CHECK(simulation.statistics().energy_end() == end.energy);
    CHECK(warnings == simulation.warnings());
    CHECK_FALSE(simulation.next());
    CHECK_THROWS_AS(simulation.finish(), core::LogicError);
  }
}

TEST_CASE("each kind of warning is given once") {
  // Without contact the box and the ball fall through the floor, in many frames.
  Simulation simulation = make(make_scene(), everything(Method::precise));
  Files files;
  files.run_to_end(simulation);
  REQUIRE(files.warnings.size() == 1);
  CHECK(files.warnings[0].starts_with("contact is not simulated by the precise method"));
}

TEST_CASE("a run saved after any event and restored continues to the same bytes") {
  const model::Model model = make_scene();
  for (const Method method : {Method::fast, Method::precise}) {
    const SimulationOptions options = everything(method);
    Files whole;
    Simulation first = make(model, options);
    whole.run_to_end(first);
    CHECK(first.statistics().count("impacts") > 0);
    CHECK((first.statistics().count("max_contacts") > 0) == (method == Method::fast));

    for (size_t stop = 0; stop < 120; stop += stop < 12 ? 1 : 9) {
      INFO("method ", to_string(method), ", stopped after ", stop, " events");
      Files part;
      Simulation simulation = make(model, options);
      for (size_t i = 0; i < stop; ++i)
        if (const std::optional<Event> event = simulation.next()) part.add(*event);
      const std::string saved = simulation.save();
      const model::State state = simulation.state();

      Simulation other = make(model, options);
      REQUIRE(other.restore(saved).empty());
      CHECK(other.time() == state.time);
      CHECK(other.state().y == state.y);
      part.cut(other);
      part.run_to_end(other);
      REQUIRE(part.frames == whole.frames);
      REQUIRE(part.rows == whole.rows);
      REQUIRE(part.warnings == whole.warnings);
      REQUIRE(simulate::to_bytes(other.statistics()) == simulate::to_bytes(first.statistics()));
    }
  }
}

TEST_CASE("a run of half the duration, saved at its end, continues like one of the whole duration") {
  const model::Model model = make_scene();
  for (const Method method : {Method::fast, Method::precise})
    for (const double half : {0.0, 0.123, 0.24}) {
      SimulationOptions options = everything(method);
      options.verify = simulate::Verify::steps;
      Files whole, part;
      Simulation first = make(model, options);
      whole.run_to_end(first);

      options.duration = half;
      Simulation simulation = make(model, options);
      part.run_to_end(simulation);
      options.duration = 0.5;
      Simulation other = make(model, options);
      REQUIRE(other.restore(simulation.save()).empty());
      part.cut(other);
      part.run_to_end(other);
      CHECK(part == whole);
      CHECK(simulate::to_bytes(other.statistics()) == simulate::to_bytes(first.statistics()));
    }
}

TEST_CASE("manual steps can be repeated with the same bits, and state_at is valid inside them") {
  const model::Model model = make_scene();
  for (const Method method : {Method::fast, Method::precise}) {
    Simulation simulation = make(model, {.method = method});
    REQUIRE(simulation.run_until(0.2));
    CHECK(simulation.time() >= 0.2);
    CHECK(simulation.state_at(0.2).time == 0.2);
    CHECK_THROWS_AS(simulation.state_at(0.1), core::LogicError);

    const std::string before = simulation.save();
    const double begin = simulation.time();
    REQUIRE(simulation.step().good());
    const model::State after = simulation.state();
    REQUIRE(simulation.restore(before).empty());
    CHECK(simulation.time() == begin);
    REQUIRE(simulation.step().good());
    CHECK(simulation.state().y == after.y);
    // Frames of manual steps are skipped; those of the last one are handed out.
    const std::optional<Event> next = simulation.next();
    REQUIRE(next);
    if (const auto* frame = std::get_if<simulate::Frame>(&*next)) CHECK(frame->state->time > begin);
  }
}

TEST_CASE("a saved run that is cut off, damaged or of another run is refused, and the simulation continues") {
  const model::Model model = make_scene();
  for (const Method method : {Method::fast, Method::precise}) {
    Simulation simulation = make(model, everything(method));
    for (int i = 0; i < 100; ++i) simulation.next();
    const std::string saved = simulation.save();
    const model::State state = simulation.state();
    for (size_t size = 0; size < saved.size(); ++size)
      REQUIRE_FALSE(simulation.restore(saved.substr(0, size)).empty());
    CHECK_FALSE(simulation.restore(saved + "x").empty());
    CHECK(simulation.state().y == state.y);
    CHECK(simulation.step().good());

    for (size_t at = 0; at < saved.size(); ++at) {
      std::string bad = saved;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
      REQUIRE_FALSE(simulation.restore(bad).empty());
    }

    SimulationOptions options = everything(method);
    options.accuracy = 1e-4;
    CHECK_FALSE(make(model, options).restore(saved).empty());
    options = everything(method == Method::fast ? Method::precise : Method::fast);
    CHECK_FALSE(make(model, options).restore(saved).empty());
    model::ModelBuilder builder;
    add_body(builder, "ball", Vec3::Zero(), collision::Sphere{0.1});
    options = everything(Method::precise);
    CHECK_FALSE(make(support::finished(builder), options).restore(saved).empty());
  }
}

TEST_CASE("an archive with wrong lengths or indices is refused") {
  const model::Model model = make_scene();
  simulate::LeapfrogMemory memory;
  memory.contacts.contacts.resize(2);
  memory.pairs.resize(3);
  memory.expected_y = {1, 2, 3};
  const std::string good = simulate::to_bytes(memory);
  simulate::LeapfrogMemory back;
  REQUIRE(simulate::from_bytes(good, back));
  CHECK(simulate::to_bytes(back) == good);
  for (size_t at = 0; at + 8 <= good.size(); at += 4) {
    std::string bad = good;
    for (size_t i = 0; i < 8; ++i) bad[at + i] = '\x7f';
    (void)simulate::from_bytes(bad, back);  // may succeed; must neither crash nor allocate much memory
  }
  bool flag = false;
  CHECK_FALSE(simulate::from_bytes(std::string(1, '\x02'), flag));

  CHECK_FALSE(simulate::fits(simulate::StepperMemory(memory), model));  // 3 numbers for 4 bodies
  memory.expected_y.clear();
  CHECK(simulate::fits(simulate::StepperMemory(memory), model));
  memory.contacts.contacts[0].b = 4;  // items 0 to 3
  CHECK_FALSE(simulate::fits(simulate::StepperMemory(memory), model));
  memory.contacts.contacts.clear();
  memory.limits.push_back({.limit = 99});
  CHECK_FALSE(simulate::fits(simulate::StepperMemory(memory), model));
  simulate::RungeKuttaMemory other;
  other.active_limits = {-1};
  CHECK_FALSE(simulate::fits(simulate::StepperMemory(other), model));
  model::State state = start_state(model);
  CHECK(simulate::fits(state, model));
  state.y.pop_back();
  CHECK_FALSE(simulate::fits(state, model));
}

TEST_CASE("a run that fails keeps the last good state and says where it failed") {
  for (const Method method : {Method::fast, Method::precise}) {
    model::ModelBuilder builder;
    const BodyId ball = add_body(builder, "ball", Vec3(0, 1, 0), collision::Sphere{0.1});
    builder.add_force(std::make_shared<Breaks>("breaks", ball));
    Simulation simulation = make(support::finished(builder), everything(method));
    Files files;
    double time = 0;
    while (const std::optional<Event> event = simulation.next()) files.add(*event), time = simulation.time();
    CHECK(simulation.failure().find("body \"ball\"") != std::string::npos);
    CHECK(simulation.time() == time);
    CHECK(time < 0.2);
    for (const double x : simulation.state().y) CHECK(std::isfinite(x));
    CHECK_FALSE(simulation.next());
    CHECK_THROWS_AS(simulation.step(), core::LogicError);
    // It can be saved, and fails again.
    Simulation other = make(simulation.model(), everything(method));
    REQUIRE(other.restore(simulation.save()).empty());
    while (other.next())
      ;
    CHECK(other.failure() == simulation.failure());
  }
}

TEST_CASE("energy from nowhere is a warning, then the end of the run") {
  for (const Method method : {Method::precise, Method::fast}) {
    model::ModelBuilder builder("cheats");
    const BodyId ball = add_body(builder, "ball", Vec3(0, 1, 0), collision::Sphere{0.1});
    builder.add_force(std::make_shared<Cheats>("cheats", ball));
    Simulation simulation = make(support::finished(builder), everything(method));
    std::string warnings;
    while (const std::optional<Event> event = simulation.next())
      if (const auto* warning = std::get_if<simulate::Warning>(&*event)) warnings += warning->text;
    CAPTURE(warnings);
    CHECK(simulation.failure().find("body \"ball\": energy grew") != std::string::npos);
    CHECK(simulation.statistics().max_energy_gain() > 1e-3);
    CHECK(simulation.time() < 0.5);
    if (method == Method::fast) CHECK(warnings.find("energy grew") != std::string::npos);
  }
}

TEST_CASE("options are resolved with reasons, and faults name the option") {
  const model::Model scene = make_scene();
  model::ModelBuilder builder;
  add_body(builder, "ball", Vec3::Zero(), collision::Sphere{0.1});
  const model::Model alone = support::finished(builder);
  using simulate::resolve;
  CHECK(resolve(scene, {}).options.method == Method::fast);
  CHECK(resolve(scene, {}).options.accuracy == simulate::kDefaultFastAccuracy);
  CHECK(resolve(alone, {}).options.method == Method::precise);
  CHECK(resolve(alone, {}).options.accuracy == simulate::kDefaultAccuracy);
  CHECK(resolve(scene, {.integrator = "dopri5"}).options.method == Method::precise);
  CHECK_FALSE(resolve(scene, {.accuracy = 1e-5}).fault);
  CHECK(resolve(scene, {.accuracy = 1e-5}).accuracy_given);
  const auto blamed = [&](const SimulationOptions& options) {
    const simulate::ResolvedOptions resolved = resolve(scene, options);
    REQUIRE(resolved.fault);
    return resolved.fault->options.front();
  };
  CHECK(blamed({.duration = -1}) == "duration");
  CHECK(blamed({.duration = 1e9, .fps = 60}) == "duration");
  CHECK(blamed({.fps = 0}) == "fps");
  CHECK(blamed({.accuracy = 7}) == "accuracy");
  CHECK(blamed({.integrator = "euler"}) == "integrator");
  CHECK(blamed({.integrator = "guess"}) == "integrator");
  CHECK(blamed({.method = Method::fast, .integrator = "dopri5"}) == "integrator");
  CHECK(blamed({.method = Method::precise, .contacts = true}) == "contacts");
  CHECK(blamed({.fixed_step = -1}) == "step");
  CHECK(blamed({.accuracy = 1e-13, .estimate_error = true}) == "estimate-error");
  CHECK_FALSE(Simulation::create(scene, {.accuracy = 7}));
}

TEST_CASE("a run without an end continues as long as it is stepped") {
  Simulation simulation = make(make_scene(), {.duration = std::numeric_limits<double>::infinity()});
  size_t frames = 0;
  while (frames < 400) {
    const std::optional<Event> event = simulation.next();
    REQUIRE(event);
    frames += std::holds_alternative<simulate::Frame>(*event) ? 1 : 0;
  }
  CHECK(simulation.time() > 6);
}

TEST_CASE("the error estimate compares every frame with a more accurate run") {
  Simulation simulation =
      make(make_scene(), {.duration = 0.2, .method = Method::precise, .estimate_error = true});
  while (simulation.next())
    ;
  REQUIRE(simulation.error_estimate());
  CHECK(simulation.error_estimate()->frames.size() == simulation.frames());
  CHECK(simulation.error_estimate()->max_position_error < 1e-6);
}
