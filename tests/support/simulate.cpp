#include "support/simulate.h"

#include <cmath>
#include <stdexcept>

namespace support {

using namespace tumble;

namespace {

void step_or_throw(simulate::RungeKuttaStepper& driver, const model::Model& model, model::State& state,
                   simulate::RungeKuttaMemory& control) {
  const simulate::StepReport report = driver.step(state, control);
  if (!report.good()) throw std::runtime_error(describe(report, model, state.time));
}

template <typename T>
T value_or_throw(core::Expected<T> result) {
  if (result) return std::move(result).value();
  std::string text;
  for (const core::Diagnostic& d : result.diagnostics()) text += to_string(d) + "\n";
  throw std::runtime_error(text);
}

}  // namespace

model::State simulate_to(const model::Model& model, double t_end,
                         const simulate::RungeKuttaOptions& options) {
  simulate::RungeKuttaStepper driver(model, options);
  simulate::RungeKuttaMemory control;
  model::State state = start_state(model);
  while (state.time < t_end) step_or_throw(driver, model, state, control);
  if (state.time != t_end) driver.state_at(t_end, state);
  return state;
}

void simulate_frames(const model::Model& model, double t_end, double fps,
                     const simulate::RungeKuttaOptions& options,
                     const std::function<void(const model::State&)>& look) {
  simulate::RungeKuttaStepper driver(model, options);
  simulate::RungeKuttaMemory control;
  model::State state = start_state(model), frame = state;
  look(state);
  for (long k = 1; k <= std::lround(t_end * fps); ++k) {
    const double t = static_cast<double>(k) / fps;
    while (state.time < t) step_or_throw(driver, model, state, control);
    driver.state_at(t, frame);
    look(frame);
  }
}

long simulate_steps(const model::Model& model, double t_end, const simulate::RungeKuttaOptions& options,
                    const std::function<void(const model::State&)>& look) {
  simulate::RungeKuttaStepper driver(model, options);
  simulate::RungeKuttaMemory control;
  model::State state = start_state(model);
  look(state);
  long steps = 0;
  for (; state.time < t_end; ++steps) {
    step_or_throw(driver, model, state, control);
    look(state);
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
