#include "tumble/simulate/scales.h"

#include <algorithm>

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/model/body_script.h"
#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

using model::Body;
using model::BodyId;

namespace {

// The largest acceleration of any point of a body at the start, as if all bodies were at rest. Dampers,
// however strong, do not count: they end a motion, and large steps do not have to resolve how.
double compute_start_acceleration(const model::Model& model) {
  dynamics::EquationsOfMotion equations(model);
  model::State at_rest = start_state(model);
  for (size_t i = 0; i < model.bodies().size(); ++i)
    for (size_t k = model::kMomentumAt; k < model::kBodySize; ++k) at_rest.y[i * model::kBodySize + k] = 0;
  const std::vector<double> y = equations.layout().vector_of(at_rest);
  std::vector<double> slope(equations.size());
  equations.compute_slope(0, y.data(), slope.data());
  double largest = 0;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    const double* s = &slope[i * model::kBodySize];
    const model::Vec3 force(s[model::kMomentumAt], s[model::kMomentumAt + 1], s[model::kMomentumAt + 2]);
    const model::Vec3 torque(s[model::kAngularMomentumAt], s[model::kAngularMomentumAt + 1],
                             s[model::kAngularMomentumAt + 2]);
    const model::Mat3 R = body.X_WB.rotation.to_matrix();
    const model::Vec3 turning = R * (body.inverse_inertia_B * (R.transpose() * torque));
    largest = std::max(largest, body.inverse_mass * force.norm() + turning.norm() * body.radius);
  }
  return largest;
}

}  // namespace

Scales compute_scales(const model::Model& model) {
  Scales scales;
  std::vector<double> radii, radii_on_paths;
  double fastest = 0, by_path = 0;
  for (const Body& body : model.bodies()) {
    if (body.is_fixed()) continue;
    (body.is_dynamic() ? radii : radii_on_paths).push_back(body.radius);
    fastest = std::max(fastest, body.velocity.norm() + body.angular_velocity.norm() * body.radius);
  }
  for (const auto& constraint : model.constraints())
    if (const auto* script = dynamic_cast<const model::BodyScript*>(constraint.get())) {
      const auto extent = script->path().compute_extent(model.body(script->b()).radius);
      fastest = std::max(fastest, extent.speed), by_path = std::max(by_path, extent.acceleration);
    }
  if (radii.empty()) std::swap(radii, radii_on_paths);
  if (radii.empty()) {
    scales.time_reason = "1 s: nothing moves";
    return scales;
  }
  // The median; for an even number the geometric mean of the middle two, which scales exactly with powers of
  // two.
  std::sort(radii.begin(), radii.end());
  scales.length = math::sqrt(radii[(radii.size() - 1) / 2] * radii[radii.size() / 2]);

  const double by_gravity = model.gravity().norm(), by_motion = fastest * fastest / scales.length;
  const double by_force = std::max(compute_start_acceleration(model), by_path);
  if (by_gravity > kScales.negligible_gravity * std::max(by_motion, by_force)) {
    scales.acceleration = by_gravity;
    scales.time_reason = "sqrt(L/gravity)";
  } else if (by_motion > by_force) {
    scales.acceleration = by_motion;
    scales.time_reason = "L/(speed of the fastest point at the start or on a path); gravity is negligible";
  } else if (by_force > 0) {
    scales.acceleration = by_force;
    scales.time_reason =
        "sqrt(L/largest acceleration at the start or on a path); gravity and motion are negligible";
  } else {
    scales.acceleration = scales.length;
    scales.time_reason = "1 s: there is neither gravity nor motion nor force at the start";
  }
  scales.time = math::sqrt(scales.length / scales.acceleration);
  scales.speed = scales.length / scales.time;
  return scales;
}

}  // namespace tumble::simulate
