// Creates the rows, limits and force laws of a joint from its specification.
#include <algorithm>
#include <cmath>

#include "tumble/core/require.h"
#include "tumble/model/joint_check.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/joint_values.h"
#include "tumble/model/model_builder.h"
#include "tumble/model/tolerances.h"

namespace tumble::model {

bool ModelBuilder::check_joint(const JointSpec& spec) {
  const size_t faults = diagnostics_.size(), n = model_.bodies_.size();
  const Refuse refuse = [&](const std::string& what) {
    fail(spec.place, "joint \"" + spec.name + "\": " + what);
  };
  if (!joint_names_.insert(spec.name).second)
    refuse("another joint has this name already; names must be unique");
  if (!spec.b.valid() || spec.b.index() >= n || (spec.a.valid() && spec.a.index() >= n))
    refuse("it needs a body b, and its bodies must have been added before");
  else if (spec.a == spec.b)
    refuse("a and b are the same body");
  else if (!model_.body(spec.b).becomes_dynamic() &&
           (!spec.a.valid() || !model_.body(spec.a).becomes_dynamic()))
    refuse("neither side can be pushed: each is fixed, follows a script or is the world");
  check_joint_spec(spec, refuse);
  return diagnostics_.size() == faults;
}

JointFrames ModelBuilder::compute_joint_frames(const JointSpec& spec) const {
  const WorldFrames world = kind_of(spec.type).compute_frames(spec);
  return {arm_of(spec.a, world.origin_a), arm_of(spec.b, world.origin_b),
          start_pose(spec.a).rotation.transpose() * world.axes_a,
          start_pose(spec.b).rotation.transpose() * world.axes_b};
}

BodyMotion ModelBuilder::start_pose(BodyId id) const {
  BodyMotion motion;
  if (!id.valid()) return motion;
  motion.center = start_center(id);
  motion.rotation = model_.body(id).X_WB.rotation.to_matrix();
  return motion;
}

void ModelBuilder::add_joint(const JointSpec& spec) {
  if (!check_joint(spec)) return;
  const JointFrames frames = compute_joint_frames(spec);
  JointParts parts{
      .name = spec.name, .type = to_string(spec.type), .a = spec.a, .b = spec.b, .arm_B = frames.arm_B};
  parts.place = spec.place;
  parts.spec = std::make_shared<JointSpec>(spec);
  parts.frames = frames;
  parts.first_limit = model_.limits_.size();
  parts.first_force = model_.forces_.size();
  add_joint_rows(spec, frames, parts);
  parts.counted = count_turns(spec, frames);
  add_joint_limits(spec, frames, parts.counted);
  add_joint_forces(spec, frames, parts.counted, parts);
  parts.end_limit = model_.limits_.size();
  parts.end_force = model_.forces_.size();
  model_.joints_.push_back(std::move(parts));
  if (!spec.collide && spec.a.valid()) ignore_pair(spec.a, spec.b);
}

void ModelBuilder::add_constraint(std::shared_ptr<const Constraint> constraint) {
  JointParts parts{
      .name = constraint->name(), .type = constraint->type(), .a = constraint->a(), .b = constraint->b()};
  parts.constraint = add_rows(std::move(constraint));
  model_.joints_.push_back(std::move(parts));
}

void ModelBuilder::add_script(BodyId id, const PathSpec& spec, const core::Place& place) {
  TUMBLE_REQUIRE(id.valid() && id.index() < model_.bodies_.size(), "the body must have been added before");
  Body& body = model_.bodies_[id.index()];
  const auto refuse = [&](const std::string& what) {
    fail(place, "body \"" + body.name + "\": script: " + what);
  };
  if (body.is_fixed()) return refuse("the body is fixed; a body on a path must not be");
  if (!body.is_dynamic()) return refuse("the body has a script already; put all keys into one");
  if (const std::string fault = find_path_fault(spec); !fault.empty()) return refuse(fault);
  if (spec.release <= 0) return refuse("it is released before it begins; remove the script");
  auto script = std::make_shared<BodyScript>(body.name, id, BodyPath(spec, body.X_WB, body.center_B));
  const BodyPath::Point start = script->path().at(0);
  const Quat rotation = Quat::from_matrix(start.rotation.E);
  const double moved = (start.center - start_center(id)).norm(),
               turned = math::angle_between(rotation, body.X_WB.rotation) * body.radius;
  if (spec.pose_given && std::max(moved, turned) > kScriptStartSlack * body.radius)
    diagnostics_.push_back(core::warning_at(
        place, "body \"" + body.name + "\": its script begins elsewhere; it starts there, " +
                   core::brief_number(std::max(moved, turned)) + " m from its own position and rotation"));
  body.X_WB.rotation = rotation;
  body.X_WB.translation = start.center - start.rotation.E * body.center_B;
  body.velocity = start.velocity;
  body.angular_velocity = start.rotation.w;
  body.mobility = Mobility::kinematic;
  body.release = spec.release;
  JointParts parts{.name = body.name + ".script", .type = script->type(), .a = {}, .b = id};
  parts.place = place;
  parts.first_limit = parts.end_limit = model_.limits_.size();
  parts.first_force = parts.end_force = model_.forces_.size();
  parts.constraint = add_rows(std::move(script));
  model_.joints_.push_back(std::move(parts));
}

size_t ModelBuilder::add_rows(std::shared_ptr<const Constraint> constraint) {
  const size_t index = model_.constraints_.size();
  if (constraint->moves()) model_.moving_constraints_.push_back(index);
  model_.constraints_.push_back(std::move(constraint));
  return index;
}

void ModelBuilder::add_joint_rows(const JointSpec& spec, const JointFrames& frames, JointParts& parts) {
  std::vector<Curve> script;
  if (!spec.script.empty()) script.emplace_back(spec.script);
  if (!spec.script_rotation[0].empty())
    script = make_curves({spec.script_rotation[0], spec.script_rotation[1], spec.script_rotation[2]});
  const JointKind& kind = kind_of(spec.type);
  const double target = kind.compute_target ? kind.compute_target(spec) : 0;

  if (!script.empty())
    parts.constraint =
        add_rows(std::make_shared<Joint>(spec.name, spec.type, spec.a, spec.b, frames, std::move(script)));
  else if (!spec.range)  // a rope or strut has limits but no rows
    parts.constraint =
        add_rows(std::make_shared<Joint>(spec.name, spec.type, spec.a, spec.b, frames, target));
}

// Springs, drives with stiffness, and limits with a range of 2 pi or more need the unwrapped angle. Other
// limits do not.
int ModelBuilder::count_turns(const JointSpec& spec, const JointFrames& frames) {
  bool pulls = spec.stiffness > 0;
  for (const DriveSpec& drive : spec.drives) pulls = pulls || drive.stiffness > 0;
  const bool wide = spec.limits && spec.limits->hi - spec.limits->lo >= 2 * math::kPi;
  if (kind_of(spec.type).coordinate != JointCoordinate::angle || !(pulls || wide)) return rows::kNotCounted;
  model_.counted_hinges_.push_back({spec.a, spec.b, frames, -spec.zero});
  return static_cast<int>(model_.counted_hinges_.size()) - 1;
}

void ModelBuilder::add_joint_limits(const JointSpec& spec, const JointFrames& frames, int counted) {
  // The start pose must satisfy the limit.
  const auto add = [&](std::shared_ptr<const Limit> limit) {
    ConstraintRows rows;
    limit->evaluate(0, start_pose(spec.a), start_pose(spec.b), rows);
    if (!(rows.value[0] >= -kLimitStartSlack))
      fail(spec.place, "joint \"" + spec.name + "\": it starts beyond its " + limit->type() + " by " +
                           core::brief_number(-rows.value[0]) + (limit->is_angle(0) ? " rad" : " m"));
    add_limit(limit);
    return limit;
  };
  const auto add_range = [&](const Range& range, Coordinate coordinate, const std::string& what,
                             bool comfort) {
    for (const Side side : {Side::lower, Side::upper}) {
      const double bound = bound_of(range, side);
      if (!is_limit(coordinate, bound)) continue;
      const auto limit = add(std::make_shared<CoordinateLimit>(
          spec.name, (side == Side::lower ? "lower " : "upper ") + what, spec.a, spec.b, spec.restitution,
          frames, coordinate, side, bound, middle_of(spec, range, coordinate, counted), counted));
      if (comfort && spec.comfort) add_comfort(spec, limit, comfort_depth(*spec.comfort, range, side), 0);
    }
  };
  const JointKind& kind = kind_of(spec.type);
  if (spec.range) add_range(*spec.range, Coordinate::distance, "limit", false);
  if (spec.limits) add_range(*spec.limits, kind.scalar(), "limit", true);
  if (spec.twist) add_range(*spec.twist, Coordinate::angle, "twist limit", kind.comfort_in_twist());

  const std::vector<double>& w = spec.swing;
  std::shared_ptr<const Limit> swing;
  if (w.size() == 1)
    swing = add(std::make_shared<ConeLimit>(spec.name, "swing limit", spec.a, spec.b, spec.restitution,
                                            frames, w[0]));
  else if (!w.empty())
    swing = add(std::make_shared<SwingLimit>(spec.name, "swing limit", spec.a, spec.b, spec.restitution,
                                             frames, swing_bounds(w)));
  if (swing && spec.comfort_swing)
    add_comfort(spec, swing, least_swing(w) - *spec.comfort_swing, least_swing(w));

  const std::optional<Range>* parts[] = {&spec.limits_x, &spec.limits_y, &spec.limits_z};
  for (int k = 0; k < 3; ++k)
    if (*parts[k])
      for (const Side side : {Side::lower, Side::upper})
        add(std::make_shared<RotationLimit>(
            spec.name, std::string(side == Side::lower ? "lower " : "upper ") + "xyz"[k] + " limit", spec.a,
            spec.b, spec.restitution, frames, k, side, bound_of(**parts[k], side)));
}

// The stiffness kappa = I/T^2 and damping d = 2 sqrt(kappa I) of the comfort zone depend on the two bodies of
// the joint only. I is the reduced inertia of the joint coordinate, 1/I = 1/I_a + 1/I_b. I_a and I_b are the
// inertias (or masses) of the bodies, each moving alone about the joint. Other bodies of the chain do not
// count: a heavy load behind the joint passes through the zone, and the limit stops it.
void ModelBuilder::add_comfort(const JointSpec& spec, const std::shared_ptr<const Limit>& limit, double depth,
                               double swing) {
  if (!(depth > 0)) return;
  const Vec3 axis = spec.axis.normalized();
  const Mat3 across = Mat3::Identity() - axis * axis.transpose();
  double inverse = 0;
  for (const BodyId id : {spec.a, spec.b}) {
    if (!id.valid() || !model_.body(id).is_dynamic()) continue;
    const Body& body = model_.body(id);
    const Mat3 R = body.X_WB.rotation.to_matrix();
    const Vec3 arm = start_center(id) - (id == spec.a ? spec.at_a : spec.at_b).value_or(spec.at);
    const Mat3 I = R * body.inertia_B * R.transpose() +
                   body.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    // A swing may be about any axis perpendicular to the joint's axis. Use the mean of their inertias.
    const double inertia = !limit->is_angle(0) ? body.mass
                           : swing > 0         ? 0.5 * (across * I * across).trace()
                                               : axis.dot(I * axis);
    inverse += 1 / inertia;
  }
  const double inertia = 1 / inverse, stiffness = inertia / (kComfortTime * kComfortTime);
  const ComfortZone zone{depth, stiffness, 2 * math::sqrt(stiffness * inertia), swing};
  // The names are NAME.comfort-lower, NAME.comfort-upper and NAME.comfort-swing.
  const std::string name = spec.name + ".comfort-" + limit->type().substr(0, limit->type().find(' '));
  add_force(make_law<ComfortSpring>(name, limit, zone));
  add_force(make_law<ComfortDamper>(name + "-damper", limit, zone));
}

void ModelBuilder::add_joint_forces(const JointSpec& spec, const JointFrames& frames, int counted,
                                    JointParts& parts) {
  const bool is_vector = kind_of(spec.type).has_rotation_vector();
  const Coordinate x = kind_of(spec.type).scalar();
  const Vec3 none = Vec3::Zero();
  const std::string spring = spec.name + ".spring", damper = spec.name + ".damper";
  if (spec.stiffness > 0 && is_vector)
    add_force(make_law<BallSpring>(spring, spec.a, spec.b, align_frames_at(frames, spec.rest_rotation),
                                   spec.stiffness));
  else if (spec.stiffness > 0)
    add_force(make_law<JointSpring>(spring, spec.a, spec.b, frames, x, spec.rest, spec.stiffness, counted));
  if (spec.damping > 0 && is_vector)
    add_force(make_law<BallDrive>(damper, spec.a, spec.b, frames, none, 0, spec.damping, kForever));
  else if (spec.damping > 0)
    add_force(make_law<JointDamper>(damper, spec.a, spec.b, frames, x, spec.damping));

  const auto add_drive = [&](std::shared_ptr<const JointLaw> law) {
    parts.drives.push_back(law);
    add_force(std::move(law));
  };
  for (size_t i = 0; i < spec.drives.size(); ++i) {
    const DriveSpec& drive = spec.drives[i];
    const std::string name = spec.name + ".drive" + (i > 0 ? std::to_string(i + 1) : "");
    if (!is_vector) {
      add_drive(make_law<JointDrive>(name, spec.a, spec.b, frames, x, drive.target, drive.velocity,
                                     drive.stiffness, drive.damping, drive.max_force, counted));
    } else if (drive.axis.isZero(0)) {
      add_drive(make_law<BallDrive>(name, spec.a, spec.b, align_frames_at(frames, drive.target_rotation),
                                    velocity_at_target(drive), drive.stiffness, drive.damping,
                                    drive.max_force));
    } else {
      JointFrames about = frames;
      const Mat3 axes = axes_along(drive.axis, none);
      about.R_AJ = start_pose(spec.a).rotation.transpose() * axes;
      about.R_BJ = start_pose(spec.b).rotation.transpose() * axes;
      add_drive(make_law<JointDrive>(name, spec.a, spec.b, about, Coordinate::angle, drive.target,
                                     drive.velocity, drive.stiffness, drive.damping, drive.max_force,
                                     rows::kNotCounted));
    }
  }
}

}  // namespace tumble::model
