#include "tumble/model/state.h"

namespace tumble::model {

State start_state(const Model& model) {
  State state;
  state.y.assign(model.bodies().size() * kBodySize, 0.0);
  state.work.assign(model.work_count(), 0.0);
  for (const CountedHinge& hinge : model.counted_hinges()) state.hinge_angles.push_back(hinge.start);
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    set_motion(model, BodyId(i), body.X_WB * body.center_B, body.X_WB.rotation, body.velocity,
               body.angular_velocity, state);
  }
  return state;
}

Vec3 velocity(const Model& model, const State& state, BodyId body) {
  return model.body(body).inverse_mass * state.momentum(body);
}

Vec3 angular_velocity(const Model& model, const State& state, BodyId body) {
  const Mat3 R = state.orientation(body).to_matrix();
  return R * (model.body(body).inverse_inertia_B * (R.transpose() * state.angular_momentum(body)));
}

Pose body_pose(const Model& model, const State& state, BodyId body) {
  const Quat q = state.orientation(body);
  return {q, state.position(body) - q * model.body(body).center_B};
}

BodyMotion body_motion(const Model& model, const State& state, BodyId body) {
  return {state.position(body), state.orientation(body).to_matrix(), velocity(model, state, body),
          angular_velocity(model, state, body),
          state.hinge_angles.empty() ? nullptr : state.hinge_angles.data()};
}

BodyMotion motion_in(const Model& model, const State& state, BodyId body) {
  return body.valid() ? body_motion(model, state, body) : kWorldMotion;
}

void set_motion(const Model& model, BodyId id, const Vec3& center, const Quat& orientation,
                const Vec3& velocity, const Vec3& angular_velocity, State& state) {
  const Body& body = model.body(id);
  state.set_position(id, center);
  state.set_orientation(id, orientation);
  if (body.is_fixed()) {
    state.set_momentum(id, Vec3::Zero());
    state.set_angular_momentum(id, Vec3::Zero());
    return;
  }
  const Mat3 R = orientation.to_matrix();
  state.set_momentum(id, body.mass * velocity);
  state.set_angular_momentum(id, R * (body.inertia_B * (R.transpose() * angular_velocity)));
}

}  // namespace tumble::model
