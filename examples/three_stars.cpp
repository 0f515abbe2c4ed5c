// A law among all bodies of a group: gravitation. One call gives every pair of stars its law. Three stars of
// equal mass chase each other along a figure of eight (Chenciner and Montgomery, 2000). Exits with 1 unless,
// after one period, they are back where they began. Start and period are known to eight digits.
#include <algorithm>
#include <cstdio>

#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;

constexpr double kConstant = 1;         // N m^2/kg^2, of gravitation: not that of nature
constexpr double kPeriod = 6.32591398;  // s

static void add_star(model::ModelBuilder& builder, const char* name, const Vec3& place,
                     const Vec3& velocity) {
  model::BodySpec spec;
  spec.name = name;
  spec.group = "stars";
  spec.X_WB.translation = place;
  spec.velocity = velocity;
  spec.inertia = model::GivenInertia{.mass = 1, .moments = Vec3(0.001, 0.001, 0.001)};
  spec.shapes.push_back({.shape = collision::Sphere{0.05}});  // for pictures
  builder.add_body(spec);
}

int main() {
  model::ModelBuilder builder("three stars");
  builder.set_gravity(Vec3::Zero());
  const Vec3 place(0.97000436, -0.24308753, 0), velocity(-0.93240737, -0.86473146, 0);
  add_star(builder, "one", place, -0.5 * velocity);
  add_star(builder, "two", -place, -0.5 * velocity);
  add_star(builder, "three", Vec3::Zero(), velocity);

  // Called once for each pair. Any law will do, also one of your own (custom_force.cpp).
  builder.add_forces_among("stars", [&](core::BodyId a, core::BodyId b) {
    const double masses = builder.body(a).mass * builder.body(b).mass;
    const std::string name = builder.body(a).name + "-" + builder.body(b).name;
    return std::make_shared<model::InverseSquare>(name, a, b, kConstant * masses);
  });
  const model::Model model = builder.finish().value();

  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.method = simulate::Method::precise, .accuracy = 1e-10}).value();
  const model::State start = simulation.state();
  if (!simulation.run_until(kPeriod)) return std::puts(simulation.failure().c_str()), 1;
  const model::State end = simulation.state_at(kPeriod);
  double farthest = 0;  // m
  for (size_t i = 0; i < model.bodies().size(); ++i)
    farthest = std::max(farthest, (end.position(core::BodyId(i)) - start.position(core::BodyId(i))).norm());
  std::printf("%zu laws; after one period the stars are %.1e m from where they began\n",
              model.forces().size(), farthest);
  return farthest < 1e-5 ? 0 : 1;
}
