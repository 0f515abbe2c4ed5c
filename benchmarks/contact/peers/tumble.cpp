// tumble: the fast method over a range of accuracies (the default is 1e-3) and with steps of 1/60 s. Without
// contact also the precise method.
#include "contact/peers/world.h"
#include "contact/peers/world_model.h"
#include "tumble/contact/pair_tracker.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/simulation.h"

namespace contact_peers {

using namespace tumble;

namespace {

math::Quat quat(const Quaterniond& q) { return math::Quat::from_wxyz(q.w(), q.x(), q.y(), q.z()); }

model::BodyId id_of(int body) {
  return body < 0 ? model::BodyId() : model::BodyId(static_cast<size_t>(body));
}

std::vector<Motion> motions_of(const model::Model& model, const model::State& state) {
  std::vector<Motion> motions;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const model::BodyId body(i);
    const math::Quat q = state.orientation(body);
    motions.push_back(
        {state.position(body), Quaterniond(q.w(), q.x(), q.y(), q.z()),
         model.body(body).is_fixed() ? Vector3d(Vector3d::Zero()) : velocity(model, state, body),
         model.body(body).is_fixed() ? Vector3d(Vector3d::Zero()) : angular_velocity(model, state, body)});
  }
  return motions;
}

class Tumble final : public Engine {
 public:
  Tumble(const World& world, const simulate::SimulationOptions& options)
      : simulation_(simulate::Simulation::create(build_model(world), options).value()),
        shown_(simulation_.state()) {}
  bool advance() override {
    const double time = static_cast<double>(++frame_) / kFramesPerSecond;
    if (!simulation_.run_until(time)) return false;
    shown_ = simulation_.state_at(time);
    return true;
  }
  std::vector<Motion> read() override { return motions_of(simulation_.model(), shown_); }

 private:
  simulate::Simulation simulation_;
  model::State shown_;
  long frame_ = 0;
};

Setting make_setting(const std::string& name, int rate, const simulate::SimulationOptions& options,
                     double apart = 0) {
  return {"tumble", name, rate, [=](const World& world) { return std::make_unique<Tumble>(world, options); },
          apart};
}

// The largest contact offset of two bodies.
double kept_apart(const World& world, double accuracy) {
  if (!world.collide) return 0;
  const model::Model model = build_model(world);
  double most = 0, extent = 0;
  for (const Thing& thing : world.things) extent = std::max(extent, thing.start.center.norm());
  for (size_t i = 0; i < world.things.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!world.things[i].fixed() || !world.things[j].fixed())
        most = std::max(most, contact::compute_contact_offset(model, model::BodyId(i), model::BodyId(j),
                                                              accuracy, extent));
  return most;
}

}  // namespace

model::Model build_model(const World& world) {
  model::ModelBuilder builder(world.name);
  builder.set_gravity(model::Vec3(0, -kGravity, 0));
  const model::MaterialId material =
      builder.add_material({.name = "all", .friction = world.friction, .restitution = world.restitution});
  builder.add_material_pair(
      {.a = material, .b = material, .friction = world.friction, .restitution = world.restitution});
  for (size_t i = 0; i < world.things.size(); ++i) {
    const Thing& thing = world.things[i];
    model::BodySpec body;
    body.name = "b" + std::to_string(i);
    body.fixed = thing.fixed();
    body.X_WB = {quat(thing.start.rotation), thing.start.center};
    body.velocity = thing.start.velocity;
    body.angular_velocity = thing.start.angular_velocity;
    if (!thing.fixed()) body.inertia = model::GivenInertia{.mass = thing.mass, .moments = thing.moments};
    model::ShapeSpec& shape = body.shapes.emplace_back();
    if (thing.capsule())
      shape.shape = collision::Capsule{thing.radius, thing.length};
    else
      shape.shape = collision::Box{2 * thing.half};
    shape.material = material;
    shape.collide = world.collide;
    builder.add_body(body);
  }
  for (size_t i = 0; i < world.links.size(); ++i) {
    const Link& link = world.links[i];
    model::JointSpec joint;
    joint.name = "j" + std::to_string(i);
    joint.type = link.hinge ? model::JointType::hinge : model::JointType::ball;
    joint.a = id_of(link.a), joint.b = id_of(link.b);
    joint.at = link.at;
    joint.damping = link.damping;
    if (link.hinge || link.swing > 0) joint.axis = link.axis;
    if (link.lo != link.hi) joint.limits = model::Range{link.lo, link.hi};
    if (link.swing > 0) {
      joint.swing = {link.swing};
      joint.twist = model::Range{-link.twist, link.twist};
    }
    builder.add_joint(joint);
  }
  for (const auto& [a, b] : world.ignored) builder.ignore_pair(id_of(a), id_of(b));
  return builder.finish().value();
}

std::vector<Setting> tumble_settings(const World& world) {
  using simulate::Method;
  std::vector<Setting> settings;
  settings.push_back(make_setting("fast", 60, {.method = Method::fast, .fixed_step = 1.0 / 60},
                                  kept_apart(world, simulate::kDefaultFastAccuracy)));
  for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
    if (world.collide && world.many() && accuracy < 0.9e-3) continue;
    char name[20];
    std::snprintf(name, sizeof name, "fast-%.0e", accuracy);
    settings.push_back(
        make_setting(name, 0, {.method = Method::fast, .accuracy = accuracy}, kept_apart(world, accuracy)));
  }
  if (world.collide) return settings;
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6}) {
    char name[20];
    std::snprintf(name, sizeof name, "precise-%.0e", accuracy);
    settings.push_back(make_setting(name, 0, {.method = Method::precise, .accuracy = accuracy}));
  }
  return settings;
}

}  // namespace contact_peers
