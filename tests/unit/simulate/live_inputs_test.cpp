// slow: every change is made in both methods and again after a restored state
// Changes during a run: gravity, pushes, drives, limits, friction; saved and restored with these changes.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/run_files.h"
#include "support/simulate.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;
using simulate::Event, simulate::Method, simulate::Simulation, simulate::SimulationOptions;

namespace {
namespace live_inputs {

constexpr double kGravity = 9.81;
const Method kMethods[] = {Method::fast, Method::precise};

BodyId add(model::ModelBuilder& builder, const char* name, const Vec3& place, const collision::Shape& shape,
           const Vec3& velocity = Vec3::Zero()) {
  model::BodySpec spec;
  spec.name = name, spec.X_WB.translation = place, spec.velocity = velocity;
  spec.shapes = {{.shape = shape}};
  return builder.add_body(spec);
}

void add_floor(model::ModelBuilder& builder) {
  model::BodySpec floor;
  floor.name = "floor", floor.fixed = true;
  floor.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}}};
  builder.add_body(floor);
}

// A ball in flight.
model::Model make_ball() {
  model::ModelBuilder builder;
  add(builder, "ball", Vec3(0, 1, 0), collision::Sphere{0.1}, Vec3(2, 3, -1));
  return support::finished(builder);
}

// An arm of 1 m that hangs from a hinge about z at its start.
model::Model make_arm(const model::JointSpec& hinge) {
  model::ModelBuilder builder;
  model::JointSpec spec = hinge;
  spec.name = "pivot", spec.type = model::JointType::hinge, spec.axis = Vec3(0, 0, 1);
  spec.b = add(builder, "arm", Vec3(0.5, 0, 0), collision::Box{Vec3(1, 0.1, 0.1)});
  builder.add_joint(spec);
  return support::finished(builder);
}

double angle_of(const Simulation& simulation) {
  const Vec3 x = simulation.state().position(BodyId(0));
  return std::atan2(x.y(), x.x());
}

// One of each: a box slides, a ball hangs on a spring and is pushed, an arm with a drive falls on its limit.
model::Model make_scene() {
  model::ModelBuilder builder;
  add_floor(builder);
  add(builder, "box", Vec3(0, 0.11, 0), collision::Box{Vec3(0.3, 0.2, 0.2)}, Vec3(2, 0, 0));
  const BodyId ball = add(builder, "ball", Vec3(0, 2, -3), collision::Sphere{0.1});
  builder.add_force(
      std::make_shared<model::Spring>("string", ball, Vec3(0.1, 0, 0), BodyId(), Vec3(0, 3, -3), 0.8, 60.0));
  model::JointSpec pivot{.name = "pivot",
                         .type = model::JointType::hinge,
                         .b = add(builder, "arm", Vec3(0.5, 1.5, 3), collision::Box{Vec3(1, 0.1, 0.1)}),
                         .at = Vec3(0, 1.5, 3),
                         .axis = Vec3(0, 0, 1),
                         .limits = model::Range{-0.2, 0.5},
                         .restitution = 0.3,
                         .drives = {{.target = 0.1, .stiffness = 4, .damping = 0.5, .max_force = 30}}};
  builder.add_joint(pivot);
  return support::finished(builder);
}
constexpr size_t kBall = 2;

SimulationOptions everything(Method method) {
  return {.duration = 0.9,
          .fps = 50,
          .method = method,
          .log = true,
          .contacts = method == Method::fast,
          .reactions = true,
          .live = {.pushed = {BodyId(kBall)}}};
}

Simulation make(const model::Model& model, const SimulationOptions& options) {
  return Simulation::create(model, options).value();
}

// Sets inputs after the steps that pass certain times.
void give_inputs(Simulation& simulation) {
  const double from = simulation.step_start().state.time, to = simulation.time();
  const auto passes = [&](double t) { return from < t && t <= to; };
  core::Diagnostics refused;
  const auto set = [&](const char* address, const auto& value) {
    const core::Diagnostics faults = simulation.set(address, value);
    refused.insert(refused.end(), faults.begin(), faults.end());
  };
  if (passes(0.1)) {
    REQUIRE(simulation.push(BodyId(kBall), {.force = Vec3(3, 0, 1), .torque = Vec3(0, 0.1, 0)}).empty());
    set("string.stiffness", 90.0);
  }
  if (passes(0.25)) {
    set("world.gravity", Vec3(0.5, -6, 0));
    set("material:default.friction", 0.1);
    set("pivot.drive.target", -0.5);
  }
  if (passes(0.4)) {
    set("pivot.limits.0", -0.6);
    set("pivot.drive.max-force", std::numeric_limits<double>::infinity());
    set("string.stiffness", 60.0);  // as in the scene
  }
  if (passes(0.55)) {
    REQUIRE(simulation.push(BodyId(kBall), {.at = Vec3(0, 0.1, 0), .to = Vec3(1, 2, -3), .stiffness = 50})
                .empty());
    set("pivot.restitution", 0.0);
    set("world.gravity.y", -12.0);
  }
  if (passes(0.7)) {
    REQUIRE(simulation.push(BodyId(kBall), {}).empty());
    set("pivot.drive.max-force", 20.0);
    set("material:default.friction", 0.6);
  }
  REQUIRE(refused.empty());
}

