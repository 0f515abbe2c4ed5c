#include "tumble/simulate/start/script_demands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tumble/model/body_script.h"

namespace tumble::simulate {

namespace {

using core::BodyId;

/// Speeds below this part of the larger one differ by rounding only.
constexpr double kSameSpeed = 1e-9;

const model::Constraint* script_of(const model::Model& model, const model::JointParts& joint) {
  if (!joint.constraint) return nullptr;
  const model::Constraint& constraint = *model.constraints()[*joint.constraint];
  return constraint.moves() ? &constraint : nullptr;
}

const model::BodyScript* body_script_of(const model::Model& model, const model::JointParts& joint) {
  return dynamic_cast<const model::BodyScript*>(script_of(model, joint));
}

// The joints that a body depends on. What a body on a path does depends on nothing.
std::vector<const model::JointParts*> find_joints_behind(const model::Model& model, BodyId body) {
  std::vector<char> reached(model.bodies().size(), 0), taken(model.joints().size(), 0);
  std::vector<const model::JointParts*> joints;
  std::vector<BodyId> open = {body};
  reached[body.index()] = 1;
  while (!open.empty()) {
    const BodyId at = open.back();
    open.pop_back();
    const bool passes = model.body(at).is_dynamic() || at == body;
    for (size_t i = 0; i < model.joints().size(); ++i) {
      const model::JointParts& joint = model.joints()[i];
      if (taken[i] || (joint.a != at && joint.b != at)) continue;
      if (!passes && !body_script_of(model, joint)) continue;
      taken[i] = 1;
      joints.push_back(&joint);
      for (const BodyId next : {joint.a, joint.b})
        if (next.valid() && !model.body(next).is_fixed() && !std::exchange(reached[next.index()], 1))
          open.push_back(next);
    }
  }
  return joints;
}

std::string name_of(const model::Model& model, const model::JointParts& joint) {
  return body_script_of(model, joint) ? "the script of body \"" + model.body(joint.b).name + "\""
                                      : "the script of joint \"" + joint.name + "\"";
}

// The speed that script rows of a constraint prescribe, and the one of the state. The rows are all angles or
// all lengths.
struct Demand {
  double prescribed = 0, present = 0, difference = 0;  // rad/s or m/s
};

Demand compute_demand(const model::Model& model, const model::Constraint& script, int first, int last,
                      const model::State& state) {
  model::ConstraintRows rows;
  const model::BodyMotion a = motion_in(model, state, script.a()), b = motion_in(model, state, script.b());
  script.evaluate(state.time, a, b, rows);
  Demand squares;
  for (int i = first; i < last; ++i) {
    const double error = speed_of_row(script, rows, i, a, b), asked = -rows.rate[i];
    squares.prescribed += asked * asked;
    squares.present += (error + asked) * (error + asked);
    squares.difference += error * error;
  }
  return {std::sqrt(squares.prescribed), std::sqrt(squares.present), std::sqrt(squares.difference)};
}

bool is_contradicted(const Demand& demand) {
  return demand.difference > kSameSpeed * std::max(demand.prescribed, demand.present);
}

// Whether the velocities open a joint of a body that follows a path.
bool is_carried_wrongly(const model::Model& model, BodyId body, const model::State& state) {
  const double speed = velocity(model, state, body).norm() +
                       model.body(body).radius * angular_velocity(model, state, body).norm();
  return std::any_of(model.joints().begin(), model.joints().end(), [&](const model::JointParts& joint) {
    if (!joint.constraint || (joint.a != body && joint.b != body) || script_of(model, joint)) return false;
    const model::Constraint& constraint = *model.constraints()[*joint.constraint];
    return compute_demand(model, constraint, 0, constraint.rows(), state).difference > kSameSpeed * speed;
  });
}

}  // namespace

std::string describe_contradicted_script(const model::Model& model, const model::JointParts& joint,
                                         const model::State& state) {
  const model::Constraint* script = script_of(model, joint);
  if (!script) return "";
  if (const model::BodyScript* of_body = body_script_of(model, joint)) {
    if (!is_carried_wrongly(model, joint.b, state)) return "";
    const model::BodyPath::Point start = of_body->path().at(state.time);
    return name_of(model, joint) + " prescribes " + core::brief_number(start.velocity.norm()) + " m/s and " +
           core::brief_number(start.rotation.w.norm()) + " rad/s";
  }
  const int first = script->first_script_row();
  const Demand demand = compute_demand(model, *script, first, script->rows(), state);
  if (!is_contradicted(demand)) return "";
  const char* unit = script->is_angle(first) ? " rad/s" : " m/s";
  return name_of(model, joint) + " prescribes " + core::brief_number(demand.prescribed) + unit +
         " and the start has " + core::brief_number(demand.present) + unit;
}

std::string describe_contradicted_scripts(const model::Model& model, BodyId body, const model::State& state) {
  std::string text;
  for (const model::JointParts* joint : find_joints_behind(model, body))
    if (const std::string script = describe_contradicted_script(model, *joint, state); !script.empty())
      text += (text.empty() ? "" : "; ") + script;
  return text;
}

std::string list_scripts(const model::Model& model, BodyId body) {
  std::string text;
  for (const model::JointParts* joint : find_joints_behind(model, body))
    if (script_of(model, *joint)) text += (text.empty() ? "" : " and ") + name_of(model, *joint);
  return text;
}

}  // namespace tumble::simulate
