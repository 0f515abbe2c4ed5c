// A user-defined force law in one small class: two balls attract each other by a screened force, as nucleons
// do. With the distance d between their centres, strength k and range r,
//   U(d) = -k exp(-d/r) / d,   f(d) = dU/dd = k exp(-d/r) (1/d + 1/r) / d,  towards each other
// They orbit each other for 20 s. Exits with 1 unless the energy drift is below a millionth of the kinetic
// energy.
#include <cmath>
#include <cstdio>

#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::BodyMotion, model::Vec3, model::Wrench;

constexpr double kStrength = 8, kRange = 1.5;  // k in N m^2, r in m

class Screened final : public model::ForceLaw {
 public:
  using ForceLaw::ForceLaw;  // its name in the log, and the two bodies it joins

  // What the law does to its bodies: add to their wrenches (force, and torque about the centre of mass).
  void apply(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override {
    const Vec3 span = b.center - a.center;
    const double d = span.norm(), f = kStrength * std::exp(-d / kRange) * (1 / d + 1 / kRange) / d;
    on_a.force += f / d * span;
    on_b.force -= f / d * span;
  }
  // Optional. Without a potential, the work of the force is counted instead.
  std::optional<double> potential(double, const BodyMotion& a, const BodyMotion& b) const override {
    const double d = (b.center - a.center).norm();
    return -kStrength * std::exp(-d / kRange) / d;
  }
};

model::BodySpec ball(const char* name, double x, double speed) {
  model::BodySpec spec;
  spec.name = name;
  spec.X_WB.translation = Vec3(x, 0, 0);
  spec.velocity = Vec3(0, speed, 0);
  spec.shapes.emplace_back().shape = collision::Sphere{0.1};  // of the default density, 1000 kg/m^3
  return spec;
}

int main() {
  model::ModelBuilder builder("two balls");
  builder.set_gravity(Vec3::Zero());
  const core::BodyId left = builder.add_body(ball("left", -0.5, -0.6));
  const core::BodyId right = builder.add_body(ball("right", 0.5, 0.6));
  builder.add_force(std::make_shared<Screened>("screened", left, right));
  const model::Model model = builder.finish().value();  // throws if the model is faulty; see library.md

  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.method = simulate::Method::precise, .accuracy = 1e-9}).value();
  if (!simulation.run_until(20)) return std::puts(simulation.failure().c_str()), 1;
  const double drift = simulation.statistics().max_energy_drift();
  std::printf("t = %.2f s, energy drift %.1e of the kinetic energy\n", simulation.time(), drift);
  return drift < 1e-6 ? 0 : 1;
}
