// tumble: maximal coordinates, the default method, over its whole range of accuracies.
#include <cmath>
#include <memory>

#include "joints/peers/chain.h"
#include "joints/peers/tumble_model.h"
#include "tumble/simulate/simulation.h"

namespace peers {

using namespace tumble;

model::Model build_tumble_model(const Chain& chain) {
  model::ModelBuilder builder(chain.name);
  builder.set_gravity(model::Vec3(0, -kGravity, 0));
  const std::vector<Place> places = start_places(chain);
  model::BodyId last;
  Vector3d speed = Vector3d::Zero();  // of the joint above
  for (size_t i = 0; i < chain.links.size(); ++i) {
    const Link& link = chain.links[i];
    const Quaterniond& q = link.rotation;
    model::BodySpec body;
    body.name = "b" + std::to_string(i);
    body.X_WB = {math::Quat::from_wxyz(q.w(), q.x(), q.y(), q.z()), places[i].center};
    body.inertia = model::GivenInertia{.mass = link.mass, .moments = link.moments};
    body.angular_velocity = link.angular_velocity;
    body.velocity = speed - link.angular_velocity.cross(q * link.above);
    speed = body.velocity + link.angular_velocity.cross(q * link.below);
    const model::BodyId id = builder.add_body(body);
    builder.add_joint({.name = "j" + std::to_string(i),
                       .type = chain.planar ? model::JointType::hinge : model::JointType::ball,
                       .a = last,
                       .b = id,
                       .at = places[i].center + q * link.above,
                       .axis = chain.planar ? model::Vec3::UnitZ() : model::Vec3(model::Vec3::Zero())});
    last = id;
  }
  return builder.finish().value();
}

namespace {

Outcome run(const model::Model& model, double duration, double accuracy) {
  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.method = simulate::Method::precise, .accuracy = accuracy})
          .value();
  const double begin = thread_seconds();
  if (!simulation.run_until(duration)) return {};
  const model::State state = simulation.state_at(duration);
  Outcome outcome;
  outcome.cpu = thread_seconds() - begin;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const math::Quat q = state.orientation(model::BodyId(i));
    outcome.places.push_back({state.position(model::BodyId(i)), Quaterniond(q.w(), q.x(), q.y(), q.z())});
  }
  return outcome;
}

}  // namespace

std::vector<Setting> tumble_settings(const Chain& chain) {
  std::vector<Setting> settings;
  const auto model = std::make_shared<const model::Model>(build_tumble_model(chain));
  for (double exponent = -1; exponent > -13.1; exponent -= 0.25) {
    const double accuracy = std::pow(10, exponent);
    settings.push_back({"tumble", "accuracy", accuracy, [model, accuracy, duration = chain.duration] {
                          return run(*model, duration, accuracy);
                        }});
  }
  return settings;
}

}  // namespace peers