void run_to_end(Simulation& simulation, support::RunFiles& files) {
  while (const std::optional<Event> event = simulation.next()) {
    files.add(*event);
    if (std::holds_alternative<simulate::StepReport>(*event)) give_inputs(simulation);
  }
  REQUIRE(simulation.failure() == "");
  files.add(simulation.finish());
}

TEST_CASE("without gravity a thrown ball moves in a straight line, from the next step on") {
  for (const Method method : kMethods) {
    Simulation simulation = make(make_ball(), {.method = method});
    REQUIRE(simulation.run_until(0.3));
    const double t = 0.5 * (simulation.step_start().state.time + simulation.time());
    const std::vector<double> inside = simulation.state_at(t).y;
    REQUIRE(simulation.set("world.gravity", Vec3::Zero()).empty());
    CHECK(simulation.get("world.gravity").value() == std::vector<double>{0, 0, 0});
    CHECK(simulation.model().gravity().y() == -kGravity);  // in force until the next step
    CHECK(simulation.state_at(t).y == inside);
    const double begin = simulation.time();
    const Vec3 x = simulation.state().position(BodyId(0)),
               v = velocity(simulation.model(), simulation.state(), BodyId(0));
    REQUIRE(simulation.run_until(1.3));
    const Vec3 expected = x + (simulation.time() - begin) * v;
    CHECK((simulation.state().position(BodyId(0)) - expected).norm() < 1e-12);
    CHECK(simulation.model().gravity().isZero(0));
  }
}

TEST_CASE("a push for some time changes momentum by its impulse, and its work is counted") {
  for (const Method method : kMethods) {
    Simulation simulation = make(make_ball(), {.method = method, .live = {.push_all = true}});
    const BodyId ball(0);
    const Vec3 force(30, 10, -20), weight = simulation.model().body(ball).mass * Vec3(0, -kGravity, 0);
    REQUIRE(simulation.run_until(0.2));
    REQUIRE(simulation.push(ball, {.force = force}).empty());
    const double begin = simulation.time();
    const Vec3 before = simulation.state().momentum(ball);
    REQUIRE(simulation.run_until(0.5));
    REQUIRE(simulation.push(ball, {}).empty());
    const double time = simulation.time() - begin;
    const Vec3 after = simulation.state().momentum(ball);
    CHECK((after - before - time * (force + weight)).norm() < 1e-11 * after.norm());
    CHECK(simulation.statistics().max_energy_gain() < 1e-11);
    CHECK(simulation.balance().work > 1);
    REQUIRE(simulation.run_until(0.8));
    const Vec3 later = simulation.state().momentum(ball);
    CHECK((later - after - (simulation.time() - begin - time) * weight).norm() < 1e-11 * after.norm());
    CHECK(simulation.statistics().max_energy_drift() < 1e-11);
  }
}

TEST_CASE("a drive moves to its new target like an oscillator") {
  // Without gravity, from rest: I q'' = k (target - q) - c q'.
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::JointSpec spec{.name = "pivot",
                        .type = model::JointType::hinge,
                        .b = add(builder, "arm", Vec3(0.5, 0, 0), collision::Box{Vec3(1, 0.1, 0.1)}),
                        .axis = Vec3(0, 0, 1),
                        .drives = {{.stiffness = 100, .damping = 10}}};
  builder.add_joint(spec);
  const model::Model model = support::finished(builder);
  const double inertia = model.body(BodyId(0)).mass * ((1 + 0.01) / 12 + 0.25);
  const double decay = 10 / (2 * inertia), w = std::sqrt(100 / inertia - decay * decay);
  for (const Method method : kMethods) {
    Simulation simulation = make(model, {.method = method, .fixed_step = 1e-3});
    REQUIRE(simulation.run_until(0.2));
    CHECK(std::abs(angle_of(simulation)) < 1e-12);
    REQUIRE(simulation.set("pivot.drive.target", 0.5).empty());
    const double begin = simulation.time();
    for (const double end : {0.4, 1.0, 3.0}) {
      REQUIRE(simulation.run_until(end));
      const double t = simulation.time() - begin;
      const double expected =
          0.5 * (1 - std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t)));
      CHECK(std::abs(angle_of(simulation) - expected) < (method == Method::fast ? 2e-5 : 1e-9));
    }
  }
}

