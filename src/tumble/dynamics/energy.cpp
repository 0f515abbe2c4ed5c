#include "tumble/dynamics/energy.h"

namespace tumble::dynamics {

using model::BodyId;
using model::BodyMotion;

Balance compute_balance(const model::Model& model, const model::State& state) {
  Balance balance;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const BodyId id(i);
    const model::Body& body = model.body(id);
    if (body.is_fixed()) continue;
    const model::Vec3 x = state.position(id), P = state.momentum(id), L = state.angular_momentum(id);
    balance.kinetic +=
        0.5 * (P.dot(model::velocity(model, state, id)) + L.dot(angular_velocity(model, state, id)));
    balance.potential -= body.mass * model.gravity().dot(x);
    balance.momentum += P;
    balance.angular_momentum += L + x.cross(P);
  }
  for (size_t k = 0; k < model.forces().size(); ++k) {
    const model::ForceLaw& law = *model.forces()[k];
    const BodyMotion a = body_motion(model, state, law.a());
    const BodyMotion b = law.b().valid() ? body_motion(model, state, law.b()) : BodyMotion{};
    if (const std::optional<double> potential = law.potential(state.time, a, b))
      balance.potential += *potential, balance.stored += *potential;
    else
      balance.work += state.work[k];
  }
  for (size_t k = model.forces().size(); k < state.work.size(); ++k) balance.work += state.work[k];
  return balance;
}

std::array<double, model::kBodyLogSize> compute_body_balance(const model::Model& model,
                                                             const model::State& state, BodyId id) {
  const model::Body& body = model.body(id);
  if (body.is_fixed()) return {};
  const model::Vec3 x = state.position(id), P = state.momentum(id), L = state.angular_momentum(id);
  const model::Vec3 about_origin = L + x.cross(P);
  return {P.x(),
          P.y(),
          P.z(),
          about_origin.x(),
          about_origin.y(),
          about_origin.z(),
          0.5 * (P.dot(model::velocity(model, state, id)) + L.dot(angular_velocity(model, state, id))),
          -body.mass * model.gravity().dot(x)};
}

}  // namespace tumble::dynamics
