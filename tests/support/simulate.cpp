#include "support/simulate.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace support {

using namespace tumble;

namespace {

void step_or_throw(simulate::Simulation& simulation) {
  if (!simulation.step().good()) throw std::runtime_error(simulation.failure());
}

template <typename T>
T value_or_throw(core::Expected<T> result) {
  if (result) return std::move(result).value();
  std::string text;
  for (const core::Diagnostic& d : result.diagnostics()) text += to_string(d) + "\n";
  throw std::runtime_error(text);
}

}  // namespace

simulate::Simulation make_simulation(const model::Model& model, simulate::SimulationOptions options) {
  options.duration = std::numeric_limits<double>::infinity();
  if (options.method == simulate::Method::automatic) options.method = simulate::Method::precise;
  return value_or_throw(simulate::Simulation::create(model, options));
}

model::State simulate_to(const model::Model& model, double t_end,
                         const simulate::SimulationOptions& options) {
  simulate::Simulation simulation = make_simulation(model, options);
  while (simulation.time() < t_end) step_or_throw(simulation);
  return simulation.state_at(t_end);
}

void simulate_frames(const model::Model& model, double t_end, double fps,
                     const simulate::SimulationOptions& options,
                     const std::function<void(const model::State&)>& look) {
  simulate::Simulation simulation = make_simulation(model, options);
  look(simulation.state());
  for (long k = 1; k <= std::lround(t_end * fps); ++k) {
    const double t = static_cast<double>(k) / fps;
    while (simulation.time() < t) step_or_throw(simulation);
    look(simulation.state_at(t));
  }
}

long simulate_steps(const model::Model& model, double t_end, const simulate::SimulationOptions& options,
                    const std::function<void(const model::State&)>& look) {
  simulate::Simulation simulation = make_simulation(model, options);
  look(simulation.state());
  long steps = 0;
  for (; simulation.time() < t_end; ++steps) {
    step_or_throw(simulation);
    look(simulation.state());
  }
  return steps;
}

scene::Scene load(const std::string& name) {
  return value_or_throw(scene::load_scene(std::string(TUMBLE_SOURCE_DIR) + "/scenes/" + name + ".xml"));
}

model::Model finished(model::ModelBuilder& builder) { return value_or_throw(builder.finish()); }

model::Model single_body(const model::Vec3& moments, const model::Vec3& omega, const model::Vec3& gravity) {
  model::ModelBuilder builder;
  builder.set_gravity(gravity);
  model::BodySpec body;
  body.name = "body";
  body.angular_velocity = omega;
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 1;
  body.inertia->moments = moments;
  builder.add_body(body);
  return finished(builder);
}

double fitted_slope(const std::vector<double>& steps, const std::vector<double>& errors) {
  const double n = static_cast<double>(steps.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace support