TEST_CASE("an arm that rests on its limit falls to the new one, and away from it when gravity reverses") {
  for (const Method method : kMethods) {
    Simulation simulation =
        make(make_arm({.limits = model::Range{-0.3, 0.4}, .damping = 20}), {.method = method});
    const double tolerance = method == Method::fast ? 1e-3 : 1e-9;
    REQUIRE(simulation.run_until(3));
    CHECK(std::abs(angle_of(simulation) + 0.3) < tolerance);
    REQUIRE(simulation.set("pivot.limits", std::vector<double>{-0.6, 0.4}).empty());
    REQUIRE(simulation.run_until(6));
    CHECK(std::abs(angle_of(simulation) + 0.6) < tolerance);
    REQUIRE(simulation.set("world.gravity.y", 5).empty());
    REQUIRE(simulation.run_until(12));
    CHECK(std::abs(angle_of(simulation) - 0.4) < tolerance);
    // The joint exceeds the new limit at once.
    const core::Diagnostics refused = simulation.set("pivot.limits.1", 0.1);
    if (method == Method::precise) {
      REQUIRE(refused.size() == 1);
      CHECK(refused[0].message ==
            "joint \"pivot\": it is beyond such a limit by 0.3 rad, and the precise method does not bring "
            "joints back; only the fast one does");
      CHECK(simulation.get("pivot.limits.1").value()[0] == 0.4);
      CHECK(simulation.model().joints()[0].spec->limits->hi == 0.4);
    } else {
      CHECK(refused.empty());
      const double before = angle_of(simulation);
      REQUIRE(simulation.run_until(14));
      CHECK(angle_of(simulation) < before);
    }
    REQUIRE(simulation.step().good());
  }
}

TEST_CASE("a sliding box is slowed by the current friction") {
  model::ModelBuilder builder;
  add_floor(builder);
  const BodyId box =
      add(builder, "box", Vec3(0, 0.05, 0), collision::Box{Vec3(0.4, 0.1, 0.4)}, Vec3(5, 0, 0));
  Simulation simulation = make(support::finished(builder), {.method = Method::fast});
  const auto speed = [&] { return velocity(simulation.model(), simulation.state(), box).x(); };
  REQUIRE(simulation.run_until(0.1));
  for (const double friction : {0.5, 0.2, 0.4, 0.0}) {
    REQUIRE(simulation.set("material:default.friction", friction).empty());
    const double begin = simulation.time(), v = speed();
    REQUIRE(simulation.run_until(begin + 0.2));
    const double slowed = friction * kGravity * (simulation.time() - begin);
    CHECK(std::abs(v - speed() - slowed) < 2e-3 * slowed + 1e-6);
  }
  CHECK(simulation.statistics().max_energy_gain() < 1e-6);
}

TEST_CASE("contact impulses are counted once if a run is changed in every step") {
  model::ModelBuilder builder;
  add_floor(builder);
  const BodyId box = add(builder, "box", Vec3(0, 0.05, 0), collision::Box{Vec3(0.4, 0.1, 0.4)});
  const model::Model model = support::finished(builder);
  Simulation simulation = make(
      model, {.duration = 1, .fps = 7, .method = Method::fast, .contacts = true, .live = {.push_all = true}});
  size_t steps = 0;
  while (const std::optional<Event> event = simulation.next()) {
    if (std::holds_alternative<simulate::StepReport>(*event))
      REQUIRE(simulation.push(box, {.force = Vec3(++steps % 2 ? 1 : 2, 0, 0)}).empty());
    const auto* frame = std::get_if<simulate::Frame>(&*event);
    if (!frame || frame->index < 2) continue;
    double sum = 0;
    for (const model::ContactRow& row : frame->contacts) sum += row.normal_impulse;
    CHECK(std::abs(sum * 7 / (model.body(box).mass * kGravity) - 1) < 1e-3);
  }
  CHECK(std::abs(simulation.state().position(box).x()) < 1e-4);
}

