#include "tumble/model/joint_check.h"

#include <algorithm>
#include <cmath>

#include "tumble/model/tolerances.h"

namespace tumble::model {

using math::Vec3;

bool are_parallel(const Vec3& u, const Vec3& v) {
  return u.cross(v).norm() <= kParallelAxes * u.norm() * v.norm();
}

namespace {

bool is_one_of(JointType type, std::initializer_list<JointType> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool is_given(const Vec3& v) { return !v.isZero(0); }

std::string has_no(const char* what, JointType type) {
  return std::string(what) + " has no meaning for type=\"" + to_string(type) + "\"";
}

void check_axes(const JointSpec& spec, const Refuse& refuse) {
  if (!spec.at.allFinite() || !spec.at_a.value_or(spec.at).allFinite() ||
      !spec.at_b.value_or(spec.at).allFinite() || !spec.axis.allFinite() || !spec.axis2.allFinite())
    return refuse("its points and axes must be finite numbers");
  const bool needs_axis =
      !is_one_of(spec.type, {JointType::nail, JointType::ball, JointType::fixed, JointType::distance});
  if (needs_axis && !is_given(spec.axis))
    refuse(std::string("type=\"") + to_string(spec.type) + "\" needs an axis other than 0 0 0");
  if (spec.type == JointType::universal && !is_given(spec.axis2))
    refuse("a universal joint needs axis2, the axis of its cross that b carries");
  if (!is_given(spec.axis2)) return;
  if (spec.type == JointType::constant_velocity) {
    if (are_parallel(spec.axis, spec.axis2) && spec.axis.dot(spec.axis2) < 0)
      refuse("axis2, the shaft of b, points straight back along axis");
  } else if (!is_one_of(spec.type, {JointType::ball, JointType::universal})) {
    refuse(has_no("axis2", spec.type));
  } else if (!is_given(spec.axis)) {
    refuse("axis2 needs an axis beside it");
  } else if (are_parallel(spec.axis, spec.axis2)) {
    refuse("axis2 is parallel to axis");
  }
}

void check_distance(const JointSpec& spec, const Refuse& refuse) {
  if (spec.type != JointType::distance) {
    if (spec.length) refuse(has_no("length", spec.type));
    if (spec.range) refuse(has_no("range", spec.type));
    return;
  }
  if (spec.length && spec.range) refuse("give either length, a rod, or range, a rope or strut");
  if (spec.range) {
    if (!(spec.range->lo >= 0 && spec.range->hi > spec.range->lo))
      refuse("range must be two distances, the first not negative and below the second");
  } else if (spec.at_a.value_or(spec.at) == spec.at_b.value_or(spec.at)) {
    refuse("its two points at-a and at-b coincide; a distance joint needs a direction");
  }
  if (spec.length && !(*spec.length > 0 && std::isfinite(*spec.length)))
    refuse("length must be a positive number; type=\"ball\" joins two points");
}

void check_range(const std::optional<Range>& range, const char* what, bool angle, const Refuse& refuse) {
  if (!range) return;
  const double lo = range->lo, hi = range->hi;
  if (!(std::isfinite(lo) && std::isfinite(hi) && lo < hi))
    refuse(std::string(what) + " must be two numbers, the first below the second");
  else if (angle && hi - lo >= 2 * math::kPi)
    refuse(std::string(what) + " must span less than a whole turn");
}

void check_swing(const JointSpec& spec, const Refuse& refuse) {
  if (spec.swing.empty()) return;
  if (!is_one_of(spec.type, {JointType::ball, JointType::constant_velocity}))
    return refuse(has_no("swing", spec.type));
  if (!is_given(spec.axis)) refuse("swing needs axis, the direction that swings");
  const size_t n = spec.swing.size();
  if (n != 1 && n != 2 && n != 4)
    return refuse("swing takes one angle (a cone), two (an ellipse) or four (lo hi lo hi)");
  if (n > 1 && (spec.type != JointType::ball || !is_given(spec.axis2)))
    refuse(
        "swing with more than one angle is for ball joints and needs axis2, the axis its first angle is "
        "about");
  for (size_t i = 0; i < n; ++i) {
    const double angle = n == 4 && i % 2 == 0 ? -spec.swing[i] : spec.swing[i];
    if (!(angle > 0 && angle <= math::kPi))
      return refuse(
          n == 4 ? "swing must be lo hi lo hi with lo from -180 deg to below 0 and hi above 0 to 180 deg"
                 : "swing must lie above 0 and not beyond 180 deg");
  }
}

void check_comfort(const JointSpec& spec, const Refuse& refuse) {
  if (spec.comfort) {
    const std::optional<Range>& outer = spec.type == JointType::ball ? spec.twist : spec.limits;
    if (!outer)
      refuse(spec.type == JointType::ball ? "comfort needs the twist it is inside of"
                                          : "comfort needs the limits it is inside of");
    else if (!(spec.comfort->lo >= outer->lo && spec.comfort->lo <= spec.comfort->hi &&
               spec.comfort->hi <= outer->hi))
      refuse("comfort must be two numbers inside the limits, the first not above the second");
  }
  if (spec.comfort_swing) {
    if (spec.swing.empty()) return refuse("comfort needs the swing it is inside of");
    double least = math::kPi;
    for (const double angle : spec.swing) least = std::min(least, std::abs(angle));
    if (!(*spec.comfort_swing > 0 && *spec.comfort_swing < least))
      refuse("comfort of a swing must lie above 0 and below the least angle of swing");
  }
}

void check_limits(const JointSpec& spec, const Refuse& refuse) {
  if (spec.limits && !is_one_of(spec.type, {JointType::hinge, JointType::slider, JointType::cylindrical}))
    refuse(has_no("limits", spec.type) +
           (spec.type == JointType::ball ? "; a ball joint has swing, twist and limits-x, -y, -z" : ""));
  else
    check_range(spec.limits, "limits", false, refuse);  // a hinge counts its turns
  if (spec.twist && !is_one_of(spec.type, {JointType::ball, JointType::cylindrical}))
    refuse(has_no("twist", spec.type));
  else
    check_range(spec.twist, "twist", true, refuse);
  if (spec.twist && !is_given(spec.axis)) refuse("twist needs the axis it is about");
  check_swing(spec, refuse);
  const std::optional<Range>* parts[] = {&spec.limits_x, &spec.limits_y, &spec.limits_z};
  const char* names[] = {"limits-x", "limits-y", "limits-z"};
  for (int k = 0; k < 3; ++k) {
    if (*parts[k] && spec.type != JointType::ball)
      refuse(has_no(names[k], spec.type));
    else
      check_range(*parts[k], names[k], true, refuse);
  }
  check_comfort(spec, refuse);
  if (!(spec.restitution >= 0 && spec.restitution <= 1)) refuse("restitution must lie between 0 and 1");
}

bool is_amount(double x) { return x >= 0 && std::isfinite(x); }

void check_forces(const JointSpec& spec, const Refuse& refuse) {
  const bool ball = spec.type == JointType::ball;
  const bool moves =
      is_one_of(spec.type, {JointType::ball, JointType::hinge, JointType::slider, JointType::cylindrical});
  if (!is_amount(spec.stiffness) || !is_amount(spec.damping))
    refuse("stiffness and damping must not be negative");
  if (!std::isfinite(spec.rest) || !spec.rest_rotation.allFinite() || !std::isfinite(spec.zero) ||
      !spec.zero_rotation.allFinite())
    refuse("rest and zero must be finite numbers");
  if (!moves) {
    if (spec.stiffness != 0 || spec.damping != 0) refuse(has_no("stiffness or damping", spec.type));
    if (!spec.drives.empty()) refuse(has_no("a drive", spec.type));
    if (spec.zero != 0) refuse(has_no("zero", spec.type));
  }
  if (!ball && (is_given(spec.rest_rotation) || is_given(spec.zero_rotation)))
    refuse("rest and zero are single numbers for type=\"" + std::string(to_string(spec.type)) + "\"");
  if (ball && (spec.rest != 0 || spec.zero != 0))
    refuse("rest and zero of a ball joint are rotation vectors");
  for (const DriveSpec& drive : spec.drives) {
    if (!is_amount(drive.stiffness) || !is_amount(drive.damping) || !(drive.max_force >= 0))
      refuse("stiffness, damping and max-force of a drive must not be negative");
    else if (drive.stiffness == 0 && drive.damping == 0)
      refuse("a drive needs stiffness, damping or both; without either it does nothing");
    if (!std::isfinite(drive.target) || !std::isfinite(drive.velocity) ||
        !drive.target_rotation.allFinite() || !drive.angular_velocity.allFinite() || !drive.axis.allFinite())
      refuse("target and velocity of a drive must be finite numbers");
    if (!ball && is_given(drive.axis)) refuse("axis of a drive is for ball joints only");
  }

  bool scripted_rotation = false;
  for (const std::vector<CurveKey>& keys : spec.script_rotation) scripted_rotation |= !keys.empty();
  if (!spec.script.empty() || scripted_rotation) {
    if (!moves || ball != scripted_rotation || ball == !spec.script.empty())
      return refuse(
          "a script is for one coordinate of a hinge, slider or cylindrical joint, or three of a ball joint");
    const auto check_keys = [&](const std::vector<CurveKey>& keys) {
      if (const std::string fault = find_key_fault(keys); !fault.empty()) refuse("script: " + fault);
    };
    if (!ball)
      check_keys(spec.script);
    else
      for (const std::vector<CurveKey>& keys : spec.script_rotation) check_keys(keys);
  }
}

}  // namespace

void check_joint_spec(const JointSpec& spec, const Refuse& refuse) {
  if (spec.type == JointType::nail && spec.a.valid())
    refuse("a nail holds b to the world and takes no a; type=\"ball\" joins two bodies");
  check_axes(spec, refuse);
  check_distance(spec, refuse);
  check_limits(spec, refuse);
  check_forces(spec, refuse);
}

}  // namespace tumble::model
