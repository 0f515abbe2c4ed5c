#include "tumble/model/joint_check.h"

#include <algorithm>
#include <cmath>

#include "tumble/model/tolerances.h"

namespace tumble::model {

using math::Vec3;

bool are_parallel(const Vec3& u, const Vec3& v) {
  return u.cross(v).norm() <= kParallelAxes * u.norm() * v.norm();
}

void check_plane_of_axes(const JointSpec& spec, const Refuse& refuse) {
  if (spec.axis2.isZero(0)) return;
  if (spec.axis.isZero(0))
    refuse("axis2 needs an axis beside it");
  else if (are_parallel(spec.axis, spec.axis2))
    refuse("axis2 is parallel to axis");
}

namespace {

bool is_given(const Vec3& v) { return !v.isZero(0); }

std::string has_no(const char* what, const JointKind& kind) {
  return std::string(what) + " has no meaning for type=\"" + kind.name + "\"";
}

void check_axes(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  if (!spec.at.allFinite() || !spec.at_a.value_or(spec.at).allFinite() ||
      !spec.at_b.value_or(spec.at).allFinite() || !spec.axis.allFinite() || !spec.axis2.allFinite())
    return refuse("its points and axes must be finite numbers");
  if (kind.needs_axis && !is_given(spec.axis))
    refuse(std::string("type=\"") + kind.name + "\" needs an axis other than 0 0 0");
  if (kind.axis2 == nullptr && is_given(spec.axis2)) refuse(has_no("axis2", kind));
}

void check_length(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  if (kind.takes_length) return;
  if (spec.length) refuse(has_no("length", kind));
  if (spec.range) refuse(has_no("range", kind));
}

void check_range(const std::optional<Range>& range, const char* what, bool angle, const Refuse& refuse) {
  if (!range) return;
  const double lo = range->lo, hi = range->hi;
  if (is_at_start(lo) || is_at_start(hi)) return;  // checked again when they are known
  if (!(std::isfinite(lo) && std::isfinite(hi) && lo < hi))
    refuse(std::string(what) + " must be two numbers, the first below the second");
  else if (angle && hi - lo >= 2 * math::kPi)
    refuse(std::string(what) + " must span less than a whole turn");
}

void check_swing(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  if (spec.swing.empty()) return;
  if (!kind.takes_swing()) return refuse(has_no("swing", kind));
  if (!is_given(spec.axis)) refuse("swing needs axis, the direction that swings");
  const size_t n = spec.swing.size();
  if (n != 1 && n != 2 && n != 4)
    return refuse("swing takes one angle (a cone), two (an ellipse) or four (lo hi lo hi)");
  if (n > 1 && (kind.swing != SwingForm::any || !is_given(spec.axis2)))
    refuse("swing with more than one angle is for " +
           list_joint_types([](const JointKind& other) { return other.swing == SwingForm::any; }) +
           " joints and needs axis2, the axis its first angle is about");
  for (size_t i = 0; i < n; ++i) {
    const double angle = n == 4 && i % 2 == 0 ? -spec.swing[i] : spec.swing[i];
    if (!is_at_start(spec.swing[i]) && !(angle > 0 && angle <= math::kPi))
      return refuse(
          n == 4 ? "swing must be lo hi lo hi with lo from -180 deg to below 0 and hi above 0 to 180 deg"
                 : "swing must lie above 0 and not beyond 180 deg");
  }
}

void check_comfort(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  if (spec.comfort) {
    const std::optional<Range>& outer = kind.comfort_in_twist() ? spec.twist : spec.limits;
    if (!outer)
      refuse(kind.comfort_in_twist() ? "comfort needs the twist it is inside of"
                                     : "comfort needs the limits it is inside of");
    else if (is_at_start(outer->lo) || is_at_start(outer->hi))
      return;
    else if (!(spec.comfort->lo >= outer->lo && spec.comfort->lo <= spec.comfort->hi &&
               spec.comfort->hi <= outer->hi))
      refuse("comfort must be two numbers inside the limits, the first not above the second");
  }
  if (spec.comfort_swing) {
    if (spec.swing.empty()) return refuse("comfort needs the swing it is inside of");
    double least = math::kPi;
    for (const double angle : spec.swing)
      if (!is_at_start(angle)) least = std::min(least, std::abs(angle));
    if (!(*spec.comfort_swing > 0 && *spec.comfort_swing < least))
      refuse("comfort of a swing must lie above 0 and below the least angle of swing");
  }
}

void check_limits(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  if (spec.limits && !kind.has_scalar())
    refuse(has_no("limits", kind) +
           (kind.instead_of_limits ? std::string("; ") + kind.instead_of_limits : ""));
  else
    check_range(spec.limits, "limits", false, refuse);  // a hinge with a range beyond 2 pi unwraps its angle
  if (spec.twist && !kind.takes_twist)
    refuse(has_no("twist", kind));
  else
    check_range(spec.twist, "twist", true, refuse);
  if (spec.twist && !is_given(spec.axis)) refuse("twist needs the axis it is about");
  check_swing(spec, kind, refuse);
  const std::optional<Range>* parts[] = {&spec.limits_x, &spec.limits_y, &spec.limits_z};
  const char* names[] = {"limits-x", "limits-y", "limits-z"};
  for (int k = 0; k < 3; ++k) {
    if (*parts[k] && !kind.has_rotation_vector())
      refuse(has_no(names[k], kind));
    else
      check_range(*parts[k], names[k], true, refuse);
  }
  check_comfort(spec, kind, refuse);
  if (!(spec.restitution >= 0 && spec.restitution <= 1)) refuse("restitution must lie between 0 and 1");
}

bool is_not_negative(double x) { return x >= 0 && std::isfinite(x); }

void check_forces(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  const bool is_vector = kind.has_rotation_vector();
  if (!is_not_negative(spec.stiffness) || !is_not_negative(spec.damping))
    refuse("stiffness and damping must not be negative");
  if (!std::isfinite(spec.rest) || !spec.rest_rotation.allFinite() || !std::isfinite(spec.zero) ||
      !spec.zero_rotation.allFinite())
    refuse("rest and zero must be finite numbers");
  if (!kind.has_coordinate()) {
    if (spec.stiffness != 0 || spec.damping != 0) refuse(has_no("stiffness or damping", kind));
    if (!spec.drives.empty()) refuse(has_no("a drive", kind));
    if (spec.zero != 0) refuse(has_no("zero", kind));
  }
  if (!is_vector && (is_given(spec.rest_rotation) || is_given(spec.zero_rotation)))
    refuse(std::string("rest and zero are single numbers for type=\"") + kind.name + "\"");
  if (is_vector && (spec.rest != 0 || spec.zero != 0))
    refuse(std::string("rest and zero of a ") + kind.noun + " are rotation vectors");
  for (const DriveSpec& drive : spec.drives) {
    if (!is_not_negative(drive.stiffness) || !is_not_negative(drive.damping) || !(drive.max_force >= 0))
      refuse("stiffness, damping and max-force of a drive must not be negative");
    else if (drive.stiffness == 0 && drive.damping == 0)
      refuse("a drive needs stiffness, damping or both; without either it does nothing");
    if (!std::isfinite(drive.target) || !std::isfinite(drive.velocity) ||
        !drive.target_rotation.allFinite() || !drive.angular_velocity.allFinite() || !drive.axis.allFinite())
      refuse("target and velocity of a drive must be finite numbers");
    if (!is_vector && is_given(drive.axis))
      refuse("axis of a drive is for " + list_joint_types(&JointKind::has_rotation_vector) + " joints only");
  }
}

void check_script(const JointSpec& spec, const JointKind& kind, const Refuse& refuse) {
  bool scripted_rotation = false;
  for (const std::vector<CurveKey>& keys : spec.script_rotation) scripted_rotation |= !keys.empty();
  if (spec.script.empty() && !scripted_rotation) return;
  const bool is_vector = kind.has_rotation_vector();
  if (!kind.has_coordinate() || is_vector != scripted_rotation || is_vector == !spec.script.empty())
    return refuse("a script is for one coordinate of a " + list_joint_types(&JointKind::has_scalar) +
                  " joint, or three of a " + list_joint_types(&JointKind::has_rotation_vector) + " joint");
  const auto check_keys = [&](const std::vector<CurveKey>& keys) {
    if (const std::string fault = find_key_fault(keys); !fault.empty()) return refuse("script: " + fault);
    if (const std::optional<double> t = find_jump(keys))
      refuse("script: it jumps at t = " + core::brief_number(*t) +
             " s, which no joint can follow; give the key before it the same value, or another curve");
  };
  if (!is_vector)
    check_keys(spec.script);
  else
    for (const std::vector<CurveKey>& keys : spec.script_rotation) check_keys(keys);
}

}  // namespace

void check_joint_spec(const JointSpec& spec, const Refuse& refuse) {
  const JointKind& kind = kind_of(spec.type);
  if (kind.why_no_a && spec.a.valid()) refuse(kind.why_no_a);
  check_axes(spec, kind, refuse);
  check_length(spec, kind, refuse);
  if (kind.check) kind.check(spec, refuse);
  check_limits(spec, kind, refuse);
  check_forces(spec, kind, refuse);
  check_script(spec, kind, refuse);
}

}  // namespace tumble::model
