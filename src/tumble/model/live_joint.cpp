// Changes of joint parameters during a run: checks them, and writes them into the limits and laws of the
// joint.
#include <algorithm>
#include <cmath>

#include "tumble/model/joint_check.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/joint_values.h"
#include "tumble/model/live_values.h"
#include "tumble/model/start_bounds.h"

namespace tumble::model {

namespace {

// A limit of a joint. The limits are in the order in which add_joint.cpp creates them.
struct LimitPart {
  size_t index = 0;                 // index into Model::limits()
  std::optional<Range> range = {};  // none: a swing limit
  Coordinate coordinate = Coordinate::angle;
  Side side = Side::lower;
  bool of_rotation = false;          // limits a component of the rotation vector
  std::optional<double> depth = {};  // depth of the comfort zone; none: the spec has no comfort range here
};

std::vector<LimitPart> limit_parts(const JointParts& parts, const JointSpec& spec) {
  std::vector<LimitPart> list;
  size_t index = parts.first_limit;
  const auto add_range = [&](const std::optional<Range>& range, Coordinate coordinate,
                             const std::optional<Range>& comfort, bool of_rotation) {
    if (!range) return;
    for (const Side side : {Side::lower, Side::upper}) {
      if (!is_limit(coordinate, bound_of(*range, side))) continue;
      LimitPart& part = list.emplace_back(
          LimitPart{.index = index++, .range = range, .coordinate = coordinate, .side = side});
      part.of_rotation = of_rotation;
      if (comfort) part.depth = comfort_depth(*comfort, *range, side);
    }
  };
  add_range(spec.range, Coordinate::distance, {}, false);
  const JointKind& kind = kind_of(spec.type);
  add_range(spec.limits, kind.scalar(), spec.comfort, false);
  add_range(spec.twist, Coordinate::angle, kind.comfort_in_twist() ? spec.comfort : std::nullopt, false);
  if (!spec.swing.empty()) {
    LimitPart& part = list.emplace_back(LimitPart{.index = index++});
    if (spec.comfort_swing) part.depth = least_swing(spec.swing) - *spec.comfort_swing;
  }
  for (const std::optional<Range>* range : {&spec.limits_x, &spec.limits_y, &spec.limits_z})
    add_range(*range, Coordinate::angle, {}, true);
  return list;
}

std::vector<ComfortLaw*> comfort_of(const JointParts& parts, const Limit* limit,
                                    std::span<ForceLaw* const> laws) {
  std::vector<ComfortLaw*> list;
  for (size_t k = parts.first_force; k < parts.end_force; ++k)
    if (auto* law = dynamic_cast<ComfortLaw*>(laws[k]); law && law->limit().get() == limit)
      list.push_back(law);
  return list;
}

void write_limit(const JointParts& parts, const JointSpec& spec, const LimitPart& part, Limit& limit) {
  limit.set_restitution(spec.restitution);
  if (!part.range && spec.swing.size() == 1)
    return dynamic_cast<ConeLimit&>(limit).set_largest(spec.swing[0]);
  if (!part.range) return dynamic_cast<SwingLimit&>(limit).set_bounds(swing_bounds(spec.swing));
  const double bound = bound_of(*part.range, part.side);
  if (part.of_rotation) return dynamic_cast<RotationLimit&>(limit).set_bound(bound);
  dynamic_cast<CoordinateLimit&>(limit).set_bound(
      bound, middle_of(spec, *part.range, part.coordinate, parts.counted));
}

void write_drive(const JointParts& parts, const DriveSpec& drive, ForceLaw& law) {
  if (auto* one = dynamic_cast<JointDrive*>(&law))
    return one->set_values(drive.target, drive.velocity, drive.stiffness, drive.damping, drive.max_force);
  dynamic_cast<BallDrive&>(law).set_values(align_frames_at(parts.frames, drive.target_rotation),
                                           velocity_at_target(drive), drive.stiffness, drive.damping,
                                           drive.max_force);
}

void write_law(const JointParts& parts, const JointSpec& spec, ForceLaw& law) {
  for (size_t i = 0; i < parts.drives.size(); ++i)
    if (parts.drives[i].get() == &law) return write_drive(parts, spec.drives[i], law);
  if (auto* spring = dynamic_cast<JointSpring*>(&law))
    spring->set_values(spec.rest, spec.stiffness);
  else if (auto* ball = dynamic_cast<BallSpring*>(&law))
    ball->set_values(align_frames_at(parts.frames, spec.rest_rotation), spec.stiffness);
  else if (auto* damper = dynamic_cast<JointDamper*>(&law))
    damper->set_damping(spec.damping);
  else if (auto* resistance = dynamic_cast<BallDrive*>(&law))
    resistance->set_values(parts.frames, Vec3::Zero(), 0, spec.damping, kForever);
}

}  // namespace

std::vector<std::string> find_joint_faults(const JointParts& parts, const JointSpec& wanted,
                                           std::span<Limit* const> limits, std::span<ForceLaw* const> laws) {
  std::vector<std::string> faults;
  if (has_start_bounds(wanted)) return {"limits that change during a run must be numbers"};
  check_joint_spec(wanted, [&](const std::string& what) { faults.push_back(what); });
  if (!faults.empty()) return faults;
  const JointKind& kind = kind_of(wanted.type);
  if (kind.coordinate == JointCoordinate::angle && wanted.limits && parts.counted == rows::kNotCounted &&
      wanted.limits->hi - wanted.limits->lo >= 2 * math::kPi)
    faults.push_back(std::string("limits must span less than a whole turn: this ") + kind.noun +
                     " did not count its turns so far");
  const std::vector<LimitPart> list = limit_parts(parts, wanted);
  const auto is_there = [](const std::optional<Range>& range, Side side) {
    return range && is_limit(Coordinate::distance, bound_of(*range, side));
  };
  for (const Side side : {Side::lower, Side::upper})
    if (is_there(wanted.range, side) != is_there(parts.spec->range, side))
      faults.emplace_back(side == Side::lower ? "range cannot get or lose its lower limit while it runs"
                                              : "range cannot get or lose its upper limit while it runs");
  if (!faults.empty()) return faults;
  for (const LimitPart& part : list) {
    if (!part.depth || (*part.depth > 0) == !comfort_of(parts, limits[part.index], laws).empty()) continue;
    faults.emplace_back(*part.depth > 0
                            ? "comfort begins at the limit itself, and there is no soft zone to widen"
                            : "the limit leaves no room for the soft zone that comfort gives it");
  }
  return faults;
}

void write_joint(const JointParts& parts, const JointSpec& spec, std::span<Limit* const> limits,
                 std::span<ForceLaw* const> laws) {
  for (const LimitPart& part : limit_parts(parts, spec)) {
    write_limit(parts, spec, part, *limits[part.index]);
    if (!part.depth) continue;
    for (ComfortLaw* law : comfort_of(parts, limits[part.index], laws)) {
      ComfortZone zone = law->zone();
      zone.depth = *part.depth;
      if (!part.range) zone.swing = least_swing(spec.swing);
      law->set_zone(zone);
    }
  }
  for (size_t k = parts.first_force; k < parts.end_force; ++k) write_law(parts, spec, *laws[k]);
}

}  // namespace tumble::model
