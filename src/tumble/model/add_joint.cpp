// Creates the rows, limits and force laws of a joint from its specification.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tumble/core/require.h"
#include "tumble/model/joint_check.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/joint_values.h"
#include "tumble/model/model_builder.h"
#include "tumble/model/start_bounds.h"
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

// Replaces the bounds that are those of the start pose, and checks the result.
bool ModelBuilder::resolve_start(JointSpec& spec) {
  if (!has_start_bounds(spec)) return true;
  const size_t faults = diagnostics_.size();
  resolve_start_bounds(compute_joint_frames(spec), start_pose(spec.a), start_pose(spec.b), spec);
  check_joint_spec(spec, [&](const std::string& what) {
    fail(spec.place, "joint \"" + spec.name + "\": with the numbers of the start, " + what);
  });
  return diagnostics_.size() == faults;
}

void ModelBuilder::add_joint(const JointSpec& given) {
  JointSpec spec = given;
  if (!check_joint(spec) || !resolve_start(spec)) return;
  const JointFrames frames = compute_joint_frames(spec);
  JointParts parts{
      .name = spec.name, .type = to_string(spec.type), .a = spec.a, .b = spec.b, .arm_B = frames.arm_B};
  parts.place = spec.place;
  parts.frames = frames;
  parts.first_limit = model_.limits_.size();
  parts.first_force = model_.forces_.size();
  add_joint_rows(spec, frames, parts);
  parts.counted = count_turns(spec, frames);
  add_joint_limits(spec, parts);
  parts.spec = std::make_shared<JointSpec>(spec);
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
  const double slower = (start.velocity - body.velocity).norm(),
               turning = (start.rotation.w - body.angular_velocity).norm() * body.radius;
  const double speed =
      std::max({start.velocity.norm(), body.velocity.norm(), body.radius * start.rotation.w.norm(),
                body.radius * body.angular_velocity.norm()});
  if (spec.velocity_given && std::max(slower, turning) > kScriptStartSlack * speed)
    diagnostics_.push_back(
        core::warning_at(place, "body \"" + body.name +
                                    "\": its start velocity contradicts its script; the script of body \"" +
                                    body.name + "\" prescribes another, which differs by " +
                                    core::brief_number(std::max(slower, turning)) + " m/s"));
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

namespace {

// The bounds of a swing limit, multiplied by a factor.
void widen_swing(double factor, std::vector<double>& swing) {
  for (double& angle : swing) angle = std::copysign(std::min(std::abs(factor * angle), math::kPi), angle);
}

}  // namespace

// Limits are functions of the spec: if the start pose passes one by no more than the tolerance, the bound in
// the spec is moved to the start, and the limit is made anew.
void ModelBuilder::add_joint_limits(JointSpec& spec, JointParts& parts) {
  using Make = std::function<std::shared_ptr<const Limit>()>;
  const JointFrames& frames = parts.frames;
  const auto value_at_start = [&](const Limit& limit) {
    ConstraintRows rows;
    limit.evaluate(0, start_pose(spec.a), start_pose(spec.b), rows);
    return rows.value[0];
  };
  // `widen` changes the spec so that a limit with this negative value gets the value 0.
  const auto add = [&](const Make& make, const std::function<void(double)>& widen) {
    std::shared_ptr<const Limit> limit = make();
    const double value = value_at_start(*limit);
    const bool angle = limit->is_angle(0);
    const double tolerance =
        std::max(kLimitStartSlack, kLimitStartTolerance * (angle ? 1 : model_.size_of(*limit)));
    const std::string what = "joint \"" + spec.name + "\": it starts beyond its " + limit->type() + " by " +
                             core::brief_number(-value) + (angle ? " rad" : " m");
    if (!(value >= -tolerance)) {
      fail(spec.place, what + "; start inside, or write start in place of the number");
    } else if (value < -kLimitStartSlack) {
      widen(value);
      limit = make();
      parts.widened.push_back({limit->type(), -value, angle});
      diagnostics_.push_back(core::warning_at(
          spec.place,
          what + "; the limit was widened to where it starts. Write start in place of the number"));
    }
    add_limit(limit);
    return limit;
  };
  const auto add_range = [&](Range& range, Coordinate coordinate, const std::string& what, bool comfort) {
    for (const Side side : {Side::lower, Side::upper}) {
      if (!is_limit(coordinate, bound_of(range, side))) continue;
      const auto limit = add(
          [&] {
            return std::make_shared<CoordinateLimit>(
                spec.name, (side == Side::lower ? "lower " : "upper ") + what, spec.a, spec.b,
                spec.restitution, frames, coordinate, side, bound_of(range, side),
                middle_of(spec, range, coordinate, parts.counted), parts.counted);
          },
          [&](double value) { side == Side::lower ? range.lo += value : range.hi -= value; });
      if (comfort && spec.comfort) add_comfort(spec, limit, comfort_depth(*spec.comfort, range, side), 0);
    }
  };
  const JointKind& kind = kind_of(spec.type);
  if (spec.range) add_range(*spec.range, Coordinate::distance, "limit", false);
  if (spec.limits) add_range(*spec.limits, kind.scalar(), "limit", true);
  if (spec.twist) add_range(*spec.twist, Coordinate::angle, "twist limit", kind.comfort_in_twist());

  std::vector<double>& w = spec.swing;
  std::shared_ptr<const Limit> swing;
  if (w.size() == 1)  // (p^2 - theta^2) / 2p = value
    swing = add(
        [&] {
          return std::make_shared<ConeLimit>(spec.name, "swing limit", spec.a, spec.b, spec.restitution,
                                             frames, w[0]);
        },
        [&](double value) { widen_swing(math::sqrt(1 - 2 * value / w[0]), w); });
  else if (!w.empty())  // m/2 (1 - s) = value, s with the squares of the bounds in its denominators
    swing = add(
        [&] {
          return std::make_shared<SwingLimit>(spec.name, "swing limit", spec.a, spec.b, spec.restitution,
                                              frames, swing_bounds(w));
        },
        [&](double value) { widen_swing(math::sqrt(1 - 2 * value / least_swing(w)), w); });
  if (swing && spec.comfort_swing)
    add_comfort(spec, swing, least_swing(w) - *spec.comfort_swing, least_swing(w));

  std::optional<Range>* ranges[] = {&spec.limits_x, &spec.limits_y, &spec.limits_z};
  for (int k = 0; k < 3; ++k)
    for (const Side side : {Side::lower, Side::upper}) {
      if (!*ranges[k]) continue;
      Range& range = **ranges[k];
      add(
          [&] {
            return std::make_shared<RotationLimit>(
                spec.name, std::string(side == Side::lower ? "lower " : "upper ") + "xyz"[k] + " limit",
                spec.a, spec.b, spec.restitution, frames, k, side, bound_of(range, side));
          },
          [&](double value) { side == Side::lower ? range.lo += value : range.hi -= value; });
    }
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
