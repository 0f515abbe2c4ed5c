#include "tumble/simulate/start/prepare_start.h"

#include <algorithm>
#include <cmath>

#include "tumble/dynamics/joint_projection.h"
#include "tumble/simulate/start/script_demands.h"

namespace tumble::simulate {

using core::brief_number;
using model::State;

namespace {

std::string named(const model::JointParts& joint) { return "joint \"" + joint.name + "\""; }

// Warns of the largest change of a velocity: of the centre of mass, or angular times the bounding radius.
void warn_of_velocity_change(const model::Model& model, const State& before, const State& after,
                             const StartParameters& par, core::Diagnostics& diagnostics) {
  double largest = 0, speed = 0;
  const model::Body* worst = nullptr;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const model::BodyId id(i);
    const double radius = model.body(id).radius;
    const model::Vec3 v = velocity(model, before, id), w = angular_velocity(model, before, id);
    const double change = std::max((velocity(model, after, id) - v).norm(),
                                   radius * (angular_velocity(model, after, id) - w).norm());
    speed = std::max({speed, v.norm(), radius * w.norm()});
    if (change > largest) largest = change, worst = &model.body(id);
  }
  if (!worst || !(largest > par.round_off * speed)) return;
  const std::string scripts = describe_contradicted_scripts(
      model, model::BodyId(static_cast<size_t>(worst - model.bodies().data())), before);
  diagnostics.push_back(
      core::warning_at({}, "body \"" + worst->name + "\": its start velocity violates a joint; changed by " +
                               brief_number(largest) + " m/s, the smallest change that satisfies all joints" +
                               (scripts.empty() ? "" : "; " + scripts)));
  // Scripts of other mechanisms.
  for (const model::JointParts& joint : model.joints())
    if (const std::string script = describe_contradicted_script(model, joint, before);
        !script.empty() && scripts.find(script) == std::string::npos)
      diagnostics.push_back(core::warning_at(
          joint.place, named(joint) + ": its start velocity contradicts a script; " + script));
}

// Velocities that only scripts can ask for may contradict each other: then no velocity closes all joints, and
// the run ends soon.
void warn_of_contradictions(const model::Model& model, const State& closed, const StartParameters& par,
                            core::Diagnostics& diagnostics) {
  double speed = 0, worst_error = 0, worst_size = 0;
  const model::JointParts* worst = nullptr;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const model::BodyId id(i);
    speed = std::max({speed, velocity(model, closed, id).norm(),
                      model.body(id).radius * angular_velocity(model, closed, id).norm()});
  }
  for (const model::JointParts& joint : model.joints()) {
    if (!joint.constraint) continue;
    const model::Constraint& constraint = *model.constraints()[*joint.constraint];
    const double size = model.size_of(constraint);
    const model::BodyMotion a = motion_in(model, closed, constraint.a()),
                            b = motion_in(model, closed, constraint.b());
    model::ConstraintRows rows;
    constraint.evaluate(closed.time, a, b, rows);
    for (int i = 0; i < constraint.rows(); ++i) {
      const auto in_meters = [&](double x) {
        return std::abs(dynamics::gap_in_meters(constraint, i, size, x));
      };
      speed = std::max(speed, in_meters(rows.rate[i]));
      const double error = in_meters(speed_of_row(constraint, rows, i, a, b));
      if (error > worst_error) worst_error = error, worst = &joint, worst_size = size;
    }
  }
  if (!worst || !(worst_error > par.contradiction * speed && worst_error > par.round_off * worst_size))
    return;
  const std::string scripts = list_scripts(model, worst->b);
  diagnostics.push_back(
      core::warning_at(worst->place, named(*worst) +
                                         ": the velocities that scripts and joints ask for at the start "
                                         "contradict each other, and " +
                                         brief_number(worst_error) + " m/s are left here; " +
                                         (scripts.empty() ? "" : "look at " + scripts + ", and ") +
                                         "let them begin with equal velocities, or at rest"));
}

// Computes the nearest state with closed joints.
core::Expected<State> close_joints(const model::Model& model, const StartParameters& par) {
  State state = start_state(model);
  dynamics::ConstrainedBodies bodies(model);
  if (!bodies.has_constraints()) return state;

  core::Diagnostics diagnostics;
  bodies.compute_gap(state.time, state.y.data());
  for (const model::JointParts& joint : model.joints()) {
    if (!joint.constraint) continue;
    const double size = model.size_of(*model.constraints()[*joint.constraint]),
                 gap = bodies.gap_of(*joint.constraint);
    if (gap > par.largest_joint_gap * size)
      diagnostics.push_back(core::error_at(
          joint.place,
          named(joint) + " is open by " + brief_number(gap) +
              " m at the start, more than a tenth of its bodies' size (" + brief_number(size) + " m); " +
              (model.constraints()[*joint.constraint]->moves()
                   ? "does its script begin where the joint stands? If so, check its points and axes"
                   : "move the bodies together, or check the joint's points and axes")));
    else if (gap > par.round_off * size)
      diagnostics.push_back(
          core::warning_at(joint.place, named(joint) + " was open by " + brief_number(gap) +
                                            " m at the start; its bodies were moved together"));
  }
  if (core::has_errors(diagnostics)) return diagnostics;

  State closed = state;
  const dynamics::JointGap left =
      dynamics::JointProjection(bodies).project(state.time, closed.y.data(), closed.hinge_angles.data());
  if (left.constraint != dynamics::kNone) {
    const auto c = static_cast<size_t>(left.constraint);
    const model::JointParts& joint =
        *std::find_if(model.joints().begin(), model.joints().end(),
                      [&](const model::JointParts& j) { return j.constraint == c; });
    if (!(left.error <= par.round_off * model.size_of(*model.constraints()[c])))
      return core::error_at(joint.place, named(joint) + " cannot be closed together with the other joints: " +
                                             brief_number(left.error) +
                                             " m stay open; the joints contradict each other");
  }
  if (!std::all_of(closed.y.begin(), closed.y.end(), [](double v) { return std::isfinite(v); }))
    return core::error_at({}, "the joints and scripts ask for start velocities that are no finite numbers");
  warn_of_contradictions(model, closed, par, diagnostics);
  warn_of_velocity_change(model, state, closed, par, diagnostics);
  return {std::move(closed), std::move(diagnostics)};
}

}  // namespace

core::Expected<Start> prepare_start(const model::Model& model, double accuracy,
                                    const Parameters& parameters) {
  core::Expected<State> closed = close_joints(model, parameters.start);
  if (!closed) return closed.diagnostics();
  core::Expected<Separated> apart =
      separate(model, *closed, accuracy, model.run_options().settle, parameters);
  core::Diagnostics diagnostics = closed.diagnostics();
  diagnostics.insert(diagnostics.end(), apart.diagnostics().begin(), apart.diagnostics().end());
  if (!apart) return diagnostics;
  return {Start{std::move(apart->state), std::move(apart->touching), std::move(apart->tight)},
          std::move(diagnostics)};
}

}  // namespace tumble::simulate