TEST_CASE("a run that was changed, saved after any event and restored, continues to the same bytes") {
  const model::Model model = make_scene();
  for (const Method method : kMethods) {
    const SimulationOptions options = everything(method);
    support::RunFiles whole;
    Simulation first = make(model, options);
    run_to_end(first, whole);
    const std::string end = first.save();

    std::vector<size_t> stops;
    for (size_t stop = 0; stop < whole.frames.size() + 2 * whole.rows.size(); stop += 7)
      stops.push_back(stop);
    // Right after inputs, while they are staged, and when they have begun to act.
    Simulation second = make(model, options);
    for (size_t i = 1; const std::optional<Event> event = second.next(); ++i) {
      if (!std::holds_alternative<simulate::StepReport>(*event)) continue;
      const std::string before = second.save();
      give_inputs(second);
      if (second.save() == before) continue;
      for (size_t k = 0; k < 4; ++k) stops.push_back(i + k);
    }

    for (const size_t stop : stops) {
      INFO("method ", to_string(method), ", stopped after ", stop, " events");
      support::RunFiles part;
      Simulation simulation = make(model, options);
      for (size_t i = 0; i < stop; ++i) {
        const std::optional<Event> event = simulation.next();
        if (!event) break;
        part.add(*event);
        if (std::holds_alternative<simulate::StepReport>(*event)) give_inputs(simulation);
      }
      const std::string saved = simulation.save();
      Simulation other = make(model, options);
      REQUIRE(other.restore(saved).empty());
      REQUIRE(other.save() == saved);
      REQUIRE(other.state().y == simulation.state().y);
      part.cut(other);
      run_to_end(other, part);
      REQUIRE(part == whole);
      REQUIRE(simulate::to_bytes(other.statistics()) == simulate::to_bytes(first.statistics()));
      REQUIRE(other.save() == end);
      // Into a run that was changed in another way.
      if (stop % 2) continue;
      REQUIRE(other.restore(saved).empty());
      CHECK(other.save() == saved);
    }
  }
}

TEST_CASE("staged inputs act after the step that a restored run repeats for its log") {
  const model::Model model = make_scene();
  for (const Method method : kMethods) {
    SimulationOptions options = everything(method);
    options.log = false;
    Simulation simulation = make(model, options);
    REQUIRE(simulation.run_until(0.2));
    REQUIRE(simulation.set("world.gravity.y", 1).empty());
    const double t = simulation.time();
    const std::string saved = simulation.save();
    REQUIRE(simulation.step().good());

    options.log = true;
    Simulation other = make(model, options);
    REQUIRE(other.restore(saved).empty());
    CHECK(other.time() < t);
    Simulation third = make(model, options);
    REQUIRE(third.restore(other.save()).empty());
    for (Simulation* run : {&other, &third}) {
      REQUIRE(run->step().good());
      CHECK(run->time() == t);
      CHECK(run->model().gravity().y() == -kGravity);
      REQUIRE(run->step().good());
      CHECK(run->model().gravity().y() == 1);
      CHECK(run->state().y == simulation.state().y);
    }
  }
}

TEST_CASE("saved runs with other pushed bodies are refused, damaged ones change nothing") {
  const model::Model model = make_scene();
  for (const Method method : kMethods) {
    Simulation simulation = make(model, everything(method));
    REQUIRE(simulation.run_until(0.3));
    REQUIRE(simulation.set("world.gravity.y", -3).empty());
    REQUIRE(simulation.step().good());
    REQUIRE(simulation.set("pivot.drive.target", 0.2).empty());
    const std::string saved = simulation.save();
    for (size_t at = 0; at < saved.size(); at += 7) {
      std::string bad = saved;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      REQUIRE_FALSE(simulation.restore(bad).empty());
      REQUIRE_FALSE(simulation.restore(saved.substr(0, at)).empty());
    }
    CHECK(simulation.save() == saved);
    SimulationOptions options = everything(method);
    options.live.pushed = {BodyId(1)};  // as many, but another one
    CHECK_FALSE(make(model, options).restore(saved).empty());
    options.live = {};
    CHECK_FALSE(make(model, options).restore(saved).empty());
  }
}

TEST_CASE("a refused input says why and changes nothing") {
  const model::Model model = make_scene();
  for (const Method method : kMethods) {
    Simulation simulation = make(model, everything(method)), other = make(model, everything(method));
    const auto refused = [&](const core::Diagnostics& faults, const std::string& text) {
      REQUIRE(faults.size() == 1);
      CHECK(faults[0].message.find(text) != std::string::npos);
    };
    refused(simulation.set("world.gravity.y", std::nan("")), "finite");
    refused(simulation.set("world.gravity", 1), "takes 3 numbers");
    refused(simulation.set("wrld.gravity.y", 1), "wrld");
    refused(simulation.set("material:default.friction", -1), "negative");
    refused(simulation.set("pivot.type", 1), "stays");
    refused(simulation.set("box.force.x", 1), "not among those to be pushed");
    refused(simulation.push(BodyId(1), {.force = Vec3(1, 0, 0)}), "not among those to be pushed");
    refused(simulation.push(BodyId(kBall), {.stiffness = -1}), "negative");
    CHECK_FALSE(simulation.get("pivot.speed"));
    // One that contradicts another staged input.
    REQUIRE(simulation.set("pivot.limits.1", 0.3).empty());
    refused(simulation.set("pivot.limits.0", 0.4), "limits");
    CHECK(simulation.get("pivot.limits").value() == std::vector<double>{-0.2, 0.3});
    REQUIRE(simulation.set("pivot.limits.1", 0.5).empty());  // as it was
    CHECK(simulation.save() == other.save());
    REQUIRE(simulation.run_until(0.4));
    REQUIRE(other.run_until(0.4));
    CHECK(simulation.save() == other.save());

    SimulationOptions options = everything(method);
    options.estimate_error = true;
    Simulation compared = make(model, options);
    refused(compared.set("world.gravity.y", 1), "error estimate");
    refused(compared.push(BodyId(kBall), {}), "error estimate");
  }
}

TEST_CASE("energy that a change of the model adds or removes at once is neither gain nor drift") {
  const model::Model ball = make_ball();
  model::ModelBuilder builder;
  const BodyId bob = add(builder, "bob", Vec3(0, 0, 0), collision::Sphere{0.1});
  builder.add_force(
      std::make_shared<model::Spring>("string", bob, Vec3(0, 0, 0), BodyId(), Vec3(0, 2, 0), 1.0, 100.0));
  const model::Model spring = support::finished(builder);
  for (const Method method : kMethods) {
    Simulation thrown = make(ball, {.method = method});
    Simulation hung = make(spring, {.method = method, .accuracy = method == Method::fast ? 1e-5 : 1e-9});
    for (int i = 1; i <= 6; ++i) {
      REQUIRE(thrown.run_until(0.2 * i));
      REQUIRE(thrown.set("world.gravity", Vec3(i, i % 2 ? 20 : -20, 1)).empty());
      REQUIRE(hung.run_until(0.2 * i));
      REQUIRE(hung.set("string.stiffness", i % 2 ? 300 : 100).empty());
    }
    CHECK(thrown.statistics().max_energy_drift() < 1e-11);
    CHECK(thrown.statistics().max_energy_gain() < 1e-11);
    CHECK(hung.statistics().max_energy_drift() < (method == Method::fast ? 1e-3 : 1e-7));
    CHECK(std::abs(hung.statistics().energy_end() - hung.statistics().energy_start()) > 1);
  }
}

TEST_CASE("a box on a compliant layer rises when the layer becomes stiffer, and keeps its shear") {
  model::ModelBuilder builder;
  add_floor(builder);
  const BodyId box = add(builder, "box", Vec3(0, 0.1, 0), collision::Box{Vec3(0.4, 0.2, 0.4)});
  const core::MaterialId material(0);
  builder.add_material_pair({.a = material, .b = material, .stiffness = 1e5, .damping = 2e3, .layer = 0.005});
  const model::Model model = support::finished(builder);
  const double load = model.body(box).mass * kGravity / 4;  // N, of each corner
  Simulation simulation = make(model, {.method = Method::fast, .live = {.push_all = true}});
  const auto x = [&] { return simulation.state().position(box).x(); };
  const auto y = [&] { return simulation.state().position(box).y(); };
  REQUIRE(simulation.push(box, {.force = Vec3(0.3 * 4 * load, 0, 0)}).empty());
  REQUIRE(simulation.run_until(2));
  const double height = y(), place = x();
  // Any change restarts the method: compression and shear of the layer stay.
  for (int i = 0; i < 20; ++i) {
    REQUIRE(simulation.set("default.restitution", i % 2 ? 0.1 : 0.2).empty());
    REQUIRE(simulation.step().good());
  }
  CHECK(std::abs(y() - height) < 1e-8);
  CHECK(std::abs(x() - place) < 1e-7);

  REQUIRE(simulation.set("default,default.stiffness", 2e5).empty());
  REQUIRE(simulation.run_until(4));
  const double rise = load * (1 / 1e5 - 1 / 2e5);
  CHECK(std::abs(y() - height - rise) < 0.01 * rise);
  CHECK(x() < place);
  CHECK(x() > place - rise);
  CHECK(simulation.statistics().max_energy_gain() < 1e-3);
}

}  // namespace live_inputs
}  // namespace
